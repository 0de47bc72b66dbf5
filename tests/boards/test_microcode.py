# SPDX-License-Identifier: Apache-2.0
"""Microcode of the public-key engine on a board whose engine computes nothing without it.

The driver reads it from a file and writes it before a program gets the engine, and again after a
reset.  What the bytes say is of no concern to the model; the file here is made up.
"""

from collections.abc import Mapping

import pytest
from bench import Bench, on_flat
from driver_run import AES, PREPARE, Told
from driver_run import TELL as TELL_DRIVER
from uio_scenes import DEVICES, FIRST, LOAD, TELL, Played, job_files, play

from firesteel.boards.cores import Cores, Fault
from firesteel.boards.job import JobFile
from firesteel.boards.topology import load_topology
from firesteel.build.products import Products

SIZE = 5120
"""The nRF54L15's, bytes."""

_PLACE = "mkdir -p /lib/firmware && cp /job/*.bin /lib/firmware/\n"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, JobFile]:
    made = {
        "/job/right.bin": JobFile(bytes(range(256)) * (SIZE // 256)),
        "/job/odd.bin": JobFile(bytes(SIZE - 1)),
        "/job/long.bin": JobFile(bytes(16388)),
        "/job/empty.bin": JobFile(b""),
    }
    return {**made, **job_files(Products().driver().read_bytes(), tmp_path_factory.mktemp("uio"))}


@pytest.fixture(scope="module")
def demanding(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return bench.with_cores(tmp_path_factory.mktemp("qemu"), pk_microcode=str(SIZE))


def run_board(bench: Bench, files: Mapping[str, JobFile], script: str, *cores: Cores) -> Played:
    whole = f"{PREPARE}{_PLACE}{script}dmesg | probe data dmesg\n"
    profile = on_flat("socrates").model_copy(update={"cores": cores})
    topology = load_topology("one-board")
    return Played(bench.run(topology, {"board": whole}, {"board": files}, {"board": profile}))


def test_it_is_there_before_a_program_and_after_a_reset(
    demanding: Bench, files: Mapping[str, JobFile]
) -> None:
    cores = Cores(name="pk", pk=True, faults=(Fault(kind="gone", nth=1, for_ns=30_000),))
    load = LOAD.format(options="microcode=right.bin")
    played = run_board(demanding, files, load + play("reset") + TELL, cores)
    played.assert_well("reset")
    assert played.counts(FIRST, "pk")["resets"] == 1
    assert played.cores("pk")["fault_gone"] == 1
    played.assert_quiet()


@pytest.mark.parametrize(
    ("file", "why"),
    [
        ("none.bin", "cannot be read from the firmware directories (-2)"),
        ("odd.bin", "must have 4 to 16384 bytes, a multiple of 4 (-22)"),
        ("long.bin", "must have 4 to 16384 bytes, a multiple of 4 (-22)"),
        ("empty.bin", "cannot be read from the firmware directories (-22)"),
    ],
)
def test_a_file_that_cannot_be_used_leaves_aes_in_service(
    demanding: Bench, files: Mapping[str, JobFile], file: str, why: str
) -> None:
    script = f"""{LOAD.format(options=f"microcode={file}")}
ls /sys/class/uio | probe data uio
{TELL_DRIVER}
rmmod firesteel
"""
    cores = Cores(name="both", aes=True, pk=True)
    played = run_board(demanding, files, script, cores)
    assert Told(played.run).self_tests() == dict.fromkeys(AES, "passed")
    assert played.lines("uio") == []
    (said,) = [line for line in played.lines("dmesg") if "microcode" in line]
    assert said.endswith(f"microcode {file}: {why}; the public-key engine is not used")
    played.assert_quiet()


def test_its_interrupts_on_a_shared_line_are_taken_where_it_is_not_used(
    demanding: Bench, files: Mapping[str, JobFile]
) -> None:
    script = f"""
echo 0 >{DEVICES}/{FIRST}/msi_bus
{LOAD.format(options="microcode=none.bin")}
{TELL_DRIVER}
rmmod firesteel
"""
    gone = Fault(kind="gone", nth=1, for_ns=30_000)
    cores = Cores(name="both", aes=True, pk=True, faults=(gone,))
    played = run_board(demanding, files, script, cores)
    assert Told(played.run).self_tests() == dict.fromkeys(AES, "passed")
    assert played.cores("both")["fault_gone"] == 1
    played.assert_quiet()
