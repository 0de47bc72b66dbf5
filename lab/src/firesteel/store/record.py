# SPDX-License-Identifier: Apache-2.0
"""A record: the immutable result of one cell, and the inputs that it is addressed by.

A record is a pure function of its inputs: it holds no time of day, no host and no path, so the
same cell measured anywhere gives the same bytes.  Its file is JSON with sorted keys; `digest`
covers all the rest, so that damage is noticed.
"""

import hashlib
import json
from typing import Any

from pydantic import BaseModel, ConfigDict

from firesteel.base.envelope import Kind
from firesteel.model.cell import Cell
from firesteel.model.figure import Figure
from firesteel.store.setup import Setup

FORMAT = 1
"""The version of the record's format that this code writes and reads."""

_KIND = Kind("record", FORMAT, "`firesteel run` measures its cell again and replaces it")


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Versions(_Part):
    """Hashes of everything that a cell's figures depend on besides the cell itself.

    `boards` covers the topology and its profiles (`topology_digest`), `jobs` what every node is
    told to do, `lab` the code that runs boards and reads figures from their logs.
    """

    qemu: str
    kernel: str
    image: str
    boards: str
    jobs: str
    lab: str

    def differing(self, other: "Versions") -> dict[str, tuple[str, str]]:
        """The hashes that are not the same, by name: its own, and the other's."""
        return {
            name: (getattr(self, name), getattr(other, name))
            for name in Versions.model_fields
            if getattr(self, name) != getattr(other, name)
        }


class Inputs(_Part):
    """A cell and the versions of all that it is measured with."""

    cell: Cell
    versions: Versions

    @property
    def key(self) -> str:
        """The address of the cell's record: hex SHA-256 of the inputs and the record's format."""
        return digest({"format": FORMAT, "inputs": self.model_dump(mode="json")})


class Measurement(_Part):
    """What a cell gave.

    `proof` are the counters which show that the work went the way it was meant to (through the
    tunnel, by the cores or not), by name; `trace` is the digest of the lockstep trace (hex
    SHA-256).  `setup` is what it was measured on; none in records that were made before it was
    kept.
    """

    figures: tuple[Figure, ...]
    proof: dict[str, int]
    trace: str
    setup: Setup | None = None


class Record(_Part):
    """Inputs, what was measured, and the guest's package versions by name."""

    inputs: Inputs
    measurement: Measurement
    packages: dict[str, str]

    def to_json(self) -> str:
        """The record's file, to the byte."""
        content = {"format": FORMAT, **self.model_dump(mode="json")}
        content["digest"] = digest(content)
        return json.dumps(content, sort_keys=True, indent=1, ensure_ascii=False) + "\n"

    @staticmethod
    def from_json(text: str, where: str) -> "Record":
        """The record in `text`, read from `where`.

        Raises `FiresteelError` when it is damaged or was written by a newer Firesteel.
        """
        content = _KIND.load(text, where)
        claimed = content.pop("digest", None)
        if claimed != digest(content):
            raise _KIND.damaged(where, "its digest does not match its content")
        return _KIND.validate(content, Record, where)


def digest(content: Any) -> str:
    """Hex SHA-256 of a JSON value, whatever the order of its keys."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    # A damaged file may have half a character, which is as good as any other byte that is wrong.
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
