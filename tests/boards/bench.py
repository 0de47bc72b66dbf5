# SPDX-License-Identifier: Apache-2.0
"""What the board tests share: running small shell jobs on real boards, and reading their traces."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from firesteel.boards.command import USUAL, BoardProducts, Snapshots, Wiring, node_command
from firesteel.boards.cores import Fault
from firesteel.boards.files import NodeFiles, socket_directory
from firesteel.boards.job import Job, JobFile, job_archive
from firesteel.boards.network import network_commands
from firesteel.boards.profile import Cpu, Profile, load_profile
from firesteel.boards.result import TopologyRun
from firesteel.boards.run import run_topology
from firesteel.boards.topology import Topology, load_profiles, load_topology

TIMEOUT = 900
"""Wall seconds for one run; far more than any needs, also on a loaded machine."""

FULL_FRAME = 1514
TCP_HEADERS = 14 + 20 + 32
"""Bytes of a frame without FCS, and of its Ethernet, IPv4 and TCP headers (with time stamps)."""

LATENCY_NS = 20_000
RATE_BIT_S = 100_000_000


def two_hosts() -> Topology:
    """Two hosts on a cable of `LATENCY_NS`: the latency of the topology's own file is fitted."""
    return load_topology("host-host").override(links={"wire": {"latency_ns": LATENCY_NS}})


def on_flat(name: str) -> Profile:
    """A board of the checkout whose clock counts instructions.

    Tests aim at moments and at queues that fill; neither may move with each calibration of a
    processor's costs.  test_cycles.py and test_dma.py have boards that count cycles.
    """
    return load_profile(name).on_clock("flat")


def with_fault(profile: Profile, fault: Fault | None) -> Profile:
    """A board with its first window of cores alone, which has that fault and no other, if any."""
    faulty = profile.cores[0].model_copy(update={"faults": (fault,) if fault else ()})
    return profile.model_copy(update={"cores": (faulty,)})


def of_rate(instructions_per_second: int) -> Profile:
    """The peer's profile with another rate."""
    peer = load_profile("peer")
    cpu = Cpu(model=peer.cpu.model, instructions_per_second=instructions_per_second)
    return peer.model_copy(update={"cpu": cpu})


# A node that serves waits until the one that uses it says that it is done.
SERVE = "nc -l -p 9 >/dev/null\n"


def await_node(address: str) -> str:
    """Shell lines that return once the node at `address` answers.

    They sleep between two tries: a link that is not up yet is an error at once, and a fast board
    would execute 10^11 instructions a second to see it again.
    """
    return f"until ping -q -c 1 -W 1 {address} >/dev/null; do sleep 0.01; done\n"


def release(address: str) -> str:
    """Shell lines that end the `SERVE` of the node at `address`."""
    return f"until echo | nc {address} 9; do sleep 0.01; done\n"


class Sent(NamedTuple):
    """A frame that a node put on a wire; times in virtual ns, length without FCS."""

    start: int
    arrival: int
    port: str
    length: int
    checksum: str


class Received(NamedTuple):
    """A frame that reached a node; `taken` is false when the node had no room for it.

    `late` are the ns by which the CPU was past `time`: at most an instruction, or a stall.
    """

    time: int
    port: str
    length: int
    checksum: str
    taken: bool
    late: int


@dataclass(frozen=True)
class Trace:
    """A node's lockstep trace."""

    sent: tuple[Sent, ...]
    received: tuple[Received, ...]


@dataclass(frozen=True)
class KeptRun:
    """A run with the files that its nodes left."""

    run: TopologyRun
    directory: Path

    def trace(self, node: str) -> Trace:
        """The node's trace, read."""
        lines = [
            line.split() for line in (self.directory / node / "trace").read_text().splitlines()
        ]
        sent = [Sent(int(w[1]), int(w[2]), w[3], int(w[4]), w[5]) for w in lines if w[0] == "tx"]
        received = [
            Received(int(w[1]), w[2], int(w[3]), w[4], w[5] == "taken", int(w[6]))
            for w in lines
            if w[0] == "rx"
        ]
        return Trace(tuple(sent), tuple(received))

    def stream_rate(self, node: str) -> float:
        """bit/s of TCP payload from a node's first full frame to its last one."""
        full = [frame for frame in self.trace(node).sent if frame.length == FULL_FRAME]
        payload = len(full) * (FULL_FRAME - TCP_HEADERS) * 8
        return payload / ((full[-1].arrival - full[0].start) / 1e9)

    def files(self) -> dict[str, bytes]:
        """All that the nodes wrote, by path."""
        return {
            str(path.relative_to(self.directory)): path.read_bytes()
            for path in sorted(self.directory.rglob("*"))
            if path.is_file()
        }

    def text(self, node: str, name: str) -> str:
        """A data item as text."""
        return self.run.nodes[node].data[name].decode()


def assert_equal_runs(one: KeptRun, other: KeptRun) -> None:
    """Probe logs, consoles and traces are the same bytes.

    A board that has started from a snapshot lacks what the kernel printed while it booted.
    """
    ours, theirs = one.files(), other.files()
    assert ours.keys() == theirs.keys()
    assert {name.split("/")[1] for name in ours} == {"console", "probe.jsonl", "trace", "qemu"}
    assert [name for name in ours if not _equal(name, ours[name], theirs[name])] == []
    assert _without_consoles(one.run) == _without_consoles(other.run)


def _equal(name: str, ours: bytes, theirs: bytes) -> bool:
    if name.endswith("/console"):
        return ours.endswith(theirs) or theirs.endswith(ours)
    return ours == theirs


def _without_consoles(run: TopologyRun) -> TopologyRun:
    nodes = {name: replace(node, console="") for name, node in run.nodes.items()}
    return replace(run, nodes=nodes)


class Bench:
    """A place to run boards in, which start from the usual snapshots."""

    def __init__(
        self, boards: BoardProducts, new_directory: Callable[[], Path], timeout: float = TIMEOUT
    ) -> None:
        """`timeout` is that of each run, in wall seconds."""
        self.boards = boards
        self._snapshots: Snapshots | None = USUAL
        self._timeout = timeout
        self._new_directory = new_directory
        self._sockets = ExitStack()

    def on(self, boards: BoardProducts) -> "Bench":
        """A bench whose boards are made of other products; it shares all else with this one."""
        other = Bench(boards, self._new_directory, self._timeout)
        other._sockets, other._snapshots = self._sockets, self._snapshots
        return other

    def with_snapshots(self, snapshots: Snapshots | None) -> "Bench":
        """A bench whose boards start from these snapshots, or boot if there are none.

        It shares all else with this one.
        """
        other = self.on(self.boards)
        other._snapshots = snapshots
        return other

    def with_options(self, options: str, directory: Path) -> "Bench":
        """A bench whose emulator has these options besides, by a script in `directory`."""
        program = directory / "qemu"
        program.write_text(f'#!/bin/sh\nexec {self.boards.qemu} "$@" {options}\n')
        program.chmod(0o755)
        return self.on(replace(self.boards, qemu=program))

    def with_order(self, seed: int, directory: Path, more: str = "") -> "Bench":
        """A bench whose boards run several CPUs in the order of a seed, from the snapshots of any
        seed: the script in the empty `directory` is the same for all.

        `more` are options of the emulator that change nothing of what boards do.
        """
        (directory / "options").write_text(f"-icount order-seed={seed} {more}")
        return self.with_options('$(cat "${0%/*}/options")', directory)

    def with_cores(self, directory: Path, *, bus: str = "pci", **options: str) -> "Bench":
        """A bench whose cores on that bus have these properties besides (docs/cores.md); it boots,
        as snapshots are of other cores.
        """
        words = " ".join(f"-global silex-{bus}.{key}={value}" for key, value in options.items())
        return self.with_options(words, directory).with_snapshots(None)

    def clean(self) -> None:
        """Remove what lies outside of the test's own directory."""
        self._sockets.close()

    def run(
        self,
        topology: Topology,
        scripts: Mapping[str, str],
        files: Mapping[str, Mapping[str, JobFile]] | None = None,
        profiles: Mapping[str, Profile] | None = None,
        boards: Mapping[str, BoardProducts] | None = None,
    ) -> KeptRun:
        """Run a shell script on each node, after its network is set up.

        `profiles`, by node, stand in for those of the topology, whose clocks count instructions;
        `boards` for the bench's own.
        """
        given = {*scripts, *(files or {}), *(profiles or {}), *(boards or {})}
        assert given <= topology.nodes.keys(), f"not nodes of the topology: {given}"
        directory = self._new_directory()
        run = run_topology(
            topology,
            jobs(topology, scripts, files or {}),
            boards={**dict.fromkeys(topology.nodes, self.boards), **(boards or {})},
            seed=1,
            workdir=directory / "work",
            timeout=self._timeout,
            profiles={**_of(topology), **(profiles or {})},
            keep=directory / "kept",
            snapshots=self._snapshots,
        )
        return KeptRun(run, directory / "kept")

    def prepare(
        self, topology: Topology, scripts: Mapping[str, str]
    ) -> tuple[dict[str, list[str]], dict[str, NodeFiles]]:
        """The commands and files of a run that is not started, to be spoilt by a test."""
        directory = self._new_directory()
        sockets = self._sockets.enter_context(socket_directory())
        wiring = Wiring(topology, _of(topology), 1, sockets)
        files = {node: NodeFiles(directory / node) for node in topology.nodes}
        for node, job in jobs(topology, scripts, {}).items():
            files[node].directory.mkdir()
            files[node].job.write_bytes(job_archive(job))
        commands = {node: node_command(self.boards, wiring, node, files[node]) for node in files}
        return commands, files


def _of(topology: Topology) -> dict[str, Profile]:
    """The boards of a topology, by node, as tests use them."""
    return {node: board.on_clock("flat") for node, board in load_profiles(topology).items()}


def jobs(
    topology: Topology,
    scripts: Mapping[str, str],
    files: Mapping[str, Mapping[str, JobFile]],
) -> dict[str, Job]:
    """A job for each node: its network, then its script."""
    return {
        node: Job(
            {
                "/job/run": JobFile(
                    ("set -e\n" + network_commands(topology, node) + scripts.get(node, "")).encode()
                ),
                **files.get(node, {}),
            }
        )
        for node in topology.nodes
    }


def busy_ns(time_ns: int, idle_ns: int, stalled_ns: int) -> int:
    """The time in which the CPU executed instructions."""
    return time_ns - idle_ns - stalled_ns


def execution_ns(instructions: int, profile: Profile) -> float:
    """How long a profile's CPU takes for that many instructions."""
    return instructions * 1e9 / profile.on_clock("flat").cpu.rate


def wire_ns(length: int, rate: int = RATE_BIT_S) -> int:
    """Serialisation of a frame: preamble, at least 60 bytes, FCS, at `rate` bit/s."""
    return -(-(8 + max(length, 60) + 4) * 8 * 1_000_000_000 // rate)


def processes_of(directory: Path) -> dict[int, list[str]]:
    """Processes, by number, that have `directory` in their command line."""
    found = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            words = (path / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except (FileNotFoundError, ProcessLookupError):
            continue
        if any(str(directory) in word for word in words):
            found[int(path.name)] = words
    return found


def node_process(directory: Path, node: str, text: str) -> int:
    """The number of the process that runs `node`, waiting until its guest prints `text`."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        printed = [path for path in directory.rglob(f"{node}/console") if text in path.read_text()]
        for pid, words in processes_of(directory).items():
            if printed and any(re.search(rf",name={node},", word) for word in words):
                return pid
        time.sleep(0.05)
    raise AssertionError(f"{node} did not come up")


@contextmanager
def other_load() -> Iterator[None]:
    """Something else that keeps all of this machine's CPUs busy."""
    spin = [sys.executable, "-c", "while True: pass"]
    processes = [subprocess.Popen(spin) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()
