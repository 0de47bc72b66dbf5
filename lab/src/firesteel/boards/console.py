# SPDX-License-Identifier: Apache-2.0
"""An interactive shell on a board, for a person.

Not for measuring: boards run in real time, as fast as the host emulates them, so nothing here is
deterministic.  There is no probe and no lockstep.  Links are datagram sockets between the QEMU
processes, without rate or latency, and a switch is a hub in the process of its first node.  The
first node of the topology has the terminal, the others run in the background until it ends.
"""

import contextlib
import subprocess
import sys
import termios
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

from firesteel.base.errors import FiresteelError
from firesteel.boards.command import (
    BoardProducts,
    boot_arguments,
    crypto_arguments,
    ethernet,
    machine_arguments,
)
from firesteel.boards.files import socket_directory
from firesteel.boards.job import Job, JobFile, job_archive, write_initramfs
from firesteel.boards.network import shell_files
from firesteel.boards.profile import Profile
from firesteel.boards.run import BoardProcess
from firesteel.boards.topology import Port, Topology

Files = Mapping[str, Mapping[str, JobFile]]
"""By node, then by guest path."""

_TERMINAL = ("-serial", "mon:stdio")
"""The guest's console on the terminal; Ctrl-A x ends the board, Ctrl-A h shows the other keys."""


def open_console(
    boards: Mapping[str, BoardProducts],
    profiles: Mapping[str, Profile],
    topology: Topology | None,
    files: Files | None = None,
) -> int:
    """Run the boards until the first one ends, and return its exit status.

    `profiles` has one for each node of `topology`, in its order; without a topology it has one
    profile, for a board without network.  `boards` are the products of each node, and `files` its
    files in addition to the image.  Raises `FiresteelError` when the boards cannot be started.
    """
    try:
        with socket_directory() as directory:
            return _run(boards, profiles, topology, files or {}, directory)
    except OSError as error:
        where = error.filename or "its directory"
        raise FiresteelError(f"The board cannot be started: {where}: {error.strerror}.") from None


def _run(
    boards: Mapping[str, BoardProducts],
    profiles: Mapping[str, Profile],
    topology: Topology | None,
    files: Files,
    directory: Path,
) -> int:
    first, *others = profiles
    commands = {
        node: _command(boards[node], profile, topology, node, files.get(node, {}), directory)
        for node, profile in profiles.items()
    }
    with ExitStack() as stack:
        for node in others:
            command = [*commands[node], "-serial", f"file:{directory / node}.console"]
            stack.enter_context(BoardProcess(command, directory / f"{node}.qemu"))
        stack.enter_context(_terminal_as_it_was())
        return subprocess.run([*commands[first], *_TERMINAL], check=False).returncode


def _command(
    boards: BoardProducts,
    profile: Profile,
    topology: Topology | None,
    node: str,
    files: Mapping[str, JobFile],
    directory: Path,
) -> list[str]:
    initramfs = directory / f"{node}.initramfs"
    job = Job({**files, **(shell_files(topology, node) if topology else {})})
    write_initramfs(boards.initramfs, job_archive(job), initramfs)
    command = machine_arguments(boards.qemu, profile, seed=1)
    ports = topology.ports(node) if topology else ()
    command += [*boot_arguments(boards, profile, initramfs, len(ports)), "-no-reboot"]
    for port in ports:
        command += _cable(node, port, directory)
        command += ["-device", ethernet(port)]
    return command + crypto_arguments(profile, seed=1)


def _cable(node: str, port: Port, sockets: Path) -> list[str]:
    """The network back end named after the port's interface."""
    hub, *spokes = port.link.nodes
    if port.link.kind == "point-to-point":
        other = spokes[0] if node == hub else hub
        return _datagrams(port.interface, sockets, port.link_number, node, other)
    if node != hub:
        return _datagrams(port.interface, sockets, port.link_number, node, f"{hub}-{node}")
    number = f"hubid={port.link_number}"
    options = ["-netdev", f"hubport,id={port.interface},{number}"]
    for spoke in spokes:
        cable = f"{port.interface}-{spoke}"
        options += _datagrams(cable, sockets, port.link_number, f"{hub}-{spoke}", spoke)
        options += ["-netdev", f"hubport,id={cable}-hub,{number},netdev={cable}"]
    return options


def _datagrams(name: str, sockets: Path, link: int, here: str, there: str) -> list[str]:
    local = f"local.type=unix,local.path={sockets}/{link}.{here}"
    remote = f"remote.type=unix,remote.path={sockets}/{link}.{there}"
    return ["-netdev", f"dgram,id={name},{local},{remote}"]


@contextlib.contextmanager
def _terminal_as_it_was() -> Iterator[None]:
    """Put the terminal's modes back, which QEMU leaves changed when it is killed."""
    if not sys.stdin.isatty():
        yield
        return
    modes = termios.tcgetattr(sys.stdin)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, modes)
