# SPDX-License-Identifier: Apache-2.0
"""The machine as a scene has it: its file systems, its network, the provider's module."""

import os
import shutil
import subprocess
from pathlib import Path

_MODULE = Path("/firesteel/output/firesteel.so")
_TEMPORARY = ("/run", "/var/log", "/var/lib/nginx", "/etc/netns")


def prepare() -> None:
    """Mount what programs write to, put the module where OpenSSL looks, start the loopback.

    Everything is in namespaces that go with this process.
    """
    os.environ["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin"
    for directory in _TEMPORARY:
        if Path(directory).is_dir():
            _mount_tmpfs(directory)
    _install_module()
    do("ip", "link", "set", "lo", "up")


def wire(one: str, other: str) -> None:
    """Two network namespaces with a link between them: 10.9.0.1 and 10.9.0.2."""
    for name in (one, other):
        do("ip", "netns", "add", name)
        do("ip", "-n", name, "link", "set", "lo", "up")
    link = ("link", "add", "wire", "type", "veth", "peer", "name", "wire", "netns", other)
    do("ip", "-n", one, *link)
    for index, name in enumerate((one, other), start=1):
        do("ip", "-n", name, "address", "add", f"10.9.0.{index}/24", "dev", "wire")
        do("ip", "-n", name, "link", "set", "wire", "up")


def do(*command: str) -> str:
    """Run a command that must succeed; what it wrote."""
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def openssl_version() -> tuple[int, int]:
    """Major and minor version of the system's OpenSSL."""
    major, minor, *_ = do("openssl", "version").split()[1].split(".")
    return int(major), int(minor)


def _install_module() -> None:
    # Both sides find it there, as where it is installed: only the configuration sets them apart
    modules = Path(do("openssl", "version", "-m").split('"')[1])
    others = [(file.name, file.read_bytes()) for file in modules.iterdir()]
    _mount_tmpfs(str(modules))
    for name, data in others:
        (modules / name).write_bytes(data)
    shutil.copy(_MODULE, modules)


def _mount_tmpfs(directory: str) -> None:
    do("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", directory)
