# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for two real machines and the one that the lab runs on.

Each is a network namespace.  The machines have a tree of Debian's programs, read-only but for /run
and /tmp, with an sshd that the lab reaches over a cable of its own; `eth1` of one is connected to
`eth1` of the other.  All of it goes when the processes that hold the namespaces end.
"""

import contextlib
import os
import signal
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from firesteel.base.checkout import CHECKOUT

NAMES = ("board", "peer")

_HOLD = "ip link set lo up; echo; exec sleep infinity"

_MACHINE = """
set -e
root=$1
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/run"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mkdir "$root/run/sshd"
cp "$2" "$root/run/key.pub"
chroot "$root" ssh-keygen -q -t ed25519 -N "" -f /run/host
exec chroot "$root" /usr/sbin/sshd -D -e -f /dev/null -h /run/host -o StrictModes=no \\
    -o AuthorizedKeysFile=/run/key.pub -o PermitRootLogin=yes -o UsePAM=no -o PidFile=none
"""

_SEEN = """
ip -o link; hostname; ls -a / /etc /run /tmp /root /var/lib/nginx
cut -d " " -f 2-3 /proc/mounts; cat /proc/modules 2>/dev/null; ps -e -o args= 2>/dev/null
"""


class Machines:
    """The machines, for a `with` block."""

    def __init__(self, root: Path, directory: Path) -> None:
        self._root = root
        self.directory = directory
        self._stack = ExitStack()
        self._pids: dict[str, int] = {}

    def __enter__(self) -> Self:
        with self._stack:
            key = self.directory / "key"
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
            for name in ("lab", *NAMES):
                hold = ["unshare", "--net", "--uts", "sh", "-c", _HOLD]
                self._pids[name] = self._start(hold, wait=True).pid
            self._cable("board", "eth1", "peer", "eth1")
            for number, name in enumerate(NAMES):
                self._cable("lab", name, name, "lan")
                self.inside("lab", "ip", "address", "add", f"10.9.{number}.1/24", "dev", name)
                self.inside(name, "ip", "address", "add", f"10.9.{number}.2/24", "dev", "lan")
                start = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]
                serve = ["sh", "-c", _MACHINE, "machine", str(self._root), f"{key}.pub"]
                self._start([*self._enter(name), *start, *serve])
            self._write_ssh(key)
            for name in NAMES:
                self._await(name)
            self._stack = self._stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def address(self, name: str, interface: str = "") -> str:
        """What the lab calls a machine."""
        link = f"/{interface}" if interface else ""
        return f"ssh:root@10.9.{NAMES.index(name)}.2{link}"

    def inside(self, name: str, *command: str) -> str:
        """What a command prints in the network of a machine, or of the lab's."""
        done = subprocess.run(
            [*self._enter(name), *command], check=True, stdout=subprocess.PIPE, text=True
        )
        return done.stdout

    def on(self, name: str, command: str) -> str:
        """What a shell's command prints on a machine, over SSH."""
        host = self.address(name).removeprefix("ssh:")
        return self.inside("lab", str(self.directory / "ssh"), host, command)

    def seen(self, name: str) -> str:
        """All that a measurement could leave on a machine."""
        return self.on(name, _SEEN)

    def lab(self, *arguments: str) -> subprocess.Popen[str]:
        """The lab, started on its machine with these arguments."""
        path = f"{self.directory}:{os.environ['PATH']}"
        return subprocess.Popen(
            [*self._enter("lab"), str(CHECKOUT / "firesteel"), *arguments],
            env={**os.environ, "PATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            process_group=0,
        )

    def _enter(self, name: str) -> list[str]:
        return ["nsenter", f"--target={self._pids[name]}", "--net", "--uts"]

    def _start(self, command: list[str], *, wait: bool = False) -> subprocess.Popen[bytes]:
        with (self.directory / "said").open("ab") as said:
            output = subprocess.PIPE if wait else said
            process = subprocess.Popen(command, stdout=output, stderr=said, process_group=0)
        self._stack.callback(_end, process)
        if process.stdout is not None:
            process.stdout.readline()
        return process

    def _cable(self, one: str, interface: str, other: str, there: str) -> None:
        peer = ["peer", "name", there, "netns", str(self._pids[other])]
        self.inside(one, "ip", "link", "add", interface, "type", "veth", *peer)
        for name, device in ((one, interface), (other, there)):
            self.inside(name, "ip", "link", "set", device, "up")

    def _write_ssh(self, key: Path) -> None:
        """An `ssh` that knows the key, as a user's configuration would."""
        options = f"-i {key} -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null"
        program = self.directory / "ssh"
        program.write_text(f'#!/bin/sh\nexec /usr/bin/ssh {options} -o LogLevel=ERROR "$@"\n')
        program.chmod(0o755)

    def _await(self, name: str) -> None:
        """Waits until sshd answers and the kernel has noticed the cable."""
        for _ in range(100):
            with contextlib.suppress(subprocess.CalledProcessError):
                self.on(name, "grep -qx up /sys/class/net/eth1/operstate")
                return
            time.sleep(0.1)
        raise AssertionError((self.directory / "said").read_text())


def _end(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
