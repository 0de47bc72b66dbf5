# SPDX-License-Identifier: Apache-2.0
"""A record: what was observed of one cell, and the inputs that it is addressed by.

A record is a pure function of its inputs: it holds no time of day, no host and no path, so the same
cell measured anywhere gives the same bytes.  Its file describes the measurement with its boards and
products (`RecordFile`); a second file has the observations (`store.observations`).  Figures are
derived from observations, and no permanent file contains them.

The store knows no parser.  Whoever knows them (`firesteel.table`) gives them to all stores by
`use`, or to one as an argument.  Parsers have a version.  So a mended parser derives figures again
from the observations, without another measurement.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Protocol

from pydantic import ValidationInfo, field_validator

from firesteel.base.envelope import Kind, digest
from firesteel.base.errors import FiresteelError
from firesteel.base.toml import Table
from firesteel.boards.result import TopologyRun
from firesteel.build.artifacts import LIBCRYPTO_PACKAGE, LIBCRYPTOS, Libcrypto
from firesteel.model.cell import Cell
from firesteel.model.figure import Figure
from firesteel.store.setup import Setup

FORMAT = 2
"""The version of the record's format that this code writes and reads."""

_KIND = Kind("record", FORMAT, "`firesteel run` measures its cell again and replaces it")


class Derived(Table):
    """Figures of a cell, in a fixed order.  `proof` has counters by name, which show that the work
    went the intended way (through the tunnel, by the cores or not).
    """

    figures: tuple[Figure, ...]
    proof: dict[str, int]


class Parsers(Protocol):
    """What derives figures."""

    @property
    def version(self) -> str:
        """A hash of all that figures depend on, except the observations."""

    def derive(self, cell: Cell, run: TopologyRun) -> Derived:
        """What the observations of a cell say; `CellFailure` when they show that it went wrong."""


_used: list[Parsers] = []


def use(parsers: Parsers) -> None:
    """Makes these the parsers of all stores that are given no others."""
    _used[:] = [parsers]


def used() -> Parsers:
    """The parsers of stores that are given no others."""
    if not _used:
        raise RuntimeError("no parsers: import firesteel.table first")
    return _used[0]


class Versions(Table):
    """Hashes of everything that a measurement depends on, except the seed."""

    qemu: str
    """Source, patches, devices and build recipe of QEMU."""
    kernel: str
    """The guest's kernel."""
    image: str
    """The guest's packages and everything added to them."""
    boards: str
    """Topology and profiles."""
    commands: str
    """The emulator's command line for every node, without paths and seeds."""
    jobs: str
    """The job of each node; in hardware cells, also the driver and the provider."""

    def differing(self, other: "Versions") -> dict[str, tuple[str, str]]:
        """The hashes that are not the same, by name: its own, and the other's."""
        return {
            name: (getattr(self, name), getattr(other, name))
            for name in Versions.model_fields
            if getattr(self, name) != getattr(other, name)
        }


class Inputs(Table):
    """A cell and the versions of all that it is measured with."""

    cell: Cell
    """The cell for which the record was first measured."""
    versions: Versions
    """SHA-256 of everything else that the measurement depended on."""

    @property
    def key(self) -> str:
        """The address of the cell's record: hex SHA-256 of all that the measurement depends on, and
        of the record's format.

        The other parts of the cell decide which figures are derived, and do not affect boards.
        """
        versions = self.versions.model_dump(mode="json")
        return digest({"format": FORMAT, "seed": self.cell.seed, "versions": versions})


class RecordFile(Inputs):
    """The file of a record."""

    setup: Setup
    """Boards and links on which the cell was measured."""
    trace: str
    """SHA-256 of all frames of all nodes with their virtual times."""
    observed: str
    """SHA-256 of the observations, unpacked."""
    packages: dict[str, str]
    """Packages of the nodes' systems with their versions; `NAME:ARCHITECTURE` where nodes have
    several architectures.
    """

    @field_validator("packages")
    @classmethod
    def _of_own_nodes(cls, packages: dict[str, str], info: ValidationInfo) -> dict[str, str]:
        """Of packages of all of a run's boards, those of the record's own, so that the same cell
        has the same record in every run.
        """
        setup = info.data.get("setup")
        return own_packages(packages, setup.architectures) if setup else packages

    @property
    def outcome(self) -> str:
        """Hex SHA-256 of what boards handed out and sent, and of all that they were given, but for
        the build of the emulator.

        Two records that share it show that two builds did the same to the byte.
        """
        versions = self.versions.model_dump(mode="json", exclude={"qemu"})
        came = {"observed": self.observed, "trace": self.trace}
        return digest({"seed": self.cell.seed, "versions": versions} | came)

    def to_json(self) -> str:
        """The file, to the byte."""
        return _KIND.sealed(self)

    @staticmethod
    def from_json(key: str, text: str, where: str) -> "RecordFile":
        """What the file of the record of that address says, read from `where`.

        Raises `FiresteelError` when it is damaged, of another address, or of another format.
        """
        file = _KIND.validate(_KIND.unsealed(text, where), RecordFile, where)
        if file.key != key:
            raise FiresteelError(f"{where}: this record belongs to another address; remove it.")
        return file

    def record(self, cell: Cell, derived: Derived) -> "Record":
        """The record for a cell, with the figures derived for it."""
        return Record(**dict(self) | dict(derived) | {"cell": cell})


class Record(RecordFile, Derived):
    """The content of a record's file, and the figures that its observations give for `cell`."""

    @property
    def stands(self) -> bool:
        """Whether it stands for its cell: it was measured on other boards, which differ in what
        this cell does not use.
        """
        return not self.setup.is_of(self.cell)

    def on(self, setup: Setup) -> "Record":
        """The same as if it had been measured on these boards."""
        return self.model_copy(update={"setup": setup})


def first_difference(stored: Record, fresh: Record) -> str:
    """The first figure, or else the first of the rest, in which two records differ."""
    before, after = (
        {
            f"{of.workload} {of.parameter.text} {of.metric} ({of.unit})": of.value
            for of in each.figures
        }
        for each in (stored, fresh)
    )
    if before == after and list(before) != list(after):
        return "the order of the figures"
    kinds: tuple[tuple[str, Mapping[str, object], Mapping[str, object]], ...] = (
        ("{}", before, after),
        ("the counter {}", stored.proof, fresh.proof),
        ("the package {}", stored.packages, fresh.packages),
        ("the digest of {}", {"all frames": stored.trace}, {"all frames": fresh.trace}),
    )
    for what, one, other in kinds:
        for name in (*one, *other) if one is before else sorted(one.keys() | other.keys()):
            if one.get(name) != other.get(name):
                was, comes = (each.get(name, "missing") for each in (one, other))
                return f"{what.format(name)} is {was} in the record and {comes} here"
    return "what the boards handed out"


def own_packages(packages: Mapping[str, str], architectures: Collection[str]) -> dict[str, str]:
    """A run's packages that boards of those architectures have; without the architecture in their
    names if there is one.
    """
    foreign = {
        name for name in packages if ":" in name and name.partition(":")[2] not in architectures
    }
    own = {name: version for name, version in packages.items() if name not in foreign}
    return {bare(name): own[name] for name in own} if len(architectures) == 1 else own


def bare(package: str) -> str:
    """A package's name without an architecture."""
    return package.partition(":")[0]


_WITH = " with "
"""Between the version and the name of a libcrypto of ours.  Versions have no spaces."""


def marked(packages: Mapping[str, str], version: str, built: Libcrypto) -> dict[str, str]:
    """A package list with the built libcrypto and its version, which cells do not name."""
    return {**packages, LIBCRYPTO_PACKAGE: f"{version}{_WITH}{built}"}


def libcrypto_versions(record: Record) -> list[str]:
    """The versions of libcrypto that a record names, of each architecture."""
    names = (name for name in sorted(record.packages) if bare(name) == LIBCRYPTO_PACKAGE)
    return [record.packages[name] for name in names]


def libcrypto_of(records: Iterable[Record]) -> Libcrypto | None:
    """The libcrypto of a run's records; none for Debian 13's own."""
    versions = (version for record in records for version in libcrypto_versions(record))
    names = {version.partition(_WITH)[2] for version in versions if _WITH in version}
    for name in names - set(LIBCRYPTOS):
        raise FiresteelError(
            f'A record was measured with a libcrypto "{name}", which this version does not know; '
            f"allowed are {', '.join(LIBCRYPTOS)}."
        )
    return next((each for each in LIBCRYPTOS if each in names), None)
