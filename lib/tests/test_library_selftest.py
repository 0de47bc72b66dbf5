# SPDX-License-Identifier: Apache-2.0
"""firesteel-selftest on the model: cores pass, and of a faulty one the line that must fail does.

Faults strike by number.  Opening the library makes 12 messages and 3 operations of the public-key
engine; the check of DMA makes 32 messages, each check of answers one for each of its vectors.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import pytest
import vectors_selftest
from workshop import Workshop

from firesteel.base.checkout import CHECKOUT

_MESSAGES = "pk=off,clock_hz=2000000"
_KEYS = "cryptomaster=off,aes=off,hash=off,pk_multipliers=256,clock_hz=10000000"
"""So slow that a program can sleep."""

_MICROCODE = {"nrf54l15": 5120, "efr32mg22": 8192}
"""Bytes."""


def _sections() -> dict[str, str]:
    """The page's sections by anchors."""
    page = (CHECKOUT / "docs/silicon.md").read_text(encoding="utf-8")
    parts = re.split(r"^##+ ", page, flags=re.MULTILINE)[1:]
    return {part.splitlines()[0].lower().replace(" ", "-"): part for part in parts}


_SECTIONS = _sections()


@dataclass(frozen=True)
class Said:
    """What the program says of one device."""

    status: int
    lines: tuple[str, ...]

    def checks(self, verdict: str) -> dict[str, str]:
        """Those that end so, with the rest of their lines."""
        words = [line.split(maxsplit=3) for line in self.lines[:-1]]
        return {check: rest for found, _, check, rest in words if found == verdict}

    def assert_passed(self) -> None:
        assert (self.status, self.checks("FAILED")) == (0, {})
        assert self.lines[-1].endswith("checks of the engines that are present passed.")


def _run(library: Workshop, *options: str, build: str = "plain") -> Said:
    words = " ".join(f"'{option}'" for option in options)
    program = f"/firesteel/work/{build}/lib/selftest/firesteel-selftest"
    said = "/firesteel/work/said"
    # The profile is each test's own, not the run's
    set_up = "unset FIRESTEEL_MODEL; export FIRESTEEL_TIMEOUT_MS=200"
    script = f"{set_up}; {program} {words} >{said}; echo $? >>{said}"
    library.run("Running the self-test", "sh", "-c", script)
    *lines, status = (library.work / "said").read_text().splitlines()
    return Said(int(status), tuple(lines))


def test_its_vectors_are_published_ones() -> None:
    assert vectors_selftest.FILE.read_text(encoding="utf-8") == vectors_selftest.text()


@pytest.mark.parametrize("build", ["plain", "checked"])
def test_cores_without_a_fault_pass(library: Workshop, build: str) -> None:
    said = _run(library, "--device", "model", build=build)
    said.assert_passed()
    assert set(said.checks("absent")) == {"cm-interrupt", "pk-interrupt", "proc-crypto"}


@pytest.mark.parametrize(
    ("profile", "absent"),
    [
        ("firesteel", set()),
        ("nrf54l15", {"other-engines"}),
        ("nrf54lm20a", {"other-engines"}),
        ("efr32mg22", {"other-engines", "aes-cts", "aes-xts"}),
        ("lan969x", set()),
    ],
)
def test_each_profile_passes(library: Workshop, profile: str, absent: set[str]) -> None:
    options = f"model:profile={profile},clock_hz=50000000"
    if profile in _MICROCODE:
        (library.work / "microcode").write_bytes(bytes(_MICROCODE[profile]))
        options += ",microcode=/firesteel/work/microcode"
    said = _run(library, "--device", options, "--clock", "50MHz")
    said.assert_passed()
    interrupts = {"cm-interrupt", "pk-interrupt"}
    assert set(said.checks("absent")) - interrupts == {*absent, "proc-crypto"}


_FAULTS = [
    (_MESSAGES, "gone:nth=1", "cryptomaster"),
    ("pk=off,zero=on", "gone:accesses=152", "cm-registers"),
    (_MESSAGES, "dma-error:nth=13", "dma"),
    (_MESSAGES, "dma-error:nth=53", "aes-cbc"),
    (_MESSAGES, "wrong-tag:nth=1", "aes-ccm"),
    (_MESSAGES, "wrong-tag:nth=10", "aes-gcm"),
    (_MESSAGES, "wrong-tag:nth=19", "aes-cmac"),
    (_MESSAGES, "stuck-busy:nth=63", "aes-ctr"),
    (_MESSAGES, "lost-interrupt:nth=46", "cm-interrupt"),
    (_MESSAGES, "spurious-interrupt:nth=46", "cm-interrupt"),
    (_MESSAGES, "flipped-bit:nth=13", "dma"),
    (_MESSAGES, "flipped-bit:nth=113", "sha1"),
    (_MESSAGES, "gone:nth=90:for=1000", "aes-gcm"),
    (_MESSAGES, "gone:nth=90", "aes-gcm"),
    (_KEYS, "gone:nth=1", "public-key"),
    ("cryptomaster=off,aes=off,hash=off,zero=on", "gone:accesses=1000", "pk-ram"),
    (_KEYS, "flipped-bit:nth=4", "microcode"),
    (_KEYS, "lost-interrupt:nth=6", "pk-interrupt"),
    (_KEYS, "spurious-interrupt:nth=6", "pk-interrupt"),
    (_KEYS, "stuck-busy:nth=8", "pk-rsa-public"),
    (_KEYS, "flipped-bit:nth=10", "pk-rsa-private"),
    (_KEYS, "flipped-bit:nth=22", "pk-dh"),
    (_KEYS, "flipped-bit:nth=34", "pk-ecdh-p192"),
    (_KEYS, "late:nth=150:factor=10", "time-modexp-1024"),
    (_KEYS, "gone:nth=34", "pk-ecdh-p192"),
]


@pytest.mark.parametrize(("device", "fault", "check"), _FAULTS)
def test_a_fault_fails_its_line_and_no_other(
    library: Workshop, device: str, fault: str, check: str
) -> None:
    said = _run(library, "--device", f"model:{device},faults={fault}")
    failed = said.checks("FAILED")
    assert (said.status, list(failed)) == (1, [check])
    _assert_explained(failed)
    for_ever = fault.startswith("gone") and ":for=" not in fault
    assert ("were not tried" in said.lines[-1]) == for_ever


def test_capabilities_without_a_mode_contradict_presence(library: Workshop) -> None:
    said = _run(library, "--device", "model:aes_caps=0,zero=on")
    failed = said.checks("FAILED")
    assert (said.status, list(failed)) == (1, ["cryptomaster"])
    _assert_explained(failed)


def test_an_engine_without_its_microcode_fails_there_alone(library: Workshop) -> None:
    said = _run(library, "--device", "model:profile=nrf54l15,zero=on")
    failed = said.checks("FAILED")
    assert (said.status, list(failed)) == (1, ["microcode"])
    _assert_explained(failed)
    assert "18 more were not tried" in said.lines[-1]


def test_a_clock_that_is_too_slow_is_noticed(library: Workshop) -> None:
    said = _run(library, "--device", f"model:{_KEYS}", "--clock", "1MHz")
    failed = said.checks("FAILED")
    assert list(failed) == ["time-modexp-1024", "time-modexp-2048"]
    assert all(
        rest.endswith("the clock is faster; see docs/silicon.md#timing") for rest in failed.values()
    )


def test_no_window_is_a_failure(library: Workshop) -> None:
    said = _run(library)
    failed = said.checks("FAILED")
    assert (said.status, list(failed)) == (1, ["device"])
    _assert_explained(failed)


@pytest.mark.parametrize(
    ("option", "allowed"),
    [
        ("--clock=100", "--clock 100: allowed is 1MHz to 10GHz, with Hz, kHz, MHz or GHz"),
        ("--clock=1kHz", "--clock 1kHz: allowed is 1MHz to 10GHz"),
        ("--what", "unrecognized option '--what'"),
        ("word", "it takes no words besides its options"),
    ],
)
def test_a_wrong_option_is_one_sentence(library: Workshop, option: str, allowed: str) -> None:
    program = f"/firesteel/work/plain/lib/selftest/firesteel-selftest {option}"
    script = f"{program} 2>/firesteel/work/said; [ $? = 2 ]"
    library.run("Running the self-test", "sh", "-c", script)
    (line,) = (library.work / "said").read_text().splitlines()
    assert allowed in line


def _assert_explained(failed: Mapping[str, str]) -> None:
    """The page has each line, in the section that it names."""
    for check, rest in failed.items():
        said, _, anchor = rest.partition("; see docs/silicon.md#")
        assert said.startswith("expected ")
        assert ", came " in said
        rows = [line for line in _SECTIONS[anchor].splitlines() if line.endswith(f": {said} |")]
        assert any(f"`{check}`" in row for row in rows), f"{check}: {said}"
