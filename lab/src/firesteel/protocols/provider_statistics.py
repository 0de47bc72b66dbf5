# SPDX-License-Identifier: Apache-2.0
"""The OpenSSL provider's statistics file: `struct fsp_statistics` of provider/base/statistics.h.

It is in the byte order of the machine, and its process goes on writing while it is read.
"""

import os
import stat
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from firesteel.base.errors import FiresteelError

_MAGIC = b"firesteel-statistics"
_VERSION = 4
_HEADER = struct.Struct("=24sIIq64s256s")
_COUNTERS = {3: struct.Struct("=16sQQQQQQqQ"), 4: struct.Struct("=16sQQQQQQQQqQ")}
_COUNTS = {
    3: ("hardware", "hardware_bytes", "small", "unfit", "unprotected", "failed", "last_error"),
    4: (
        *("hardware", "hardware_bytes", "small", "queued", "unfit", "unprotected", "busy"),
        *("failed", "last_error"),
    ),
}
"""What stands between name and break-even, by the format's version: records may have files of
version 3.
"""

_NEVER = 2**64 - 1
_WORKS_MAX = 256
_SIZE_MAX = _HEADER.size + _WORKS_MAX * _COUNTERS[_VERSION].size

_ERRORS = {
    -1: "an invalid request",
    -2: "not supported",
    -3: "in use by another process",
    -4: "not free in time",
    -5: "core fault or unproven result",
    -6: "core gone",
    -7: "operand refused",
    -8: "a wrong signature",
    -9: "a wrong tag",
    -10: "no memory",
    -11: "a system call failed",
    -12: "job of the parent process",
    -13: "a wrong result",
    -14: "requests of a newer library",
}
"""What `enum firesteel_error` of firesteel.h means, in few words."""


_REASONS = {
    "small": "below {limit}",
    "queued": "faster than to wait for those before them",
    "unfit": "not done by the core",
    "unprotected": "with a secret key, because the core has no countermeasures",
    "busy": "while other processes had the core",
    "failed": "failed: {cause}",
}
"""Why software did requests, by the count that has them."""


class StatisticsError(FiresteelError):
    """A file that is not, or cannot be read as, the statistics of a process."""


@dataclass(frozen=True)
class Work:
    """What a process did of a kind of work; counts are of requests but for `hardware_bytes`.

    `small`, `queued`, `unfit`, `unprotected`, `busy` and `failed` are those that software did, by
    the reason why.
    `break_even` is in bytes: 0 while it is not known, None if the core is never faster or may not
    be used.
    """

    name: str
    hardware: int
    hardware_bytes: int
    small: int
    queued: int
    unfit: int
    unprotected: int
    busy: int
    failed: int
    last_error: int
    break_even: int | None

    @property
    def software(self) -> int:
        """Requests that software did."""
        return sum(getattr(self, reason) for reason in _REASONS)

    @property
    def chosen(self) -> int:
        """Those of them that software did because it was expected to be faster."""
        return self.small + self.queued

    @property
    def why(self) -> str:
        """Why software did, or will do, what it does; empty when there is nothing to say."""
        reasons = ["never faster on the core, or switched off"] if self.break_even is None else []
        limit = self.break_even or "the break-even"
        cause = _ERRORS.get(self.last_error, "wrong answers")
        reasons += [
            f"{getattr(self, name)} {text.format(limit=limit, cause=cause)}"
            for name, text in _REASONS.items()
            if getattr(self, name)
        ]
        return "; ".join(reasons)


@dataclass(frozen=True)
class Statistics:
    """What one process, with its children, had from the provider."""

    process: int
    device: str
    reason: str
    works: tuple[Work, ...]

    @classmethod
    def read(cls, path: Path) -> Self:
        """The statistics in a file; `StatisticsError` says what is wrong with it."""
        try:
            data = _contents(path)
        except PermissionError:
            raise StatisticsError(f"{path}: this user has no permission to read it.") from None
        except OSError as error:
            raise StatisticsError(f"{path} cannot be read: {error.strerror}.") from None
        return cls._parse(path, data)

    @classmethod
    def all_of(cls, data: bytes, source: str) -> list[Self]:
        """Those of several files, one behind the other; `source` is what errors call them."""
        found = []
        while data:
            size = len(data)
            if data.startswith(_MAGIC) and size >= _HEADER.size:
                _, version, count, *_ = _HEADER.unpack_from(data)
                size = _HEADER.size + count * _COUNTERS.get(version, _COUNTERS[_VERSION]).size
            found.append(cls._parse(Path(source), data[:size]))
            data = data[size:]
        return found

    @classmethod
    def _parse(cls, path: Path, data: bytes) -> Self:
        if not data.startswith(_MAGIC + b"\0"):
            raise StatisticsError(f"{path} is not a statistics file of the provider.")
        if len(data) < _HEADER.size:
            raise StatisticsError(f"{path} is damaged: it ends after {len(data)} bytes.")
        _, version, count, process, device, reason = _HEADER.unpack_from(data)
        counters = _COUNTERS.get(version)
        if not counters:
            age = "a newer" if version > _VERSION else "an older"
            raise StatisticsError(
                f"{path} comes from {age} provider: its format is {version}, this program reads "
                f"{_VERSION}."
            )
        expected = _HEADER.size + count * counters.size
        if count > _WORKS_MAX or len(data) != expected:
            raise StatisticsError(
                f"{path} is damaged: it has {len(data)} bytes where {expected} should be."
            )
        works = tuple(
            _work(path, version, values) for values in counters.iter_unpack(data[_HEADER.size :])
        )
        return cls(process, _text(path, device), _text(path, reason), works)


def _contents(path: Path) -> bytes:
    """All of a file; nothing of one that cannot be statistics, as others may have put it there."""
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_size > _SIZE_MAX:
            return b""
        return file.read()


def _work(path: Path, version: int, values: tuple[Any, ...]) -> Work:
    name, *between, break_even = values
    counts = {"queued": 0, "busy": 0} | dict(zip(_COUNTS[version], between, strict=True))
    return Work(
        name=_text(path, name), break_even=None if break_even == _NEVER else break_even, **counts
    )


def _text(path: Path, field: bytes) -> str:
    """What stands before the first zero."""
    text, end, _ = field.partition(b"\0")
    if not end or not all(0x20 <= byte < 0x7F for byte in text):
        raise StatisticsError(f"{path} is damaged: a name in it is not text.")
    return text.decode("ascii")


# ---- processes ----


def is_running(process: int, path: Path, proc: Path = Path("/proc")) -> bool:
    """Whether the process that wrote the file still runs, and is not another of its number."""
    try:
        fields = (proc / str(process) / "stat").read_text().rpartition(")")[2].split()
        boot = (proc / "stat").read_text().partition("btime ")[2].split()[0]
    except (OSError, IndexError):
        return False
    # The field is the 22nd, in hundredths of a second since the machine began; a second or two is
    # lost in rounding.
    began = int(boot) + int(fields[19]) / 100
    return began <= path.stat().st_mtime + 2


def program(process: int, proc: Path = Path("/proc")) -> str:
    """The process's name in the kernel; empty if unknown."""
    try:
        return (proc / str(process) / "comm").read_text().strip()
    except OSError:
        return ""
