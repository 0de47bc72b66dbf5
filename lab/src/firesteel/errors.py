# SPDX-License-Identifier: Apache-2.0
"""The one family of errors that a user is meant to read.

Every error that a person can cause or mend is a `FiresteelError` whose text says what went
wrong, where, and what is allowed.  The command line prints that text alone and exits with
its `status`; anything else that escapes is a defect of ours.
"""


class FiresteelError(Exception):
    """Something a user can understand and mend; its text is the whole message."""

    status = 1


class StoreError(FiresteelError):
    """The store cannot be written, so that nothing more can be kept."""


class RequestError(FiresteelError):
    """What was asked for makes no sense, as a wrong command line does, whatever was measured."""

    status = 2
