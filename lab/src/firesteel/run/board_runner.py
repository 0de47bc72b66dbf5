# SPDX-License-Identifier: Apache-2.0
"""Measuring cells on virtual boards, with Debian 13's libcrypto or a replacement.

That library is laid over the image with the measured node's job, so that it counts for the
record's address.

A node without a driver for its cores does not access their registers, so their times do not matter
to it (`workloads.overlay.nodes_with_cores`).  A sweep of the cores' numbers therefore measures a
cell in software once, and its record serves for all points (`EquivalenceRunner`).
"""

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from firesteel.architectures.architecture import Architecture
from firesteel.base.errors import FiresteelError
from firesteel.boards.catalog import Catalog, at_point, origin_of
from firesteel.boards.command import BoardProducts, Profiling, commands_digest
from firesteel.boards.job import Job, JobFile, job_archive, job_file
from firesteel.boards.numbers import Path as NumberPath
from firesteel.boards.profile import Profile
from firesteel.boards.real import is_real
from firesteel.boards.result import TopologyRun
from firesteel.boards.run import RunBoards, RunCancelled, run_topology
from firesteel.boards.topology import topology_digest
from firesteel.build.artifacts import (
    LIBCRYPTOS,
    NEWER,
    ArtifactSource,
    Libcrypto,
    libcrypto_artifact,
)
from firesteel.build.cache import key_of, tree_digest
from firesteel.build.products import artifact_source
from firesteel.model.cell import Cell
from firesteel.protocols.openssl import OPENSSL
from firesteel.protocols.site import Site, site_of
from firesteel.run.loop import Cancelled, Runner
from firesteel.store.record import Inputs, Versions, marked
from firesteel.workloads.cells import (
    cell_jobs,
    nodes_with_cores,
    with_driver,
    with_modules,
    with_programs,
    with_provider,
)

_LONGEST_SECONDS = 3600.0
"""Wall time after which a cell has failed; a full transfer through OpenVPN takes
many minutes on two busy cores, and a false failure costs more than a late one."""


@dataclass(frozen=True)
class _Prepared:
    """What a cell is run with, read from the checkout once, so that its hashes are of just that."""

    site: Site
    jobs: dict[str, Job]
    built: dict[str, ArtifactSource]
    inputs: Inputs


class BoardRunner:
    """Runs each cell once on the boards of its topology; builds QEMU and image at first need."""

    def __init__(
        self, catalog: Catalog, libcrypto: Libcrypto | None = None, boards: RunBoards = run_topology
    ) -> None:
        """Measured nodes have that libcrypto, if one is named; `boards` runs them: here, or
        on other machines.
        """
        self._catalog = catalog
        self._libcrypto = libcrypto
        self._boards = boards
        self._built: dict[str, ArtifactSource] = {}
        self._prepared: dict[str, _Prepared] = {}
        self._files: dict[JobFile, JobFile] = {}
        """Those of all jobs, each once: of many cells nearly all have the same."""
        self._digests: dict[frozenset[tuple[str, frozenset[tuple[str, JobFile]]]], str] = {}
        """Of the jobs of all nodes: cells that differ in their boards alone have the same."""

    def prepare(self, cells: Sequence[Cell]) -> None:
        """Works out what every cell is run with, and builds QEMU and the image.

        What cannot work is refused first: building takes long.
        """
        sites = [site_of(cell, self._catalog) for cell in cells]
        for board in (name for cell in cells for name in cell.profiles.values()):
            if is_real(board):
                raise FiresteelError(
                    f"{board} is a real machine, which only `firesteel run` measures."
                )
        for cell, site in zip(cells, sites, strict=True):
            self._check_libcrypto(cell, site)
        told = [
            self._shared(cell_jobs(cell, site)) for cell, site in zip(cells, sites, strict=True)
        ]
        self._built = {}

        @cache  # Of many cells nearly all have the same.
        def driver(source: ArtifactSource) -> bytes:
            return source.driver().read_bytes()

        for cell, site, by_node in zip(cells, sites, told, strict=True):
            built = {node: self._built_for(each) for node, each in site.profiles.items()}
            drivers = {node: driver(built[node]) for node in nodes_with_cores(cell, site)}
            by_node = with_driver(by_node, drivers)
            by_node = with_provider(cell, site, by_node, built)
            by_node = with_modules(by_node, site.profiles, built)
            by_node = self._shared(with_programs(cell, by_node, built))
            jobs = self._digest_of(by_node)
            if self._libcrypto:
                own = built[cell.measured]
                by_node, jobs = with_library(cell, by_node, jobs, own, self._libcrypto)
            every = {each.architecture.name: each for each in built.values()}
            versions = Versions(
                qemu=built[cell.measured].artifact("qemu").key,
                kernel=_together({name: each.image().kernel_key for name, each in every.items()}),
                image=_together({name: each.image().key for name, each in every.items()}),
                boards=topology_digest(site.topology, site.profiles),
                jobs=jobs,
                commands=commands_digest(site.topology, site.profiles),
            )
            inputs = Inputs(cell=cell, versions=versions)
            self._prepared[_name(cell)] = _Prepared(site, by_node, built, inputs)

    def _check_libcrypto(self, cell: Cell, site: Site) -> None:
        own = site.profiles[cell.measured].architecture
        if self._libcrypto in own.lacks:
            allowed = ", ".join(each for each in LIBCRYPTOS if each not in own.lacks)
            raise FiresteelError(
                f"Cell {cell.label}: the board `{cell.profiles[cell.measured]}` is {own.name}, for "
                f"which there is no libcrypto `{self._libcrypto}`; allowed are {allowed}."
            )
        newer = NEWER.get(self._libcrypto or "")
        if newer and not newer.for_programs and (cell.protocol != OPENSSL.name or cell.on_cores):
            raise FiresteelError(
                f"Cell {cell.label}: only the program `openssl` loads the libcrypto "
                f"`{self._libcrypto}`; allowed is the protocol `{OPENSSL.name}` in software."
            )

    def _built_for(self, profile: Profile) -> ArtifactSource:
        architecture = profile.architecture
        if architecture.name not in self._built:
            self._built[architecture.name] = artifact_source(architecture)
        return self._built[architecture.name]

    def _shared(self, by_node: Mapping[str, Job]) -> dict[str, Job]:
        """The same jobs, with files that those of other cells may have, too."""
        once = self._files.setdefault
        return {
            node: Job({path: once(file, file) for path, file in job.files.items()})
            for node, job in by_node.items()
        }

    def _digest_of(self, by_node: Mapping[str, Job]) -> str:
        files = frozenset((node, frozenset(job.files.items())) for node, job in by_node.items())
        if files not in self._digests:
            self._digests[files] = jobs_digest(by_node)
        return self._digests[files]

    def inputs(self, cell: Cell) -> Inputs:
        """The cell, and the hashes of QEMU, kernel, image, boards, commands and jobs."""
        return self._prepared[_name(cell)].inputs

    def packages(self) -> dict[str, str]:
        """The guests' package versions, with our libcrypto; by `NAME:ARCHITECTURE` if boards have
        several architectures.
        """
        found = {name: self._packages_of(built) for name, built in self._built.items()}
        if len(found) == 1:
            return next(iter(found.values()))
        return {
            f"{package}:{name}": version
            for name, packages in found.items()
            for package, version in packages.items()
        }

    def _packages_of(self, built: ArtifactSource) -> dict[str, str]:
        found = _packages(built)
        if self._libcrypto is None:
            return found
        artifact = built.artifact(libcrypto_artifact(self._libcrypto))
        return marked(found, artifact.version, self._libcrypto)

    def measure(self, cell: Cell, logs: Path, cancel: threading.Event) -> TopologyRun:
        """Boots the boards with the cell's jobs and collects what they log."""
        return self._run(cell, logs, cancel, None)

    def profile(
        self, cell: Cell, logs: Path, cancel: threading.Event, profiling: Profiling
    ) -> TopologyRun:
        """As `measure`, with a profile in the node's directory below `logs`/run."""
        return self._run(cell, logs, cancel, profiling)

    def archives(self, cell: Cell) -> tuple[Path, bytes]:
        """What the measured node's file tree is unpacked from: the image's archive, and its job's
        behind it.
        """
        prepared = self._prepared[_name(cell)]
        image = prepared.built[cell.measured].image()
        return image.initramfs, job_archive(prepared.jobs[cell.measured])

    def kernel(self, cell: Cell) -> Path:
        """The kernel that the measured node starts, in U-Boot's format."""
        return self._prepared[_name(cell)].built[cell.measured].image().kernel

    def architecture(self, cell: Cell) -> Architecture:
        """The measured node's."""
        return self._prepared[_name(cell)].built[cell.measured].architecture

    def _run(
        self, cell: Cell, logs: Path, cancel: threading.Event, profiling: Profiling | None
    ) -> TopologyRun:
        prepared = self._prepared[_name(cell)]
        try:
            return self._boards(
                prepared.site.topology,
                prepared.jobs,
                boards={node: BoardProducts.of(built) for node, built in prepared.built.items()},
                profiles=prepared.site.profiles,
                seed=cell.seed,
                workdir=logs,
                timeout=_LONGEST_SECONDS,
                cancel=cancel,
                keep=logs / "run",
                profiling=profiling,
            )
        except RunCancelled:
            raise Cancelled from None


def measured_for(cell: Cell, catalog: Catalog) -> Cell:
    """What is measured for a cell: itself, without numbers of cores that it does not use."""
    base, point = origin_of(cell, catalog)
    of_cores = {path: of for path in point if (of := NumberPath.of(path)).on_cores}
    if not of_cores:
        return cell
    using = nodes_with_cores(base, site_of(base, catalog))
    idle = {path for path, of in of_cores.items() if (of.node or cell.measured) not in using}
    kept = {path: value for path, value in point.items() if path not in idle}
    return at_point(base, kept, catalog) if idle else cell


class EquivalenceRunner:
    """Another runner, which measures a cell once for all that it stands for."""

    def __init__(self, runner: Runner, catalog: Catalog) -> None:
        self._runner = runner
        self._catalog = catalog
        self._measured: dict[str, Cell] = {}

    def prepare(self, cells: Sequence[Cell]) -> None:
        """Makes ready all that is measured for these cells."""
        new = {name: cell for cell in cells if (name := _name(cell)) not in self._measured}
        for name, cell in new.items():
            self._measured[name] = measured_for(cell, self._catalog)
        needed = {_name(each): each for each in map(self._measured.__getitem__, new)}
        if needed:
            self._runner.prepare(list(needed.values()))

    def inputs(self, cell: Cell) -> Inputs:
        """What is measured for the cell, with what."""
        return self._runner.inputs(self._stands_for(cell))

    def packages(self) -> dict[str, str]:
        """The guest's package versions, by package name."""
        return self._runner.packages()

    def measure(self, cell: Cell, logs: Path, cancel: threading.Event) -> TopologyRun:
        """Runs once what is measured for the cell."""
        return self._runner.measure(self._stands_for(cell), logs, cancel)

    def _stands_for(self, cell: Cell) -> Cell:
        return self._measured.get(_name(cell), cell)


def with_library(
    cell: Cell, by_node: Mapping[str, Job], jobs: str, built: ArtifactSource, name: Libcrypto
) -> tuple[dict[str, Job], str]:
    """The cell's jobs and their digest; the measured node's job has this libcrypto instead of
    Debian's.  `jobs` is the digest without it.
    """
    artifact = built.artifact(libcrypto_artifact(name))
    files = artifact.by_guest_path()
    if name not in NEWER:
        place = f"{built.architecture.libraries}/libcrypto.so.3"
        files = {place: artifact.directory / f"{name}.so"}
    laid = {place: job_file(path) for place, path in files.items()}
    own = Job(by_node[cell.measured].files | laid)
    digest = key_of({"jobs": jobs, **{place: tree_digest(path) for place, path in files.items()}})
    return {**by_node, cell.measured: own}, digest


def _together(keys: Mapping[str, str]) -> str:
    """One key for those of several architectures (name → key): its own where there is one."""
    return next(iter(keys.values())) if len(keys) == 1 else key_of(dict(keys))


def _packages(source: ArtifactSource) -> dict[str, str]:
    """The guest's package versions, from the image's manifest."""
    manifest: dict[str, str] = json.loads(source.image().manifest.read_text(encoding="utf-8"))
    return manifest


def _name(cell: Cell) -> str:
    return cell.model_dump_json()


def jobs_digest(by_node: Mapping[str, Job]) -> str:
    """Digest of the jobs of all nodes."""
    digest = hashlib.sha256()
    for node in sorted(by_node):
        archive = job_archive(by_node[node])
        digest.update(f"{node} {len(archive)}\n".encode() + archive)
    return digest.hexdigest()
