# SPDX-License-Identifier: Apache-2.0
"""What the cost model takes instructions of 32-bit ARM for: class, and the registers through which
one waits for another.

The tables in `arm/` have a line of assembly each, and what is right; the cross assembler makes
machine code of them, and the emulator's own source, compiled for the host, classifies it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from workshop import Workshop, open_workshop

from firesteel.architectures.armhf import ARMHF
from firesteel.boards.profile import INSTRUCTIONS

TABLES = Path(__file__).parent / "arm"
SETS = {"a32": 4, "t32": 4, "t16": 2}
"""The instruction sets, and how many bytes an instruction has."""

FOLLOWS = {name for name in INSTRUCTIONS if name.startswith("dependent-")}
"""Classes that follow from two instructions."""

NOT_IN = {
    "a32": {"other"},
    "t32": {"other", "supervisor-call"},
    "t16": {
        *("other", "shifted-operand", "multiply-long", "divide", "barrier", "system-read"),
        *("cache-maintenance", "exception-return", "float", "float-divide"),
        *(name for name in INSTRUCTIONS if name.startswith("neon-")),
    },
}
"""Classes that no instruction of a set is of; `other` is for what is undefined."""


@dataclass(frozen=True)
class Case:
    assembly: str
    told: str
    """Cost, result and sources, as the program writes them."""


def table(name: str) -> list[Case]:
    lines = (TABLES / f"{name}.txt").read_text().splitlines()
    rows = [line.split(" | ") for line in lines if line and not line.startswith("#")]
    return [Case(assembly, " ".join(told)) for assembly, *told in rows]


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    with open_workshop("cycles", "board/qemu/devices", "tests/cycles") as opened:
        yield opened


def source(name: str, lines: list[str]) -> str:
    """The lines in a file, and in its section `.length` how many bytes they have become."""
    mode = ".arm" if name == "a32" else ".thumb"
    head = (".syntax unified", ".arch armv7ve", ".fpu neon-vfpv4", ".text", mode, "begin:")
    return "\n".join([*head, *lines, "end:", '.section .length,"a"', ".word end - begin\n"])


@pytest.mark.parametrize("name", SETS)
def test_instructions_are_what_the_table_says(workshop: Workshop, name: str) -> None:
    cases = table(name)
    (workshop.work / f"{name}.s").write_text(source(name, [each.assembly for each in cases]))
    program = "/firesteel/checkout/tests/cycles/arm/classify.sh"
    workshop.run(f"Classifying {name}", "sh", program, name, ARMHF.toolchain.triplet)
    length = (workshop.work / f"{name}.length").read_bytes()
    assert int.from_bytes(length, "little") == SETS[name] * len(cases)
    found = (workshop.work / f"{name}.text").read_text().splitlines()
    wrong = [
        f"{case.assembly}: {told}, but it is {case.told}"
        for case, told in zip(cases, found, strict=False)
        if told != case.told
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", SETS)
def test_every_class_of_a_set_is_in_its_table(name: str) -> None:
    parts = {part for case in table(name) for part in case.told.split(" ")[0].split("+")}
    classes = {part.partition("x")[2] if part[0].isdigit() else part for part in parts}
    assert classes == set(INSTRUCTIONS) - FOLLOWS - NOT_IN[name]
