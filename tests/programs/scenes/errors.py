# SPDX-License-Identifier: Apache-2.0
"""What ends a cell."""


class SceneError(Exception):
    """A program did not do what it should have; the text says which and what."""
