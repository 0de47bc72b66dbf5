# SPDX-License-Identifier: Apache-2.0
"""The console's boards are wired in pairs of sockets that fit each other."""

import re
import sys
from pathlib import Path

import pytest
from tiny_provider import tiny_provider

from firesteel.base.errors import FiresteelError
from firesteel.boards.command import BoardProducts
from firesteel.boards.console import open_console
from firesteel.boards.job import JobFile
from firesteel.boards.profile import load_profile
from firesteel.boards.topology import load_profiles, load_topology
from firesteel.protocols.kernel import driver_files
from firesteel.protocols.user_space import console_files

RECORDER = """#!/bin/sh
name=$(echo "$*" | tr ' ' '\\n' | grep -m1 initramfs)
echo "$*" >"$RECORDS/$(basename "$name" .initramfs)"
case "$*" in *mon:stdio*)
    while [ "$(ls "$RECORDS" | wc -l)" -lt "$NODES" ]; do sleep 0.05; done
    exit 3
esac
exec sleep 1000
"""


@pytest.fixture
def boards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BoardProducts:
    (tmp_path / "records").mkdir()
    monkeypatch.setenv("RECORDS", str(tmp_path / "records"))
    qemu = tmp_path / "qemu"
    qemu.write_text(RECORDER)
    qemu.chmod(0o755)
    (tmp_path / "base").write_bytes(b"base")
    return BoardProducts(qemu, Path("/kernel"), tmp_path / "base")


def recorded(boards: BoardProducts) -> dict[str, str]:
    return {path.name: path.read_text() for path in (boards.qemu.parent / "records").iterdir()}


def cables(commands: dict[str, str]) -> set[tuple[str, str]]:
    """Local and remote socket names of all commands."""
    return {
        (Path(local).name, Path(remote).name)
        for text in commands.values()
        for local, remote in re.findall(r"local\.path=([^,]+),.*?remote\.path=(\S+)", text)
    }


def test_one_board_alone(boards: BoardProducts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NODES", "1")
    assert open_console({"board": boards}, {"board": load_profile("socrates")}, None) == 3
    command = recorded(boards)["board"]
    assert "-serial mon:stdio" in command
    assert "-icount" not in command
    assert "e1000" not in command


def test_a_board_with_cores_has_driver_and_provider_ready(tmp_path: Path) -> None:
    driver, provider = driver_files(b"a module"), tiny_provider(tmp_path)
    files = console_files(load_profile("socrates"), driver, provider)
    assert {file.content for file in files.values()} >= {b"a module", b"a provider", b"a library"}
    login = files["/root/.profile"].content.decode()
    assert "modprobe firesteel\n" in login
    configuration = login.split("OPENSSL_CONF=")[1].split()[0]
    assert b"[firesteel_sect]" in files[configuration].content
    assert "/job/run" not in files, "it would run instead of a shell"
    assert b"virtio" not in files["/root/.profile"].content
    both = console_files(load_profile("socrates-virtio"), driver, provider)
    assert both["/root/.profile"].content.endswith(b"modprobe virtio_crypto\n")
    assert console_files(load_profile("peer"), driver, provider) == {}


def test_a_node_s_files_are_laid_over_its_image(
    boards: BoardProducts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NODES", "2")
    topology = load_topology("host-host")
    laid: dict[str, bytes] = {}

    def note(_: Path, archive: bytes, target: Path) -> None:
        laid[target.stem] = archive

    monkeypatch.setattr("firesteel.boards.console.write_initramfs", note)
    files = {"board": {"/root/.profile": JobFile(b"echo hello")}}
    nodes = dict.fromkeys(topology.nodes, boards)
    assert open_console(nodes, load_profiles(topology), topology, files) == 3
    assert b"echo hello" in laid["board"]
    assert b"echo hello" not in laid["peer"]
    assert all(b"ip address add" in archive for archive in laid.values())


def test_a_base_image_that_is_not_there(boards: BoardProducts) -> None:
    boards.initramfs.unlink()
    with pytest.raises(FiresteelError, match="base: No such"):
        open_console({"board": boards}, {"board": load_profile("socrates")}, None)


@pytest.mark.parametrize(
    ("name", "ends"),
    [
        ("host-host", 2),
        ("three-hosts-gateway-host", 8),
    ],
)
def test_every_socket_has_its_counterpart(
    boards: BoardProducts, monkeypatch: pytest.MonkeyPatch, name: str, ends: int
) -> None:
    topology = load_topology(name)
    monkeypatch.setenv("NODES", str(len(topology.nodes)))
    nodes = dict.fromkeys(topology.nodes, boards)
    assert open_console(nodes, load_profiles(topology), topology) == 3
    commands = recorded(boards)
    assert set(commands) == set(topology.nodes)
    assert sum("mon:stdio" in command for command in commands.values()) == 1
    pairs = cables(commands)
    assert len(pairs) == ends
    assert {(there, here) for here, there in pairs} == pairs
    for node, command in commands.items():
        for port in topology.ports(node):
            assert f"id={port.interface}" in command
            assert f"netdev={port.interface},mac={port.mac}" in command
    assert not sys.stdin.closed
