# SPDX-License-Identifier: Apache-2.0
"""A cell's jobs, and the figures read from what its nodes report."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from firesteel.base.errors import FiresteelError
from firesteel.boards.job import Job, JobFile, script
from firesteel.boards.profile import BOARD_FILES, Profile
from firesteel.boards.result import NodeResult, TopologyRun
from firesteel.build.artifacts import ArtifactSource
from firesteel.model import names
from firesteel.model.cell import ALL_CPUS, Affinity, Cell, cpus_of
from firesteel.model.figure import Figure
from firesteel.protocols import https, user_space
from firesteel.protocols.kernel import checking, driver_files
from firesteel.protocols.registry import protocol_of
from firesteel.protocols.site import Site
from firesteel.workloads.registry import session_of, workloads_of

_GOVERNOR = re.compile(r"governor\.(?P<node>.+)\.(?P<cpu>\d+)\.changed")
_CLOCK = re.compile(r"(clock\.(?P<node>.+)\.(?P<cpu>\d+))\.before")

_STEADY = 0.05
"""By which part a machine's clock may be another at the end of a measurement."""

_MOST_NAMED = 3
"""How many changes a sentence names."""


def cell_jobs(cell: Cell, site: Site) -> dict[str, Job]:
    """The job of each node of the cell's topology, by node name.

    Raises `FiresteelError` if parts of the cell contradict each other, or if the measured board
    lacks something.  Otherwise the cell would fail minutes later at best.
    """
    session = session_of(cell)
    protocol_of(cell).check_cell(cell)
    _check_storage(cell, site)
    if missing := _missing(cell, site.measured(cell)):
        raise FiresteelError(
            f"Cell {cell.label}: the profile `{cell.profiles[cell.measured]}` of node "
            f"`{cell.measured}` has no {' and no '.join(missing)}; take another profile, or leave "
            f"the cell out, as by --only implementation=software."
        )
    by_node = session.jobs(cell, site)
    if cell.affinity is None:
        return by_node
    pinning = "".join(_pinning(cell, cell.affinity, site.measured(cell).cpu.count))
    return by_node | {cell.measured: _begun_by(by_node[cell.measured], pinning)}


_PINNED = {
    "irq": "echo {mask:x} >/proc/irq/default_smp_affinity",
    "rps": "for cpus in /sys/class/net/eth*/queues/rx-*/rps_cpus; do echo {mask:x} >$cpus; done",
    "taskset": "busybox taskset -p {mask:x} $$",
}
"""What sets each part of an affinity at the beginning of a job: no interrupt of the network or of
the cores has a handler yet, and the job is the parent of all programs."""


def _pinning(cell: Cell, affinity: Affinity, there: int) -> Iterator[str]:
    on = f"the profile `{cell.profiles[cell.measured]}` of node `{cell.measured}`"
    for name, listed in affinity.given.items():
        cpus = range(there) if listed == ALL_CPUS else cpus_of(listed)
        if listed != ALL_CPUS and there == 1:
            raise FiresteelError(
                f"Cell {cell.label}: {on} has one CPU; allowed there is `affinity.{name}` "
                f'"{ALL_CPUS}".'
            )
        if cpus[-1] >= there:
            raise FiresteelError(
                f"Cell {cell.label}: `affinity.{name}` is {listed}; {on} has the CPUs "
                f"0-{there - 1}."
            )
        yield _PINNED[name].format(mask=sum(1 << cpu for cpu in cpus)) + " || exit\n"


def _check_storage(cell: Cell, site: Site) -> None:
    for node, profile in site.profiles.items():
        there = profile.storage.mebibytes if profile.storage else None
        needed = -(-sum(each.stored(cell) for each in workloads_of(cell)) >> 20) if there else 0
        if there and needed > there:
            raise FiresteelError(
                f"Cell {cell.label}: the storage of the profile `{cell.profiles[node]}` of node "
                f"`{node}` has {there} MiB; at least {needed} MiB are needed."
            )


def _missing(cell: Cell, profile: Profile) -> list[str]:
    """What the board lacks, with the keys of its file."""
    if cell.implementation == "virtio-crypto" and not profile.virtio_crypto:
        return ["virtio_crypto"]
    if not cell.on_cores:
        return []
    if not profile.cores:
        return ["cores"]
    return list(session_of(cell).workloads[0].missing(cell, profile))


def cell_figures(cell: Cell, run: TopologyRun) -> list[Figure]:
    """All figures of the cell, in a fixed order; `CellFailure` when it gave none."""
    cell_proof(cell, run)
    return [figure for workload in workloads_of(cell) for figure in workload.figures(cell, run)]


def cell_proof(cell: Cell, run: TopologyRun) -> dict[str, int]:
    """Counters which show that the work went the way it was meant to, by name.

    Raises `CellFailure` when they show that it did not.
    """
    return session_of(cell).proof(cell, run) | governors(run)


def governors(run: TopologyRun) -> dict[str, int]:
    """The clocks of a real machine's CPUs in kHz before and after, and whether a governor was
    another then, by node and CPU; nothing of virtual boards.
    """
    found: dict[str, int] = {}
    for node in run.nodes.values():
        before, after = (_governors(node, when) for when in ("before", "after"))
        for cpu, (governor, khz) in before.items():
            other, later = after.get(cpu, (governor, khz))
            if khz and later:
                found |= {f"clock.{node.name}.{cpu}.before": khz}
                found |= {f"clock.{node.name}.{cpu}.after": later}
            if other != governor:
                found |= {f"governor.{node.name}.{cpu}.changed": 1}
    return found


def _governors(node: NodeResult, when: str) -> dict[str, tuple[str, int]]:
    lines = node.data.get(f"machine.{when}", b"").decode(errors="replace").splitlines()
    words = (line.split() for line in lines)
    return {cpu: (governor, int(khz)) for cpu, governor, khz in words}


def unsteady(proofs: Iterable[Mapping[str, int]]) -> str:
    """A sentence where a machine's clock or governor changed, by the proof of each record;
    empty where none did.
    """
    found: dict[str, None] = {}
    for proof in proofs:
        for name in proof:
            if named := _GOVERNOR.fullmatch(name):
                found[f"the governor of CPU {named['cpu']} of {named['node']} was changed"] = None
            elif named := _CLOCK.fullmatch(name):
                before, after = proof[name], proof[f"{named[1]}.after"]
                rates = f"{before / 1000:.0f} to {after / 1000:.0f} MHz"
                if abs(after / before - 1) > _STEADY:
                    found[f"CPU {named['cpu']} of {named['node']} went from {rates}"] = None
    if not found:
        return ""
    said = names.first_of(list(found), _MOST_NAMED, "; ")
    return f"During these measurements, {said}. Figures may be from before or after the change."


def cell_windows(cell: Cell, figures: Sequence[Figure]) -> tuple[str, ...]:
    """The names of all windows of a cell with these figures, the main one first: of several
    workloads, the main one of the last.
    """
    return tuple(
        window
        for workload in reversed(workloads_of(cell))
        for window in workload.windows(cell, figures)
    )


def nodes_with_cores(cell: Cell, site: Site) -> list[str]:
    """The nodes whose cores are used: the measured node of a hardware cell, and other nodes that
    the session names.
    """
    measured = [cell.measured] if cell.on_cores else []
    return measured + session_of(cell).with_cores(cell, site)


def with_driver(by_node: Mapping[str, Job], drivers: Mapping[str, bytes]) -> dict[str, Job]:
    """The jobs, with the driver for nodes with cores: `modprobe firesteel` loads it."""
    return _with_files(by_node, {node: driver_files(each) for node, each in drivers.items()})


def with_provider(
    cell: Cell, site: Site, by_node: Mapping[str, Job], built: Mapping[str, ArtifactSource]
) -> dict[str, Job]:
    """The cell's jobs.  Nodes whose programs use the cores get the OpenSSL provider, or the library
    that the measured program preloads instead.
    """
    nodes, own = session_of(cell).with_cores(cell, site), {}
    if user_space.reached(cell):
        protocol = protocol_of(cell)
        if protocol.preload:
            own = {cell.measured: protocol.front_end(built[cell.measured])}
        else:
            nodes = [cell.measured, *nodes]
    files = {node: user_space.files(cell, built[node].artifact("provider")) for node in nodes} | own
    return _with_files(by_node, files)


def with_programs(
    cell: Cell, by_node: Mapping[str, Job], built: Mapping[str, ArtifactSource]
) -> dict[str, Job]:
    """The cell's jobs, all of them with the programs that its protocol brings."""
    protocol = protocol_of(cell)
    return _with_files(by_node, {node: protocol.programs(built[node]) for node in by_node})


_RUN, _NGINX, _KERNEL_SOFTWARE = "/job/run", "/job/nginx.sh", "/job/kernel-software.sh"

_STORAGE = BOARD_FILES / "jobs" / "storage"


def with_modules(
    by_node: Mapping[str, Job],
    profiles: Mapping[str, Profile],
    built: Mapping[str, ArtifactSource],
) -> dict[str, Job]:
    """The jobs, with checks for each board's kernel.  Some boards need more than the image.
    Several CPUs need a module that times interrupts there, because the image's is for one CPU, and
    a worker of a web server for each CPU.  Storage needs the kernel's driver, and settings that put
    the disk and the served files there.
    """
    made = {}
    for node, job in by_node.items():
        profile, own = profiles[node], built[node]
        files, first = dict(job.files), ""
        if told := job.files.get(_KERNEL_SOFTWARE):
            files[_KERNEL_SOFTWARE] = checking(told, profile.architecture.kernel)
        if (cpus := profile.cpu.count) > 1:
            files["/job/cputimes.ko"] = JobFile(own.artifact("cputimes").file.read_bytes())
            first += "insmod /job/cputimes.ko\n"
            files |= _workers(job, cpus)
        if profile.storage:
            files["/job/virtio_blk.ko"] = JobFile(own.artifact("virtio-blk").file.read_bytes())
            files["/etc/modprobe.d/storage.conf"] = script(_STORAGE / "modprobe.conf")
            files["/job/storage.sh"] = script(_STORAGE / "storage.sh")
            first += ". /job/storage.sh\n"
        made[node] = _begun_by(Job(files), first)
    return made


def with_workers(by_node: Mapping[str, Job], profiles: Mapping[str, Profile]) -> dict[str, Job]:
    """The jobs, whose web servers have a worker for each CPU."""
    return _with_files(by_node, {n: _workers(by_node[n], profiles[n].cpu.count) for n in by_node})


def _workers(job: Job, cpus: int) -> dict[str, JobFile]:
    nginx = job.files.get(_NGINX)
    return {_NGINX: https.with_workers(nginx, cpus)} if nginx else {}


def _begun_by(job: Job, commands: str) -> Job:
    """The job, which begins with these commands."""
    run = job.files[_RUN]
    return Job(job.files | {_RUN: JobFile(commands.encode() + run.content, run.mode)})


def _with_files(
    by_node: Mapping[str, Job], files: Mapping[str, Mapping[str, JobFile]]
) -> dict[str, Job]:
    return dict(by_node) | {
        node: Job({**by_node[node].files, **more}) for node, more in files.items()
    }
