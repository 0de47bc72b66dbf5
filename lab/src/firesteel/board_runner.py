# SPDX-License-Identifier: Apache-2.0
"""Measuring cells on virtual boards."""

import functools
import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from firesteel import jobs
from firesteel.board.command import BoardProducts
from firesteel.board.cpio import job_archive
from firesteel.board.job import Job
from firesteel.board.run import RunCancelled, run_topology
from firesteel.board.topology import Topology, load_profiles, load_topology, topology_digest
from firesteel.build.cache import tree_digest
from firesteel.build.image import Image
from firesteel.build.products import Products
from firesteel.build.qemu import Qemu
from firesteel.cell import Cell
from firesteel.record import Inputs, Measurement, Versions
from firesteel.runner import Cancelled

_LAB = Path(__file__).parent
_MEASURING = ("board", "jobs", "board_runner.py", "cell.py", "figure.py")
"""The code that figures depend on: it runs boards and reads their logs."""

_LONGEST_SECONDS = 3600.0
"""Wall time after which a cell has failed; the longest known take some minutes."""


class BoardRunner:
    """Runs each cell once on the boards of its topology; builds QEMU and image at first need."""

    def prepare(self, cells: Sequence[Cell]) -> None:
        """Builds QEMU and the image, and sees that every cell has its jobs."""
        for cell in cells:
            jobs.cell_jobs(cell)
        _ = self._qemu, self._image

    def inputs(self, cell: Cell) -> Inputs:
        """The cell, and the hashes of QEMU, kernel, image, boards, jobs and our code."""
        topology = _topology(cell)
        versions = Versions(
            qemu=self._qemu.key,
            kernel=self._image.kernel_key,
            image=self._image.key,
            boards=topology_digest(topology, load_profiles(topology)),
            jobs=_jobs_digest(jobs.cell_jobs(cell)),
            lab=_lab_digest(),
        )
        return Inputs(cell=cell, versions=versions)

    def packages(self) -> dict[str, str]:
        """The guest's package versions, from the image's manifest."""
        manifest: dict[str, str] = json.loads(self._image.manifest.read_text(encoding="utf-8"))
        return manifest

    def measure(self, cell: Cell, logs: Path, cancel: threading.Event) -> Measurement:
        """Boots the boards with the cell's jobs and reads the figures from what they log."""
        products = BoardProducts(self._qemu.binary, self._image.kernel, self._image.initramfs)
        try:
            run = run_topology(
                _topology(cell),
                jobs.cell_jobs(cell),
                boards=products,
                seed=cell.seed,
                workdir=logs,
                timeout=_LONGEST_SECONDS,
                cancel=cancel,
                keep=logs / "run",
            )
        except RunCancelled:
            raise Cancelled from None
        return Measurement(
            figures=tuple(jobs.cell_figures(cell, run)),
            proof=jobs.cell_proof(cell, run),
            trace=run.trace_digest,
        )

    @functools.cached_property
    def _products(self) -> Products:
        return Products()

    @functools.cached_property
    def _qemu(self) -> Qemu:
        return self._products.qemu()

    @functools.cached_property
    def _image(self) -> Image:
        return self._products.image()


def _topology(cell: Cell) -> Topology:
    return load_topology(cell.topology).override(profiles=cell.profiles)


def _jobs_digest(by_node: Mapping[str, Job]) -> str:
    digest = hashlib.sha256()
    for node in sorted(by_node):
        archive = job_archive(by_node[node])
        digest.update(f"{node} {len(archive)}\n".encode() + archive)
    return digest.hexdigest()


@functools.cache
def _lab_digest() -> str:
    return tree_digest(*(_LAB / name for name in _MEASURING))
