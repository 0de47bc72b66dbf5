# SPDX-License-Identifier: Apache-2.0
"""A figure: one number with the words that say what it is."""

import functools
import re
from typing import Any, Final

from pydantic import (
    BaseModel,
    ConfigDict,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
)

from firesteel.model.metrics import unit_of

_FACTORS = {"MiB": 1 << 20, "KiB": 1 << 10, "B": 1}
_SIZE = re.compile(r"(\d+) (B|KiB|MiB)(?:, (\d+) in flight)?")
_BLOCK = re.compile(r"(\d+) (B|KiB|MiB), sector (\d+) B(?:, depth (\d+))?")
_FILE = re.compile(r"(\d+) (B|KiB|MiB), by (\w+)")
_CLASS = re.compile(r"(\d+)(?:-(\d+) B| B and more)")
_OPERATION = re.compile(r"([^,]+?)(?:, (\d+) B)?")
_KEY = re.compile(r"[a-z]+-p?(\d+)")

PARAMETER_COLUMNS: dict[str, type] = {
    "size_bytes": int,
    "size_bytes_most": int,
    "in_flight": int,
    "sector_bytes": int,
    "key_bits": int,
    "key": str,
    "direction": str,
    "pattern": str,
    "by": str,
    "operation": str,
}
"""Columns of a table with their types; `Parameter.columns` fills them in."""

PARTS: dict[str, type] = {
    **dict.fromkeys(("size_bytes", "file_bytes", "class_bytes", "class_bytes_most"), int),
    **dict.fromkeys(("in_flight", "sector_bytes"), int),
    **dict.fromkeys(("key", "direction", "pattern", "by", "operation", "words"), str),
}
"""All parts of a parameter with their types; a frame with these columns needs no text."""

KEY_ALONE: Final = "x25519"
"""The kind of key that servers have which know no certificates."""

REST = "other"
"""What a published histogram calls all classes together that it does not name."""


class Parameter(BaseModel):
    """None is what the parameter does not have.

    `size_bytes` is the size of a packet, block or request, and `file_bytes` of a transferred file.
    `class_bytes` is the smallest size of a class of packets, and `class_bytes_most` the largest, if
    there is a limit.  `in_flight` is the number of requests kept in flight, `sector_bytes` the
    sector of an encrypted disk, and `key` the server's.  `by` is the program that fetched a file,
    if it is not the protocol's usual one.  `operation` is what was done once, on `size_bytes` where
    it has a size.  `words` are what a published figure says that nothing of ours is measured by.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    size_bytes: int | None = None
    """Size of the packet, block or request."""
    file_bytes: int | None = None
    """Size of the file."""
    class_bytes: int | None = None
    """Smallest size of a class of packets."""
    class_bytes_most: int | None = None
    """Largest size of the class; absent in the last one."""
    in_flight: int | None = None
    """Requests under way at once."""
    sector_bytes: int | None = None
    """Size of the sectors that dm-crypt encrypts."""
    key: str | None = None
    """Key of the server."""
    direction: str | None = None
    """`encrypt`, `decrypt`."""
    pattern: str | None = None
    """How a disk was accessed."""
    by: str | None = None
    """What brought the file; absent where it is the protocol's usual way."""
    operation: str | None = None
    """What was done once: an algorithm, a system call, an access to memory."""
    words: str | None = None
    """Anything else that a published figure says."""

    @model_serializer(mode="wrap")
    def _leave_out_what_is_not_there(self, handler: SerializerFunctionWrapHandler) -> Any:
        said = handler(self)
        return {key: value for key, value in said.items() if value is not None}

    @property
    def text(self) -> str:
        """For people."""
        if self.operation is not None:
            size = "" if self.size_bytes is None else f", {self.size_bytes} B"
            return self.operation + size
        if self.class_bytes is not None:
            if self.class_bytes_most is None:
                return f"{self.class_bytes} B and more"
            return f"{self.class_bytes}-{self.class_bytes_most} B"
        if self.file_bytes is not None:
            return in_words(self.file_bytes) + (f", by {self.by}" if self.by else "")
        if self.size_bytes is None:
            return self.key or self.words or ""
        several = self.in_flight is not None and self.in_flight > 1
        if self.sector_bytes is not None:
            depth = f", depth {self.in_flight}" if several else ""
            return f"{in_words(self.size_bytes)}, sector {self.sector_bytes} B{depth}"
        return f"{self.size_bytes} B" + (f", {self.in_flight} in flight" if several else "")

    @property
    def size_text(self) -> str:
        """Only the size, for people."""
        return self.text.split(",")[0]

    @property
    def of_one_request(self) -> bool:
        """Whether it is a size and nothing else was varied: one request at a time, of any size."""
        return (
            self.size_bytes is not None
            and not (self.sector_bytes or self.operation)
            and self.in_flight in (None, 1)
        )

    @property
    def is_class(self) -> bool:
        """Whether it is a class of a histogram, or the rest of its classes."""
        return self.class_bytes is not None or self.words == REST

    @property
    def parts(self) -> dict[str, int | str | None]:
        """A value for each of `PARTS`."""
        return {name: getattr(self, name) for name in PARTS}

    @property
    def comparable(self) -> "Parameter":
        """The part that must be equal in two compared figures; empty for a file's size, which
        hardly matters to its rate.
        """
        return Parameter(by=self.by) if self.file_bytes is not None else self

    @property
    def key_bits(self) -> int | None:
        """The size of the key."""
        found = _KEY.fullmatch(self.key or "")
        return int(found[1]) if found else None

    @property
    def columns(self) -> dict[str, int | str | None]:
        """A value for each of `PARAMETER_COLUMNS`; the size comes from whichever part has one."""
        sizes = (self.size_bytes, self.file_bytes, self.class_bytes)
        own = {
            **dict(self),
            "size_bytes": next((size for size in sizes if size is not None), None),
            "size_bytes_most": self.class_bytes_most,
            "key_bits": self.key_bits,
        }
        return {name: own[name] for name in PARAMETER_COLUMNS}


def read_operation(text: str) -> Parameter:
    """What the text of a single operation says: `sha256, 8192 B`, `fork`."""
    found = _OPERATION.fullmatch(text)
    if found is None:
        return Parameter(words=text or None)
    return Parameter(operation=found[1], size_bytes=_whole(found[2]))


def operation_window(what: str, size: int | None) -> str:
    """What the window is called in which that operation was measured."""
    return what if size is None else f"{what}.{size}"


def in_words(size: int) -> str:
    """A size for people: `128 MiB`, or in bytes if that is not a whole number."""
    unit, factor = next((unit, each) for unit, each in _FACTORS.items() if size % each == 0)
    return f"{size // factor} {unit}"


def read_parameter(text: str) -> Parameter:
    """What a text says by itself; anything that is no size or key is kept as `words`."""
    if text == KEY_ALONE or _KEY.fullmatch(text):
        return Parameter(key=text)
    if found := _CLASS.fullmatch(text):
        return Parameter(class_bytes=int(found[1]), class_bytes_most=_whole(found[2]))
    if found := _SIZE.fullmatch(text):
        return Parameter(size_bytes=_bytes(found), in_flight=_whole(found[3]))
    if found := _FILE.fullmatch(text):
        return Parameter(size_bytes=_bytes(found), by=found[3])
    if found := _BLOCK.fullmatch(text):
        return Parameter(
            size_bytes=_bytes(found), in_flight=_whole(found[4]), sector_bytes=int(found[3])
        )
    return Parameter(words=text or None)


def _bytes(found: re.Match[str]) -> int:
    return int(found[1]) * _FACTORS[found[2]]


def _whole(digits: str | None) -> int | None:
    return int(digits) if digits else None


CONFIDENCE = 0.95
"""Of all intervals."""


@functools.cache
def t_quantile(freedom: float) -> float:
    """How many standard errors an interval of `CONFIDENCE` extends to either side.

    `freedom` are the degrees of freedom of Student's t distribution, one at the least.
    """
    # Not `scipy.stats`: it takes three times as long to load, and its tests warn of samples whose
    # values are all equal, as those of seeds often are.  With one seed no quantile is needed.
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + CONFIDENCE) / 2))


def t_tail(at: float, freedom: float) -> float:
    """How likely Student's t distribution is to give `at` or more."""
    from scipy.special import stdtr

    return float(stdtr(freedom, -at))


CONVERGED = 0.02
"""The largest uncertainty, as a share of the figure, of one that has converged."""

COLUMNS = (
    *("experiment", "protocol", "cipher", "mac", "implementation", "parameter"),
    *("metric", "unit", "value"),
)
"""Columns of a tidy row: the columns of a `figures.csv` of `published/`."""


class Figure(BaseModel):
    """One number of a cell.

    `workload` is what was run ("ping", "file-transfer"; the column `experiment` of tidy rows),
    `parameter` the value that was swept, `metric` the quantity, one of `model.metrics`.

    `uncertainty` is half of the 95 % interval of a figure that is the mean over a window, because a
    longer window would give another mean.  None for a figure that is exact for its seed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    workload: str
    """Measurement: `ping`, `file-transfer` …; the column `experiment` of tables."""
    protocol: str
    """Protocol of the cell."""
    cipher: str
    """Cipher of the cell."""
    mac: str
    """MAC of the cell."""
    implementation: str
    """Implementation of the cell."""
    parameter: Parameter
    """Swept values, such as a size or a key."""
    metric: str
    """[quantity](figures.md)."""
    value: float
    """The figure, in the unit of its metric."""
    uncertainty: float | None = None
    """Half the width of the figure's 95 % interval; absent if the figure is exact for its seed."""

    @property
    def unit(self) -> str:
        """The metric's."""
        return unit_of(self.metric)

    @property
    def converged(self) -> bool:
        """Whether the uncertainty, if there is any, is small."""
        return self.uncertainty is None or self.uncertainty <= CONVERGED * abs(self.value)

    @property
    def row(self) -> dict[str, Any]:
        """As a tidy row, with `COLUMNS`."""
        return {
            "experiment": self.workload,
            "protocol": self.protocol,
            "cipher": self.cipher,
            "mac": self.mac,
            "implementation": self.implementation,
            "parameter": self.parameter.text,
            "metric": self.metric,
            "unit": self.unit,
            "value": self.value,
        }

    @field_validator("metric")
    @classmethod
    def _is_known(cls, metric: str) -> str:
        unit_of(metric)
        return metric

    @model_serializer(mode="wrap")
    def _leave_out_what_is_not_there(self, handler: SerializerFunctionWrapHandler) -> Any:
        """The uncertainty of a figure that is exact."""
        said = handler(self)
        return {key: value for key, value in said.items() if value is not None}
