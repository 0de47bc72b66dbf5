# SPDX-License-Identifier: Apache-2.0
"""What stops the making of an image: one sentence, printed alone, exit status 1."""


class AssembleError(Exception):
    """A recipe that does not fit the packages; its text is the whole message."""
