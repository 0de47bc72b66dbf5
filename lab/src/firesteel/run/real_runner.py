# SPDX-License-Identifier: Apache-2.0
"""Measuring cells on real machines, with the programs that these have.

Cells that cannot be measured there are refused before any measurement.  They would change more of a
machine than namespaces, need something that only boards have, or their machines lack something.

`OverSsh` replaces `run_topology`: `board/machine/run.sh` runs on each node's machine, where the job
has an overlay over the machine's files, and a separate network with the interfaces of its links.
Standard input shows it that somebody waits; if that ends or is silent, the job ends, and the
machine is restored.
"""

import hashlib
import io
import re
import tarfile
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import ClassVar

from firesteel.base.errors import FiresteelError
from firesteel.base.quantity import rate_text
from firesteel.boards.catalog import Catalog
from firesteel.boards.command import BoardProducts, Profiling
from firesteel.boards.files import In, NodeFiles, in_use, make_run_directory
from firesteel.boards.job import Job, JobFile
from firesteel.boards.profile import BOARD_FILES, Profile
from firesteel.boards.real import MACHINE, Address, RealProfile, facts_of
from firesteel.boards.result import NodeResult, TopologyRun, read_probe_log
from firesteel.boards.run import RunBoards, RunCancelled, console_text, run_within
from firesteel.boards.topology import Topology, topology_digest
from firesteel.build.buildroot import read_list
from firesteel.build.cache import key_of, tree_digest
from firesteel.build.products import machine_probe
from firesteel.model.cell import Cell
from firesteel.model.names import first_of
from firesteel.protocols import user_space
from firesteel.protocols.site import Site, site_of
from firesteel.run.board_runner import jobs_digest
from firesteel.run.loop import Cancelled
from firesteel.store.record import Inputs, Versions
from firesteel.workloads.cells import cell_jobs, nodes_with_cores, with_workers

_LONGEST_SECONDS = 3600.0

_BEYOND = ("cryptsetup", "dmsetup", "losetup", "mkfs", "pktgen", "insmod")
"""What changes more of a machine than namespaces have, or needs what boards have."""

MOST_RATE = 100_000_000_000
"""Bits per second that a link of a topology may have."""

_WORD = re.compile(r"[\w.+\[-]+")
_MOST_NAMED = 6


class RealRunner:
    """Runs each cell once on the machines that its nodes are named by."""

    def __init__(self, catalog: Catalog, boards: RunBoards | None = None) -> None:
        """`boards` runs jobs on machines."""
        self._catalog = catalog
        self._boards = boards or OverSsh(_probe)
        self._prepared: dict[str, tuple[Site, dict[str, Job], Inputs]] = {}
        self._software: dict[str, str] = {}

    def prepare(self, cells: Sequence[Cell]) -> None:
        """Works out what every cell is run with, and asks machines whether they can.

        Raises `FiresteelError` where one cannot.
        """
        needed: dict[Address, set[str]] = {}
        for cell in cells:
            site = site_of(cell, self._catalog)
            machines = _machines(cell, site)
            site = _at_its_speeds(cell, site, machines)
            _check_cores(cell, site)
            by_node = with_workers(cell_jobs(cell, site), site.profiles)
            _check(cell, by_node)
            for node, profile in machines.items():
                address = Address.of(site.topology.nodes[node].profile)
                needed.setdefault(address, set()).update(_programs(by_node[node]))
                self._software |= profile.software
            versions = Versions(
                qemu=tree_digest(*(MACHINE / name for name in ("run.sh", "init", "probe.c"))),
                kernel=key_of({node: each.uname for node, each in machines.items()}),
                image=key_of(
                    {
                        f"{node} {name}": version
                        for node, each in machines.items()
                        for name, version in each.software.items()
                    }
                ),
                boards=topology_digest(site.topology, site.profiles),
                jobs=jobs_digest(by_node),
                commands=key_of({node: each.profile for node, each in site.topology.nodes.items()}),
            )
            self._prepared[cell.model_dump_json()] = (
                site,
                by_node,
                Inputs(cell=cell, versions=versions),
            )
        for address, programs in needed.items():
            _check_machine(address, programs)

    def inputs(self, cell: Cell) -> Inputs:
        """The cell, and the hashes of its jobs and of what its machines say of themselves."""
        return self._prepared[cell.model_dump_json()][2]

    def packages(self) -> dict[str, str]:
        """Versions of the machines' software, as far as they were asked for."""
        return dict(sorted(self._software.items()))

    def measure(self, cell: Cell, logs: Path, cancel: threading.Event) -> TopologyRun:
        """Runs the cell's jobs on its machines and collects what they log."""
        site, by_node, _ = self._prepared[cell.model_dump_json()]
        try:
            return self._boards(
                site.topology,
                by_node,
                boards={},
                profiles=site.profiles,
                seed=cell.seed,
                workdir=logs,
                timeout=_LONGEST_SECONDS,
                cancel=cancel,
                keep=logs / "run",
            )
        except RunCancelled:
            raise Cancelled from None


def _probe(profile: Profile) -> bytes:
    return _probe_for(profile.architecture_name)


@cache
def _probe_for(machine: str) -> bytes:
    return machine_probe(machine).read_bytes()


def _machines(cell: Cell, site: Site) -> dict[str, RealProfile]:
    """The machine of each node; `FiresteelError` where one has none, or lacks an interface."""
    found = {}
    for node, profile in site.profiles.items():
        if not isinstance(profile, RealProfile):
            raise FiresteelError(
                f"Cell {cell.label}: the node `{node}` of the topology `{cell.topology}` has no "
                "address, but other nodes are real machines; give it an address: in [nodes."
                f'{node}] with `ssh = "root@HOST"`, or with --board or --peer ssh:root@HOST.'
            )
        ports, name = site.topology.ports(node), site.topology.nodes[node].profile
        given = Address.of(name).interfaces
        if len(given) != len(ports):
            links = ", ".join(port.link.name for port in ports) or "none"
            raise FiresteelError(
                f"Cell {cell.label}: the node `{node}` has {len(given)} interfaces ({name}) and "
                f"{len(ports)} links ({links}); name one interface for each link, in this order, "
                "as `interface` of [nodes.NAME], or as ssh:root@HOST/eth1,eth2."
            )
        found[node] = profile
    return found


def _check_cores(cell: Cell, site: Site) -> None:
    """Raises `FiresteelError` where a machine lacks the driver that the cell needs."""
    others = [node for node in nodes_with_cores(cell, site) if not site.profiles[node].cores]
    if others:
        raise FiresteelError(
            f"Cell {cell.label}: the machine of node `{others[0]}` has no module firesteel; "
            "install it (docs/driver.md), or leave the cell out by --only implementation=software."
        )


def _at_its_speeds(cell: Cell, site: Site, machines: Mapping[str, RealProfile]) -> Site:
    """The site with the rates that its links have; `FiresteelError` where the cell asks for others,
    or an interface cannot be used.
    """
    rates: dict[str, int] = {}
    for node, profile in machines.items():
        ports, name = site.topology.ports(node), site.topology.nodes[node].profile
        if len(profile.speeds_mbit_s) < len(ports):
            _check_machine(Address.of(name), set())
        for port, speed in zip(ports, profile.speeds_mbit_s, strict=True):
            rates[port.link.name] = min(speed * 1_000_000, rates.get(port.link.name, MOST_RATE))
    for link, rate in rates.items():
        if cell.link_rate_bit_s not in (None, rate):
            raise FiresteelError(
                f"Cell {cell.label}: the link `{link}` has {rate_text(rate)}, as its interfaces "
                "say; leave out `link`, or set the interfaces to that rate."
            )
    changed = {link: {"rate_bit_s": rate} for link, rate in rates.items()}
    return Site(site.topology.override(links=changed), site.profiles)


def _check(cell: Cell, by_node: Mapping[str, Job]) -> None:
    """Raises `FiresteelError` for what only boards can do."""
    words = {word for job in by_node.values() for word in _words(job)}
    beyond = [word for word in _BEYOND if word in words]
    refused = {
        "uses `as_in_2015`, which": cell.as_in_2015 is not None,
        "sets an affinity, which": cell.affinity is not None,
        "is of QEMU's crypto device, which": cell.implementation == "virtio-crypto",
        "needs the account of cores that programs use, which": user_space.reached(cell),
        f"needs {' and '.join(beyond)}, which": bool(beyond),
    }
    for why, found in refused.items():
        if found:
            raise FiresteelError(
                f"Cell {cell.label}: it {why} only virtual boards have; leave it out by --only."
            )


def _check_machine(address: Address, programs: set[str]) -> None:
    """Raises `FiresteelError` where the machine lacks what its jobs need, all of it at once."""
    facts = facts_of(address, programs)
    if facts.lacks:
        named = first_of(list(facts.lacks), _MOST_NAMED)
        raise FiresteelError(f"{address.name} cannot be measured because it lacks {named}.")
    if "loaded" in facts.said.get("firesteel", ()):
        raise FiresteelError(
            f"{address.name}: the module firesteel is loaded, so cells in software would use the "
            "cores; unload the module with `rmmod firesteel`. Cells in hardware load it again."
        )


def _words(job: Job) -> set[str]:
    """All words of the job's scripts and settings."""
    texts = (
        file.content.decode(errors="replace")
        for path, file in job.files.items()
        if path == "/job/run" or path.endswith(".sh") or path.startswith("/job/settings")
    )
    return {word for text in texts for word in _WORD.findall(text)}


def _programs(job: Job) -> set[str]:
    """The programs that the job may call: words of its scripts that boards' images have as
    programs of their own, but for those that the job brings and the probe.  Small tools, which
    busybox has there, are everywhere.
    """
    brought = {path.rpartition("/")[2] for path in job.files}
    return (_words(job) & _known_programs()) - brought - {"probe"}


@cache
def _known_programs() -> frozenset[str]:
    image = BOARD_FILES / "image"
    paths = (path for path in read_list(image / "files.txt") if re.match(r"usr/s?bin/[^*]+$", path))
    tools = (path.stem for path in (image / "tools").glob("*.c"))
    names = (path.rpartition("/")[2] for path in paths)
    return frozenset({*names, *tools})


_SILENCE_S = 30
"""After which a job takes the connection for broken; a sign of life comes each second."""

_PROBE = ("/usr/bin/probe", "/usr/bin/nc")
"""What the probe is called: by the second name it is the program that nodes give orders by."""

_INIT = "/run/init"

_FEED = """
job=$1 log=$2
shift 2
{ cat "$job"; while sleep 1 && kill -0 $$; do echo; done; } 2>/dev/null | "$@" >"$log"
"""
"""A shell's program that runs a command with the job as its standard input and then signs of life,
and has its output in the log.  Its status is the command's.  When the shell is killed, so that the
lab's death leaves nothing, the signs of life end."""


@dataclass(frozen=True)
class _Files(NodeFiles):
    """What a machine says besides its log comes as its console."""

    errors: ClassVar = In("console")
    who: ClassVar = "what ran its job over SSH"


@dataclass(frozen=True)
class OverSsh:
    """Runs jobs on machines, which are named as the topology's profiles; `probe` gives the program
    for a machine, by its profile.
    """

    probe: Callable[[Profile], bytes]

    def __call__(
        self,
        topology: Topology,
        jobs: Mapping[str, Job],
        *,
        boards: Mapping[str, BoardProducts],  # noqa: ARG002 - a machine has its own
        seed: int,  # noqa: ARG002 - addresses and keys are in the jobs
        workdir: Path,
        timeout: float,
        profiles: Mapping[str, Profile] | None = None,
        cancel: threading.Event | None = None,
        keep: Path | None = None,
        profiling: Profiling | None = None,
    ) -> TopologyRun:
        """As `run_topology`; nothing of a machine can be profiled."""
        if profiling is not None:
            raise FiresteelError("A real machine cannot be profiled; measure a virtual board.")
        assert profiles is not None, "machines were asked what they are"
        try:
            directory = make_run_directory(workdir)
            with in_use(directory):
                return self._run(topology, jobs, profiles, directory, timeout, cancel, keep)
        except OSError as error:
            where = error.filename or workdir
            raise FiresteelError(f"{where}: cannot be written: {error.strerror}.") from None

    def _run(
        self,
        topology: Topology,
        jobs: Mapping[str, Job],
        profiles: Mapping[str, Profile],
        directory: Path,
        timeout: float,
        cancel: threading.Event | None,
        keep: Path | None,
    ) -> TopologyRun:
        files = {node: _Files(directory / node) for node in topology.nodes}

        def command(node: str, its: NodeFiles) -> list[str]:
            its.job.write_bytes(_archive(jobs[node], self.probe(profiles[node])))
            return _command(Address.of(topology.nodes[node].profile), its)

        return run_within(
            directory,
            files,
            command,
            lambda: _collect(files, profiles, topology),
            timeout=timeout,
            cancel=cancel,
            keep=keep,
        )


def _archive(job: Job, probe: bytes) -> bytes:
    """The job's files with what runs it there, as tar has them; of folders only what files need."""
    init = JobFile((MACHINE / "init").read_bytes())
    files = {**job.files, _INIT: init, **dict.fromkeys(_PROBE, JobFile(probe, 0o755))}
    with tarfile.open(fileobj=(made := io.BytesIO()), mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path, file in sorted(files.items()):
            member = tarfile.TarInfo(path.removeprefix("/"))
            member.size, member.mode = len(file.content), file.mode
            tar.addfile(member, io.BytesIO(file.content))
    return made.getvalue()


def _command(address: Address, files: NodeFiles) -> list[str]:
    script = (MACHINE / "run.sh").read_text(encoding="utf-8")
    size = str(files.job.stat().st_size)
    there = ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, "run.sh"]
    remote = address.command([*there, size, str(_SILENCE_S), *address.interfaces])
    return ["sh", "-c", _FEED, "feed", str(files.job), str(files.probe_log), *remote]


def _collect(
    files: Mapping[str, NodeFiles], profiles: Mapping[str, Profile], topology: Topology
) -> TopologyRun:
    """There is no trace of frames: its digest is the logs'."""
    nodes, digest = {}, hashlib.sha256()
    for node, its in files.items():
        log = read_probe_log(its.probe_log)
        console = console_text(its.console)
        nodes[node] = NodeResult(node, log.marks, log.data, console, profiles[node])
        digest.update(its.probe_log.read_bytes())
    return TopologyRun(nodes, digest.hexdigest(), topology)
