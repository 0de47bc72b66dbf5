# SPDX-License-Identifier: Apache-2.0
"""The cores at work in two boards that talk to each other meanwhile.

    board: crypto0 AES, hash, public key  10.0.0.1 ──── 10.0.0.2  peer: crypto0 AES, public key;
           crypto1 AES, hash                                            they take no time, and
                                                                        the 9th result is wrong
                                                                        soc public key, unused

A kernel module (guest/exercise/) keeps all cores busy, waits for them by interrupt and by polling
in turn, and checks what they compute. Interrupts are vectors on one board, and the function's pin
on the other.
"""

import re
import subprocess

import pytest
from bench import SERVE, Bench, KeptRun, assert_equal_runs, await_node, on_flat, other_load, release
from exercise import TELL, Told, counted, told
from guest_module import MODULES, build_module

from firesteel.boards.command import BoardProducts
from firesteel.boards.cores import Cores, Fault, Timing
from firesteel.boards.job import JobFile
from firesteel.boards.topology import load_topology
from firesteel.build.products import Products

BOARD, PEER = "10.0.0.1", "10.0.0.2"
PINGS = 100
SIZE = 8000

_BUSY = """
insmod /job/exercise.ko {options}
probe mark busy.begin
"""

_TREE = """
cd /sys/firmware/devicetree/base/platform-bus@*/silex@*
cat compatible interrupt-names | tr '\\0' ' ' | probe data tree
"""

_BOARD = f"""
{await_node(PEER)}{_BUSY.format(options="")}
ping -n -i 0 -c {PINGS} -s {SIZE} {PEER} | probe data ping
{TELL}{release(PEER)}
"""

_PEER = f"{await_node(BOARD)}{_BUSY.format(options='pin=1')}{SERVE}{TELL}{_TREE}"


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return build_module(
        Products(), "exercise", MODULES / "exercise", tmp_path_factory.mktemp("exercise")
    )


def exercise(bench: Bench, module: bytes) -> KeptRun:
    """Run it once."""
    profile = on_flat("socrates")
    spoilt = {"timing": Timing(zero=True), "faults": (Fault(kind="flipped-bit", nth=9),)}
    wrong = profile.cores[0].model_copy(update=spoilt)
    unused = Cores(name="soc", bus="sysbus", pk=True)
    files = {"/job/exercise.ko": JobFile(module)}
    return bench.run(
        load_topology("host-host"),
        {"board": _BOARD, "peer": _PEER},
        {"board": files, "peer": files},
        {
            "board": on_flat("socrates-hash"),
            "peer": profile.model_copy(update={"cores": (wrong, unused)}),
        },
    )


@pytest.fixture(scope="module")
def exercised(bench: Bench, module: bytes) -> KeptRun:
    return exercise(bench, module)


def test_all_cores_of_all_windows_compute_and_interrupt(exercised: KeptRun) -> None:
    first, second = told(exercised, "board")
    assert second.keys() == {"symmetric"}
    for core in (first["symmetric"], first["public-key"], second["symmetric"]):
        assert core.done > 50
        assert core.wrong == 0
        assert core.interrupts >= core.done // 2


def test_the_devices_count_what_the_guest_had_done(exercised: KeptRun) -> None:
    # The interrupt that ends the clearing after power-on waits for the guest. In zero time it also
    # comes when the device is made, before the machine's first reset.
    for windows, counts, unseen in (
        (told(exercised, "board"), counted(exercised, "board", "crypto0", "crypto1"), 0),
        (told(exercised, "peer"), counted(exercised, "peer", "crypto0"), 1),
    ):
        assert len(windows) == len(counts)
        for window, count in zip(windows, counts, strict=True):
            nothing = Told(0, 0, 0)
            symmetric = window.get("symmetric", nothing)
            public = window.get("public-key", nothing)
            assert (count["cm_jobs"], count["pk_operations"]) == (symmetric.done, public.done)
            assert count["aes_jobs"] + count["hash_jobs"] == symmetric.done
            assert count["cm_interrupts"] == symmetric.interrupts
            assert count["pk_interrupts"] == public.interrupts + unseen
            assert count["cm_bus_errors"] == 0


def test_operations_take_time_unless_the_profile_says_otherwise(exercised: KeptRun) -> None:
    first, second = counted(exercised, "board", "crypto0", "crypto1")
    (peer,) = counted(exercised, "peer", "crypto0")
    assert first["cm_busy_ns"] > 0 < second["cm_busy_ns"]
    assert first["pk_busy_ns"] > 0
    assert peer["cm_busy_ns"] == peer["pk_busy_ns"] == 0


def test_a_core_that_is_not_there_does_nothing(exercised: KeptRun) -> None:
    first, second = counted(exercised, "board", "crypto0", "crypto1")
    (peer,) = counted(exercised, "peer", "crypto0")
    assert first["hash_jobs"] > 0
    assert second["pk_operations"] == second["pk_busy_ns"] == 0
    assert peer["hash_jobs"] == 0


def test_a_window_of_the_platform_bus_is_in_the_device_tree(exercised: KeptRun) -> None:
    assert exercised.text("peer", "tree") == "firesteel,silex cryptomaster pk "
    (counts,) = counted(exercised, "peer", "soc")
    assert counts["register_reads"] == counts["register_writes"] == 0


def test_a_fault_of_the_profile_strikes_once(exercised: KeptRun) -> None:
    (window,) = told(exercised, "peer")
    (counts,) = counted(exercised, "peer", "crypto0")
    assert sum(core.wrong for core in window.values()) == counts["fault_flipped_bit"] == 1


def test_bytes_and_halfwords_are_without_effect(exercised: KeptRun) -> None:
    for node in ("board", "peer"):
        assert "done" in exercised.text(node, "exercise")
        assert "without effect" not in exercised.text(node, "exercise")


def test_the_boards_talked_meanwhile(exercised: KeptRun) -> None:
    node = exercised.run.nodes["board"]
    assert b" 0% packet loss" in node.data["ping"]
    begin, end = node.mark("busy.begin"), node.mark("busy.end")
    for way in ("tx_bytes", "rx_bytes"):
        assert getattr(end.ports["eth0"], way) - getattr(begin.ports["eth0"], way) > PINGS * SIZE


def test_busy_cores_give_equal_runs_under_foreign_load(
    bench: Bench, module: bytes, exercised: KeptRun
) -> None:
    with other_load():
        assert_equal_runs(exercise(bench, module), exercised)


def test_the_device_knows_every_key_of_a_profile(boards: BoardProducts) -> None:
    every = Cores(name="c", aes=True, pk_multipliers=1, faults=(Fault(kind="gone", nth=1),))
    keys = {*every.properties(1), *Timing.model_fields}
    for device in ("silex-pci", "silex-sysbus"):
        said = emulator(boards, f"{device},help").stdout
        assert keys <= set(re.findall(r"^ +(\w+)=", said, re.MULTILINE))


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("pk_multipliers", "5", "pk_multipliers must be 1, 4, 16, 64 or 256"),
        ("hash", "maybe", "must be on or off"),
        ("faults", "late:nth=0", "it reads KIND:rate=N or KIND:nth=N with N from 1"),
    ],
)
def test_the_device_refuses_a_wrong_value_in_a_sentence(
    boards: BoardProducts, key: str, value: str, says: str
) -> None:
    done = emulator(boards, f"silex-pci,{key}={value}")
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert says in line


def emulator(boards: BoardProducts, device: str) -> "subprocess.CompletedProcess[str]":
    """The emulator with one device, which ends it at once."""
    machine = ["-machine", "virt,highmem=off", "-nodefaults", "-display", "none"]
    return subprocess.run(
        [str(boards.qemu), *machine, "-device", device],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
