# SPDX-License-Identifier: Apache-2.0
"""Nodes of two architectures: each has products, a command and a job of its own."""

import re
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from architectures.made_up_architecture import OTHER, locks_in, other_profile, products_in
from pydantic import ValidationError

from firesteel.architectures import ARCHITECTURES
from firesteel.architectures.armhf import ARMHF
from firesteel.base.checkout import BOARD
from firesteel.boards.catalog import Catalog
from firesteel.boards.command import BoardProducts, Wiring, node_command
from firesteel.boards.files import NodeFiles
from firesteel.boards.job import Job
from firesteel.boards.profile import Profile, load_profile
from firesteel.boards.result import TopologyRun
from firesteel.boards.topology import Topology, load_topology
from firesteel.build import image
from firesteel.build.cache import Cache
from firesteel.build.products import Products
from firesteel.model.cell import Cell
from firesteel.run import board_runner
from firesteel.workloads.transfer import TransferPlan


@pytest.fixture(autouse=True)
def other(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """There is another architecture, and nothing is built."""
    monkeypatch.setitem(ARCHITECTURES, OTHER.name, OTHER)
    monkeypatch.setenv("FIRESTEEL_CACHE", str(tmp_path))
    monkeypatch.setattr(Cache, "product", products_in(tmp_path))
    monkeypatch.setattr(image, "lock_path", locks_in(tmp_path))


def test_a_board_s_architecture_follows_from_its_cpu() -> None:
    assert load_profile("socrates").architecture is ARMHF
    assert other_profile().architecture is OTHER


def test_a_cpu_that_no_architecture_has_is_refused() -> None:
    known = other_profile().model_dump(mode="json")
    with pytest.raises(ValidationError, match="'cortex-a53-plain' or 'other-1'"):
        Profile.model_validate({**known, "cpu": {**known["cpu"], "model": "z80"}})


def test_what_is_for_guests_is_built_for_each_and_the_emulator_once() -> None:
    ours, theirs = Products(), Products(architecture=OTHER)
    for one, another in (
        (ours.build_root().key, theirs.build_root().key),
        (ours.packages().directory, theirs.packages().directory),
        (ours.image().key, theirs.image().key),
        (ours.driver(), theirs.driver()),
        (ours.development(), theirs.development()),
        (ours.artifact("provider").key, theirs.artifact("provider").key),
        (ours.artifact("openssh").directory, theirs.artifact("openssh").directory),
        (ours.artifact("openvpn-dco").key, theirs.artifact("openvpn-dco").key),
        (ours.artifact("libcrypto").key, theirs.artifact("libcrypto").key),
        (ours.artifact("lighttpd").key, theirs.artifact("lighttpd").key),
        (ours.artifact("wolfssl-front-end").key, theirs.artifact("wolfssl-front-end").key),
        (ours.artifact("kernel-layout").file, theirs.artifact("kernel-layout").file),
        (ours.debug_kernel().key, theirs.debug_kernel().key),
    ):
        assert one != another
    assert ours.artifact("qemu").directory == theirs.artifact("qemu").directory
    assert (ours.emulator().name, theirs.emulator().name) == (
        "qemu-system-arm",
        "qemu-system-other",
    )


def test_nodes_of_one_topology_are_different_machines() -> None:
    profiles = {"board": other_profile(), "peer": load_profile("peer")}
    wiring = Wiring(load_topology("host-host"), profiles, 1, Path("/s"))
    products = BoardProducts(Path("/qemu"), Path("/kernel"), Path("/initramfs"))
    board, peer = (
        " ".join(node_command(products, wiring, node, NodeFiles(Path("/run")))) for node in profiles
    )
    assert "-M plain -cpu other-1 " in board
    assert "-append console=ttyS0 " in board
    assert "-M virt,highmem=off -cpu cortex-a15 " in peer
    assert "-append console=ttyAMA0 " in peer


def ssh_cell() -> Cell:
    return Cell(
        topology="host-host",
        profiles={"board": "other", "peer": "peer"},
        measured="board",
        protocol="ssh",
        cipher="aes-256-ctr",
        mac="none",
        implementation="hardware",
        completion="adaptive",
        plans=(TransferPlan(size=1 << 20),),
    )


def test_each_node_is_run_with_what_is_built_for_it(tmp_path: Path) -> None:
    catalog, cell = Catalog(), ssh_cell()
    told: dict[str, Any] = {}
    catalog.keep("other", other_profile())

    def note(topology: Topology, jobs: Mapping[str, Job], **more: Any) -> TopologyRun:
        told.update(jobs=jobs, **more)
        return TopologyRun({}, "", topology)

    runner = board_runner.BoardRunner(catalog, boards=note)
    runner.prepare([cell])
    runner.measure(cell, tmp_path, threading.Event())
    ours, theirs = Products(), Products(architecture=OTHER)
    boards, jobs = told["boards"], told["jobs"]
    for node, products in (("board", theirs), ("peer", ours)):
        assert boards[node] == BoardProducts.of(products)
        ssh = products.artifact("openssh").directory / "ssh"
        assert jobs[node].files["/usr/bin/ssh"].content == ssh.read_bytes()
    files = jobs["board"].files
    assert files["/job/firesteel.ko"].content == theirs.driver().read_bytes()
    module = files["/usr/lib/other-linux-gnu/ossl-modules/firesteel.so"]
    assert module.content == (theirs.artifact("provider").directory / "firesteel.so").read_bytes()
    assert runner.architecture(cell) is OTHER


def test_a_run_of_both_is_told_from_a_run_of_one() -> None:
    catalog = Catalog()
    catalog.keep("other", other_profile())
    runner = board_runner.BoardRunner(catalog)
    mixed = ssh_cell()
    alone = mixed.model_copy(update={"profiles": {"board": "socrates", "peer": "peer"}})
    runner.prepare([mixed, alone])
    image = Products().image()
    assert runner.inputs(alone).versions.image == image.key
    assert runner.inputs(mixed).versions.image not in (
        image.key,
        Products(architecture=OTHER).image().key,
    )


def test_recipes_ask_for_what_an_architecture_knows_and_nothing_is_left_open() -> None:
    asked = set()
    for path in BOARD.rglob("*"):
        if path.is_file() and path.suffix != ".md" and "devices" not in path.parts:
            text = path.read_text(encoding="utf-8")
            asked |= set(re.findall(r"@([A-Z_]+)@", text))
            assert not re.search(r"@[A-Z_]+@", OTHER.fill_in(text)), path
    assert asked == OTHER.words.keys()
