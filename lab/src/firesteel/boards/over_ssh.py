# SPDX-License-Identifier: Apache-2.0
"""Runs each node's job on a real machine, over SSH; replaces `run_topology`.

`board/machine/run.sh` runs there: the job has an overlay over the machine's files, and a separate
network with the interfaces of its links.  Standard input shows it that somebody waits; if that ends
or is silent, the job ends, and the machine is restored.
"""

import hashlib
import io
import tarfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from firesteel.base.errors import FiresteelError
from firesteel.boards.command import BoardProducts, Profiling
from firesteel.boards.files import In, NodeFiles, in_use, make_run_directory
from firesteel.boards.job import Job, JobFile
from firesteel.boards.profile import Profile
from firesteel.boards.real import MACHINE, Address
from firesteel.boards.result import NodeResult, TopologyRun, read_probe_log
from firesteel.boards.run import console_text, run_within
from firesteel.boards.topology import Topology

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
