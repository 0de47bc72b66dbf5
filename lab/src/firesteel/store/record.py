# SPDX-License-Identifier: Apache-2.0
"""A record: what was observed of one cell, and the inputs that it is addressed by.

A record is a pure function of its inputs: it holds no time of day, no host and no path, so the
same cell measured anywhere gives the same bytes.  Its file says what was measured with what on
which boards (`store.record_file`); what they handed out is in a file beside it
(`store.observations`).  Figures are derived from that (`store.derived`), and no file that must be
kept has them.
"""

from pydantic import BaseModel, ConfigDict

from firesteel.base.envelope import digest
from firesteel.model.figure import Figure
from firesteel.store.setup import Setup
from firesteel.workloads.registry import KnownCell

FORMAT = 2
"""The version of the record's format that this code writes."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Versions(_Part):
    """Hashes of everything that a measurement depends on besides the seed.

    `boards` covers the topology and its profiles (`topology_digest`), `commands` the emulator's
    command line for every node, without paths and seeds, and `jobs` what every node is sent.
    """

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

    cell: KnownCell
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
    SHA-256).  `setup` is what it was measured on; none in records that were made before it was
    kept.
    """

    figures: tuple[Figure, ...]
    proof: dict[str, int]
    trace: str
    setup: Setup | None = None


class Record(_Part):
    """Inputs, what was measured, and the guest's package versions by name.

    `observed` is the digest of the observations.  Records that were made before these were kept
    have none, and are at an `address` that does not follow from the inputs.
    """

    inputs: Inputs
    measurement: Measurement
    packages: dict[str, str]
    observed: str = ""
    address: str = ""

    @property
    def key(self) -> str:
        """Where the store has it."""
        return self.address or self.inputs.key

    @property
    def stands(self) -> bool:
        """Whether it stands for its cell: it was measured on other boards, which differ in what
        this cell does not use.
        """
        setup = self.measurement.setup
        return setup is not None and not setup.is_of(self.inputs.cell)
