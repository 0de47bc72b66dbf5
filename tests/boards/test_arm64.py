# SPDX-License-Identifier: Apache-2.0
"""Boards with 64-bit processors.  Their products are built only if all tests are asked for."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from bench import (
    SERVE,
    Bench,
    KeptRun,
    assert_equal_runs,
    await_node,
    other_load,
    release,
    two_hosts,
)
from driver_run import AES, LOAD, PREPARE, TELL, Told
from guest_module import MODULES, build_module
from order_outcome import outcomes
from scenario import PEER
from test_several_cpus import WORK, assert_sums

from firesteel.architectures.arm64 import ARM64
from firesteel.boards.command import BoardProducts, Snapshots
from firesteel.boards.job import JobFile
from firesteel.boards.profile import Profile, load_profile
from firesteel.boards.topology import load_topology
from firesteel.build.cache import NotBuiltError, nothing_is_built
from firesteel.build.products import Products

SAY = """
uname -m | probe data machine
sed -n 's/^Features.*: //p' /proc/cpuinfo | probe data features
dmesg --level emerg,alert,crit,err 2>/dev/null | probe data faults
"""


@pytest.fixture(scope="session")
def wide(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Bench]:
    """Where 64-bit boards are run."""
    products = Products(architecture=ARM64)
    try:
        if request.config.getoption("tier") == "all":
            boards = BoardProducts.of(products)
        else:
            with nothing_is_built():
                boards = BoardProducts.of(products)
    except NotBuiltError:
        pytest.skip("`firesteel build image --board gateway-a53` builds what this needs")
    bench = Bench(boards, lambda: tmp_path_factory.mktemp("wide"))
    yield bench
    bench.clean()


def test_one_has_cryptographic_instructions_and_the_other_has_none(wide: Bench) -> None:
    profiles = {"board": load_profile("gateway-a53"), "peer": load_profile("gateway-a53-plain")}
    scripts = {"board": f"{SAY}{await_node(PEER)}{release(PEER)}", "peer": SAY + SERVE}
    run = wide.run(two_hosts(), scripts, profiles=profiles)
    extension = {"aes", "pmull", "sha1", "sha2"}
    for node, wanted in (("board", extension), ("peer", set[str]())):
        assert run.text(node, "machine") == "aarch64\n"
        each = run.text(node, "features").splitlines()
        assert len(each) == profiles[node].cpu.count
        assert {extension & set(features.split()) == wanted for features in each} == {True}
        assert run.text(node, "faults") == ""
    assert_sums(run)


def with_cpus(count: int) -> Profile:
    """The gateway with so many CPUs."""
    own = load_profile("gateway-a53")
    return own.model_copy(update={"cpu": own.cpu.model_copy(update={"count": count})})


@pytest.mark.thorough
@pytest.mark.parametrize("gic", [2, 3])
@pytest.mark.parametrize("count", [1, 4])
def test_the_host_moves_nothing_of_a_64_bit_board(
    wide: Bench, tmp_path_factory: pytest.TempPathFactory, count: int, gic: int
) -> None:
    other = wide.with_options(f"-M gic-version={gic}", tmp_path_factory.mktemp("gic"))
    profiles = {"board": with_cpus(count)}
    one_board = load_topology("one-board")
    quiet = other.with_snapshots(None).run(one_board, {"board": WORK}, profiles=profiles)
    with other_load():
        again = other.run(one_board, {"board": WORK}, profiles=profiles)
    assert_equal_runs(again, quiet)


@pytest.mark.thorough
def test_a_snapshot_moves_nothing_beside_a_32_bit_peer(wide: Bench, tmp_path: Path) -> None:
    peer = {"peer": BoardProducts.of(Products())}
    profiles = {"board": load_profile("gateway-a53"), "peer": load_profile("peer")}
    ping = f"{await_node(PEER)}ping -n -i 0 -c 20 -s 1400 {PEER} | probe data ping\n{release(PEER)}"
    scripts = {"board": f"{SAY}{ping}", "peer": SAY + SERVE}

    def run(bench: Bench) -> KeptRun:
        return bench.run(load_topology("host-host"), scripts, profiles=profiles, boards=peer)

    booted = run(wide.with_snapshots(None))
    assert (booted.text("board", "machine"), booted.text("peer", "machine")) == (
        "aarch64\n",
        "armv7l\n",
    )
    assert b" 0% packet loss" in booted.run.nodes["board"].data["ping"]
    warm = wide.with_snapshots(Snapshots(tmp_path))
    for _ in ("made", "used"):
        assert_equal_runs(run(warm), booted)
    assert len(list(tmp_path.iterdir())) == 2


_BOUNCED = f"""
{PREPARE}
{LOAD}
echo 0 >/sys/module/firesteel/parameters/minimum
insmod /job/order.ko threads=4 mixed=1 count=1000 entry=16
{TELL}
dmesg | probe data dmesg
"""


@pytest.mark.thorough
def test_the_driver_does_without_bounce_buffers_that_run_out(wide: Bench, tmp_path: Path) -> None:
    """All DMA goes through 512 buffers, of which each entry of a list takes one."""
    products = Products(architecture=ARM64)
    module = build_module(products, "order", MODULES / "order", tmp_path)
    cmdline = tmp_path / "cmdline"
    cmdline.write_text(f"{wide.boards.cmdline.read_text().strip()} swiotlb=512,force\n")
    files = {
        "/job/firesteel.ko": JobFile(products.driver().read_bytes()),
        "/job/order.ko": JobFile(module),
    }
    bench = wide.on(replace(wide.boards, cmdline=cmdline)).with_snapshots(None)
    run = bench.run(
        load_topology("one-board"),
        {"board": _BOUNCED},
        {"board": files},
        {"board": load_profile("gateway-a53").on_clock("flat")},
    )
    told = Told(run)
    assert told.self_tests() == dict.fromkeys(AES, "passed")
    (outcome,) = outcomes(run.text("board", "dmesg"))
    assert outcome[:4] == (4000, 0, 0, 0)
    assert "swiotlb buffer is full" in run.text("board", "dmesg")
    assert told.requests("software-shape")["cbc-aes"] > 0 < told.requests("hardware")["cbc-aes"]
    told.assert_quiet()
