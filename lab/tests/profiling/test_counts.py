# SPDX-License-Identifier: Apache-2.0
"""What the emulator wrote: by instruction, and refused when it does not add up."""

import json
from pathlib import Path
from typing import Any

import pytest

from firesteel.architectures.armhf import ARMHF
from firesteel.base.errors import FiresteelError
from firesteel.profiling.counts import Counts, Instruction, Interrupt, read_counts
from firesteel.profiling.memory import PAGE, open_memory
from firesteel.profiling.symbols import process_name

NAME = b"openvpn".hex().ljust(32, "0")
ARM = [0xC0300000, 0x2000, 3, 0, 2, 0, 0, 10, 0]
THUMB = [0x1002, 0x3002, 3, 0, 0, 1, 1, 4, 0]


def write(directory: Path, rows: list[list[int]], **other: Any) -> Counts:
    """What is read from a file with these counts, beside a memory with Thumb code."""
    memory = bytearray(4 * PAGE)
    memory[0x3000:0x3008] = bytes.fromhex("0000 fff7feff 7047")  # movs; bl; bx
    (directory / "ram").write_bytes(memory)
    total = sum(row[2] * row[7] for row in rows)
    content: dict[str, Any] = {"version": 2, "instructions": total, "cut": 0, "misfits": 0}
    content |= {"tasks": [[7, NAME]], "counts": rows, **other}
    (directory / "profile").write_text(json.dumps(content))
    with open_memory(directory / "ram") as opened:
        return read_counts(directory / "profile", opened, ARMHF.code)


def test_instructions_of_arm_are_words_and_of_thumb_what_the_code_says(tmp_path: Path) -> None:
    counts = write(tmp_path, [ARM, THUMB])
    assert counts.instructions == 42
    hard, user = counts.by_context
    assert (hard.name, hard.interrupt, hard.user) == ("openvpn", Interrupt.HARD, False)
    assert (user.interrupt, user.user) == (Interrupt.NONE, True)
    assert counts.by_context[hard] == {
        Instruction(0xC0300000 + step, 0x2000 + step, 0): 10 for step in (0, 4, 8)
    }
    assert counts.by_context[user] == {Instruction(None, 0x3000 + step, 1): 4 for step in (2, 6, 8)}


def test_processes_of_a_program_are_one_wherever_it_lies_in_them(tmp_path: Path) -> None:
    tasks = [[7, NAME], [8, NAME]]
    elsewhere = [THUMB[0] + 0x5000, *THUMB[1:3], 1, *THUMB[4:]]
    counts = write(tmp_path, [THUMB, elsewhere], tasks=tasks)
    (counter,) = counts.by_context.values()
    assert set(counter.values()) == {8}


def test_a_helper_of_the_kernels_keeps_its_address(tmp_path: Path) -> None:
    helper = [ARMHF.code.vectors + 0xFC0, 0x2FC0, 1, 0, 0, 1, 0, 5, 0]
    (counter,) = write(tmp_path, [helper]).by_context.values()
    assert counter == {Instruction(helper[0], 0x2FC0, 0): 5}


def test_a_block_that_was_left_early_is_counted_as_far_as_it_got(tmp_path: Path) -> None:
    counts = write(tmp_path, [ARM, [*ARM[:2], 1, *ARM[3:7], 5, 0]], cut=5)
    (context,) = counts.by_context
    assert counts.by_context[context][Instruction(0xC0300000, 0x2000, 0)] == 15
    assert counts.by_context[context][Instruction(0xC0300004, 0x2004, 0)] == 10


def test_code_outside_of_memory_is_counted_where_its_block_begins(tmp_path: Path) -> None:
    counts = write(tmp_path, [[0xC0300000, -1, 3, 0, 0, 0, 0, 2, 0]])
    (counter,) = counts.by_context.values()
    assert counter == {Instruction(0xC0300000, None, 0): 6}


def test_what_several_cpus_execute_is_counted_apart(tmp_path: Path) -> None:
    counts = write(tmp_path, [ARM, [*ARM[:8], 1]])
    executed = {process_name(each): of.total() for each, of in counts.by_context.items()}
    assert executed == {"[interrupts] on CPU 0": 30, "[interrupts] on CPU 1": 30}


@pytest.mark.parametrize("other", [{"instructions": 31}, {"misfits": 1}])
def test_a_sum_that_is_not_the_clocks_is_refused(tmp_path: Path, other: dict[str, int]) -> None:
    with pytest.raises(FiresteelError, match="30 instructions .* 3"):
        write(tmp_path, [ARM], **other)


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({"counts": [ARM[:7]]}, "damaged: counts"),
        ({"tasks": [[7, "no hex"]]}, "damaged: a task's name"),
        ({"tasks": []}, "damaged: counts"),
        ({"version": 1}, "version 1 is unknown"),
    ],
)
def test_a_damaged_file_is_told(tmp_path: Path, other: dict[str, Any], told: str) -> None:
    with pytest.raises(FiresteelError, match=told):
        write(tmp_path, [ARM], **other)
