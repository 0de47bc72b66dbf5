# SPDX-License-Identifier: Apache-2.0
"""The checklist of docs/silicon.md, followed word by word as on silicon, on each profile of the
cores; and what a step prints that fails.

    board: one window with all cores, which are those of a part
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import pytest
from bench import Bench, KeptRun, on_flat
from kernel_reports import unexpected
from library_program import build_selftest
from page_steps import Step, steps_of
from setup_pages import as_a_reader, assert_output, begin, bring_up_files

from firesteel.base.checkout import CHECKOUT
from firesteel.boards.cores import Cores, Fault
from firesteel.boards.job import JobFile
from firesteel.boards.topology import load_topology
from firesteel.build.products import Products

_PAGE = "silicon.md"

_MICROCODE = {"nrf54l15": 5120, "efr32mg22": 8192}
"""Bytes."""

_Bus = Literal["pci", "sysbus"]
_OTHERS = [("nrf54l15", "pci"), ("nrf54lm20a", "pci"), ("efr32mg22", "sysbus"), ("lan969x", "pci")]
_PARTS = [
    ("firesteel", "sysbus"),
    *(pytest.param(*each, marks=pytest.mark.thorough) for each in _OTHERS),
]
"""Of each bus there are parts with microcode and without."""

_TIMES = re.compile(r"^ok +\S+ +(time-\S+) .*the model has [\d.]+ \(([\d.]+) times\)", re.MULTILINE)


_BEGIN = begin() + "echo N >/sys/module/cryptomgr/parameters/notests\n"
"""The image boots without the kernel's self-tests, for speed."""


@pytest.fixture(scope="module")
def selftest(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return build_selftest(Products(), tmp_path_factory.mktemp("selftest"))


def _run(bench: Bench, script: str, files: Mapping[str, JobFile], *cores: Cores) -> KeptRun:
    profile = on_flat("socrates").model_copy(update={"cores": cores})
    topology = load_topology("one-board")
    return bench.run(topology, {"board": script}, {"board": files}, {"board": profile})


def _whole(bus: _Bus) -> Cores:
    return Cores(name="soc", bus=bus, aes=True, hash=True, pk=True)


def _steps(profile: str) -> Sequence[Step]:
    """The page's, of a reader whose part needs microcode or does not."""
    give = "give-the-cores-to-the-self-test"
    if profile in _MICROCODE:
        give += "-with-microcode"
    sections = ["build-driver-and-library", give, "run-the-self-test", "take-the-cores-back"]
    if profile not in _MICROCODE:
        sections.append("check-the-kernels-side")
    return [step for section in sections for step in steps_of(_PAGE, section)]


@pytest.mark.parametrize(("profile", "bus"), _PARTS)
def test_each_step(bench: Bench, selftest: bytes, tmp_path: Path, profile: str, bus: _Bus) -> None:
    steps = _steps(profile)
    files = bring_up_files(selftest, bytes(_MICROCODE.get(profile, 0)))
    script = f"{_BEGIN}{as_a_reader(steps)}dmesg | probe data dmesg\n"
    run = _run(bench.with_cores(tmp_path, bus=bus, profile=profile), script, files, _whole(bus))
    assert_output(steps, run)
    assert unexpected(run.text("board", "dmesg")) == []
    printed = next(
        run.text("board", f"step-{number}")
        for number, step in enumerate(steps)
        if step.kind == "commands" and "firesteel-selftest --clock" in step.lines[0]
    )
    times = {check: float(ratio) for check, ratio in _TIMES.findall(printed)}
    assert len(times) == 8
    assert all(0.97 < ratio < 1.03 for ratio in times.values()), times


_SOC, _SILENT = "0000:00:02.0", "c000000.silex"
"""What the kernel calls the windows of the board whose steps fail."""

_TRY = "firesteel-selftest | probe data {name} || true\n"
_UNLOAD = "rmmod firesteel\n"


def _try(name: str, *, load: str) -> str:
    """Shell lines that load the driver so, and hand over what the self-test says."""
    return f"insmod driver/firesteel.ko {load}\n{_TRY.format(name=name)}{_UNLOAD}"


@pytest.mark.thorough
def test_what_a_step_prints_that_fails(bench: Bench, selftest: bytes, tmp_path: Path) -> None:
    """The window needs microcode; another one never raises an interrupt."""
    script = f"""{_BEGIN}{as_a_reader(steps_of(_PAGE, "build-driver-and-library"))}
{_TRY.format(name="none")}
insmod driver/firesteel.ko 2>&1 | probe data unloaded || true
modprobe -a authenc uio
{_try("unnamed", load="user=all")}
{_try("missing", load="user=all microcode=microcode.bin")}
dmesg | probe data dmesg
mkdir -p /lib/firmware
cp microcode.bin /lib/firmware/
{_try("kernels", load="microcode=microcode.bin")}
"""
    silent = Cores(
        name="silent", bus="sysbus", pk=True, faults=(Fault(kind="lost-interrupt", rate=1),)
    )
    files = bring_up_files(selftest, bytes(_MICROCODE["nrf54l15"]))
    nrf = bench.with_cores(tmp_path, profile="nrf54l15")
    run = _run(nrf, script, files, _whole("pci"), silent)
    for name, window, check in (
        ("none", "-", "device"),
        ("unnamed", _SOC, "microcode"),
        ("unnamed", _SILENT, "pk-interrupt"),
        ("missing", _SOC, "public-key"),
        ("kernels", _SOC, "cryptomaster"),
    ):
        _assert_on_page(_said(run.text("board", name), window, check), check)
    _assert_on_page(run.text("board", "unloaded").strip())
    log = run.text("board", "dmesg").splitlines()
    missing = {line[line.index("microcode ") :] for line in log if ": microcode " in line}
    _assert_on_page(missing.pop())
    assert missing == set()


@pytest.mark.thorough
def test_what_is_said_of_a_kernel_that_gets_wrong_answers(bench: Bench, selftest: bytes) -> None:
    script = f"""{_BEGIN}{as_a_reader(steps_of(_PAGE, "build-driver-and-library"))}
modprobe -a authenc uio
{_try("wrong", load="")}
"""
    wrong = Cores(name="soc", aes=True, pk=True, faults=(Fault(kind="flipped-bit", rate=1),))
    run = _run(bench, script, bring_up_files(selftest, b""), wrong)
    _assert_on_page(_said(run.text("board", "wrong"), "-", "proc-crypto"), "proc-crypto")


def _said(printed: str, window: str, check: str) -> str:
    """What the self-test says of a check that has not passed."""
    words = [line.split(maxsplit=3) for line in printed.splitlines()]
    unpassed = [each for each in words if each[0] in ("FAILED", "absent")]
    (found,) = [rest for _, *where, rest in unpassed if where == [window, check]]
    return found.partition("; see ")[0]


def _assert_on_page(said: str, check: str = "") -> None:
    page = (CHECKOUT / "docs" / _PAGE).read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.endswith(f" {said} |")]
    assert any(f"`{check}`" in row or not check for row in rows), f"{check}: {said}"
