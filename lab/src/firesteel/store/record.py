# SPDX-License-Identifier: Apache-2.0
"""A record: what was observed of one cell, and the inputs that it is addressed by.

A record is a pure function of its inputs: it holds no time of day, no host and no path, so the
same cell measured anywhere gives the same bytes.  Its file says what was measured with what on
which boards (`RecordFile`); what they handed out is in a file beside it (`store.observations`).
Figures are derived from that (`store.derived`), and no file that must be kept has them.
"""

from pydantic import BaseModel, ConfigDict

from firesteel.base.envelope import Kind, digest
from firesteel.base.errors import FiresteelError
from firesteel.model.cell import Cell
from firesteel.model.figure import Figure
from firesteel.store.derived import Derived
from firesteel.store.setup import Setup

FORMAT = 2
"""The version of the record's format that this code writes and reads."""

_KIND = Kind("record", FORMAT, "`firesteel run` measures its cell again and replaces it")


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Versions(_Part):
    """Hashes of everything that a measurement depends on besides the seed."""

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
    """The job of each node; in hardware with the driver and the provider."""

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
        """The address of the cell's record: hex SHA-256 of all that the measurement depends on, and
        of the record's format.

        What else the cell says decides what figures are made of it, not what boards do.
        """
        versions = self.versions.model_dump(mode="json")
        return digest({"format": FORMAT, "seed": self.cell.seed, "versions": versions})


class Measurement(_Part):
    """What a cell gave.

    `proof` are the counters which show that the work went the way it was meant to (through the
    tunnel, by the cores or not), by name; `trace` is the digest of the lockstep trace (hex
    SHA-256).  `setup` is what it was measured on.
    """

    figures: tuple[Figure, ...]
    proof: dict[str, int]
    trace: str
    setup: Setup | None = None


class Record(_Part):
    """Inputs, what was measured, and the guest's package versions by name; `observed` is the digest
    of the observations.
    """

    inputs: Inputs
    measurement: Measurement
    packages: dict[str, str]
    observed: str = ""

    @property
    def key(self) -> str:
        """Where the store has it."""
        return self.inputs.key

    @property
    def stands(self) -> bool:
        """Whether it stands for its cell: it was measured on other boards, which differ in what
        this cell does not use.
        """
        setup = self.measurement.setup
        return setup is not None and not setup.is_of(self.inputs.cell)

    def on(self, setup: Setup) -> "Record":
        """The same as if it had been measured on these boards."""
        measurement = self.measurement.model_copy(update={"setup": setup})
        return self.model_copy(update={"measurement": measurement})


class RecordFile(_Part):
    """The file of a record."""

    cell: Cell
    """The cell that it was first measured for."""
    versions: Versions
    """SHA-256 of everything else that the measurement depended on."""
    setup: Setup
    """Boards and links that the cell was measured on."""
    trace: str
    """SHA-256 of all frames of all nodes with their virtual times."""
    observed: str
    """SHA-256 of the observations, unpacked."""
    packages: dict[str, str]
    """Packages of the guest with their versions."""

    @property
    def inputs(self) -> Inputs:
        """What it is addressed by."""
        return Inputs(cell=self.cell, versions=self.versions)

    def to_json(self) -> str:
        """The file, to the byte."""
        return _KIND.sealed(self)

    @staticmethod
    def from_json(key: str, text: str, where: str) -> "RecordFile":
        """What the file of the record of that address says, read from `where`.

        Raises `FiresteelError` when it is damaged, of another address, or of another format.
        """
        file = _KIND.validate(_KIND.unsealed(text, where), RecordFile, where)
        if file.inputs.key != key:
            raise FiresteelError(f"{where}: this record belongs to another address; remove it.")
        return file

    def record(self, cell: Cell, derived: Derived) -> Record:
        """The record as that of a cell, with what was derived for it."""
        return Record(
            inputs=Inputs(cell=cell, versions=self.versions),
            measurement=Measurement(
                figures=derived.figures, proof=derived.proof, trace=self.trace, setup=self.setup
            ),
            packages=self.packages,
            observed=self.observed,
        )


def first_difference(stored: Record, fresh: Record) -> str:
    """The first figure, or else the first of the rest, in which two records differ."""
    before = {_name(figure): figure.value for figure in stored.measurement.figures}
    after = {_name(figure): figure.value for figure in fresh.measurement.figures}
    for name in (*before, *after):
        if before.get(name) != after.get(name):
            return _values(name, before.get(name), after.get(name))
    if list(before) != list(after):
        return "the order of the figures"
    for what, one, other in (
        ("the counter {}", stored.measurement.proof, fresh.measurement.proof),
        ("the package {}", stored.packages, fresh.packages),
    ):
        for name in sorted(one.keys() | other.keys()):
            if one.get(name) != other.get(name):
                return _values(what.format(name), one.get(name), other.get(name))
    if stored.measurement.trace != fresh.measurement.trace:
        traces = (stored.measurement.trace, fresh.measurement.trace)
        return _values("the digest of all frames", *traces)
    return "what the boards handed out"


def _name(figure: Figure) -> str:
    return f"{figure.workload} {figure.parameter.text} {figure.metric} ({figure.unit})"


def _values(what: str, one: object, other: object) -> str:
    def told(value: object) -> object:
        return "missing" if value is None else value

    return f"{what} is {told(one)} in the record and {told(other)} here"
