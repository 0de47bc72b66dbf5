# SPDX-License-Identifier: Apache-2.0
"""The file of a record: what was measured with what, on which boards."""

from pydantic import BaseModel, ConfigDict

from firesteel.base.envelope import Kind, format_of
from firesteel.base.errors import FiresteelError
from firesteel.model.cell import Cell
from firesteel.store import first_format
from firesteel.store.derived import Derived
from firesteel.store.record import FORMAT, Inputs, Measurement, Record, Versions
from firesteel.store.setup import Setup

_KIND = Kind("record", FORMAT, "`firesteel run` measures its cell again and replaces it")


class RecordFile(BaseModel):
    """The file.  `cell` is the one that it was first measured for, `observed` the digest of its
    observations, `trace` that of the lockstep trace, and `packages` are the guest's versions.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

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

    def record(self, cell: Cell, derived: Derived) -> Record:
        """The record as that of a cell, with what was derived for it."""
        measurement = Measurement(
            figures=derived.figures, proof=derived.proof, trace=self.trace, setup=self.setup
        )
        return Record(
            inputs=Inputs(cell=cell, versions=self.versions),
            measurement=measurement,
            packages=self.packages,
            observed=self.observed,
        )


def read_file(key: str, text: str, where: str) -> RecordFile | Record:
    """What the file of the record of that address says, read from `where`; one of the first format
    is a whole record.

    Raises `FiresteelError` when it is damaged, of another address, or was written by a newer
    Firesteel.
    """
    if format_of(text) == first_format.FORMAT:
        address, record = first_format.read(text, where)
        _check_address(key, address, where)
        return record
    file = _KIND.validate(_KIND.unsealed(text, where), RecordFile, where)
    _check_address(key, file.inputs.key, where)
    return file


def damaged_observations(where: str, why: str) -> FiresteelError:
    """What is said of observations that are damaged or gone."""
    return FiresteelError(
        f"{where}: the observations of a record are {why}; `firesteel run` measures its cell again "
        "and replaces them."
    )


def _check_address(wanted: str, found: str, where: str) -> None:
    if found != wanted:
        raise FiresteelError(f"{where}: this record belongs to another address; remove it.")
