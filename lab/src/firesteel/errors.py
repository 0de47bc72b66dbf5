# SPDX-License-Identifier: Apache-2.0
"""The one family of errors that a user is meant to read.

Every error that a person can cause or mend is a `FiresteelError` whose text says what went
wrong, where, and what is allowed.  The command line prints that text alone and exits with
its `status`; anything else that escapes is a defect of ours.
"""

from pathlib import Path

_LONGEST_PATH = 200
"""Characters of a path that are told; a longer one is cut."""


class FiresteelError(Exception):
    """Something a user can understand and mend; its text is the whole message."""

    status = 1


class StoreError(FiresteelError):
    """The store cannot be written, so that nothing more can be kept."""


class RequestError(FiresteelError):
    """What was asked for makes no sense, as a wrong command line does, whatever was measured."""

    status = 2


def shortened(path: Path) -> str:
    """A path as it may stand in a sentence, however long it is."""
    text = str(path)
    return text if len(text) <= _LONGEST_PATH else text[: _LONGEST_PATH - 1] + "…"


def reason_of(error: OSError | ValueError) -> str:
    """Why the system refused a path, as a clause without its full stop."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return "it has a character that no path may have"
