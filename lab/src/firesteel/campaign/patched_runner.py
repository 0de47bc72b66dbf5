# SPDX-License-Identifier: Apache-2.0
"""Measuring cells with a patched libcrypto on the measured node.

The library is laid over the image with the node's job, so that it counts for the record's address.
`BoardRunner` knows nothing of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from firesteel.board.catalog import Catalog
from firesteel.board.job import Job, JobFile
from firesteel.board.run import RunBoards, run_topology
from firesteel.build.cache import key_of, tree_digest
from firesteel.campaign.board_runner import BoardRunner
from firesteel.model.cell import Cell
from firesteel.store.libcrypto import Libcrypto, marked
from firesteel.store.record import Inputs


def board_runner(
    catalog: Catalog, patch: Libcrypto | None, boards: RunBoards = run_topology
) -> BoardRunner:
    """What measures cells, with Debian's libcrypto or a patched one; `boards` runs them."""
    return PatchedRunner(catalog, patch, boards) if patch else BoardRunner(catalog, boards)


class PatchedRunner(BoardRunner):
    """A runner whose measured nodes have the patched library in the place of Debian's."""

    def __init__(
        self, catalog: Catalog, patch: Libcrypto, boards: RunBoards = run_topology
    ) -> None:
        super().__init__(catalog, boards)
        self._patch = patch

    def prepare(self, cells: Sequence[Cell]) -> None:
        """As a `BoardRunner` does; builds the library too."""
        super().prepare(cells)
        for name in {cell.model_dump_json() for cell in cells}:
            prepared = self._prepared[name]
            cell = prepared.inputs.cell
            built = prepared.built[cell.measured]
            ((place, library),) = built.libcrypto.by_guest_path().items()
            self._prepared[name] = replace(
                prepared,
                jobs=with_library(cell, prepared.jobs, place, JobFile(library.read_bytes())),
                inputs=inputs_with(prepared.inputs, place, tree_digest(library)),
            )

    def packages(self) -> dict[str, str]:
        """The guest's package versions, with the patch."""
        return marked(super().packages(), self._patch)


def with_library(
    cell: Cell, by_node: Mapping[str, Job], place: str, library: JobFile
) -> dict[str, Job]:
    """The cell's jobs, that of the measured node with the library in its place."""
    job = by_node[cell.measured]
    return {**by_node, cell.measured: Job(job.files | {place: library})}


def inputs_with(inputs: Inputs, place: str, library: str) -> Inputs:
    """A cell's inputs with the library of that digest among what its nodes are given."""
    jobs = key_of({"jobs": inputs.versions.jobs, place: library})
    return Inputs(cell=inputs.cell, versions=inputs.versions.model_copy(update={"jobs": jobs}))
