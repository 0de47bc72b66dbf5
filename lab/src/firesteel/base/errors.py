# SPDX-License-Identifier: Apache-2.0
"""The one family of errors that a user is meant to read.

Every error that a person can cause or mend is a `FiresteelError` whose text names the error, its
place and the allowed values.  The command line prints only that text and exits with its `status`;
any other exception is a defect of the lab.
"""

import errno
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

_LONGEST = 200
"""Characters of a path, or of what was typed, that are shown; more are cut."""


class FiresteelError(Exception):
    """Something a user can understand and mend; its text is the whole message."""

    status = 1


class StoreError(FiresteelError):
    """The store cannot be written, so that nothing more can be kept."""

    @staticmethod
    def of(path: Path, error: OSError) -> "StoreError":
        """What is said of a file that the system refused to write."""
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return StoreError(
                f"{path}: not written, because the disk is full; finished cells are kept, and the "
                "same command continues from there once there is space."
            )
        return StoreError(f"{path}: cannot be written: {error.strerror}.")


class DisputeError(FiresteelError):
    """A cell that was measured again came out otherwise, although its inputs are the same."""


class MachinesError(FiresteelError):
    """The machines that cells run on cannot be reached any more."""


class RequestError(FiresteelError):
    """What was asked for makes no sense, as a wrong command line does, whatever was measured."""

    status = 2


def shortened(path: Path | str) -> str:
    """A path or typed text in a form that fits a sentence, however long it is."""
    text = str(path)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def meant(typed: str, allowed: Iterable[str]) -> str:
    """A question in brackets, which of these names was probably meant; nothing if none is near."""
    near = get_close_matches(typed, list(allowed), n=1)
    return f" (did you mean `{near[0]}`?)" if near else ""


def with_short_words(message: str, typed: Iterable[str]) -> str:
    """A message in which long words of the command line are cut, each wherever it is quoted."""
    parts = {part for word in typed for part in (word, *word.partition("="), *word.partition(":"))}
    for part in sorted(parts, key=len, reverse=True):
        if len(part) > _LONGEST:
            message = message.replace(part, shortened(part))
    return message


def reason_of(error: OSError | ValueError) -> str:
    """Why the system refused a path, as a clause without its full stop."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return "it has a character that no path may have"
