# SPDX-License-Identifier: Apache-2.0
"""Reads the emulator's counts (board/qemu/devices/profile.c), and explains their addresses.

Counted are executions of the first so many instructions of a block of code.  The addresses of those
instructions follow from the code itself, where they are of several lengths.
"""

from collections import Counter
from dataclasses import dataclass
from enum import IntEnum
from mmap import mmap
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from firesteel.architectures.architecture import Code
from firesteel.base.errors import FiresteelError
from firesteel.profiling.memory import PAGE

_VERSION = 2


class Interrupt(IntEnum):
    """What kind of interrupt the kernel said that it was in (`preempt_count`)."""

    NONE = 0
    SOFT = 1
    HARD = 2


@dataclass(frozen=True)
class Context:
    """Who executed: tasks by the name they had, in user mode or not, in an interrupt or not, and on
    which CPU where several did.
    """

    name: str
    interrupt: Interrupt
    user: bool
    cpu: int | None = None


class Instruction(NamedTuple):
    """An instruction: its virtual address, where it lies in the board's memory, and the mode that
    its code is in (`architectures.InstructionSet`).

    `offset` is None for code that lies elsewhere.  `address` is None for a program's code in
    memory, whose place differs between processes.
    """

    address: int | None
    offset: int | None
    mode: int


@dataclass(frozen=True)
class Counts:
    """Executions by context and instruction, and their sum by the emulator's own counter.

    `cut` blocks were left before their end, by an exception mostly; of them only what was executed
    is counted.
    """

    by_context: dict[Context, Counter[Instruction]]
    instructions: int
    cut: int


_Count = Annotated[int, Field(ge=0)]
_Row = tuple[
    _Count,
    Annotated[int, Field(ge=-1)],
    Annotated[int, Field(gt=0)],
    _Count,
    Interrupt,
    Literal[0, 1],
    Literal[0, 1],
    Annotated[int, Field(gt=0)],
    _Count,
]
"""Address, offset in memory, instructions, task, interrupt, user mode, the code's mode, how many
times, CPU."""


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    version: int
    instructions: _Count
    cut: _Count
    misfits: _Count
    tasks: list[tuple[_Count, str]]
    counts: list[_Row]


def read_counts(path: Path, memory: mmap, code: Code) -> Counts:
    """What is in the file `path`, by instruction.

    Raises `FiresteelError` when it is damaged, or when what was counted is not the sum.
    """
    damaged = f"{path}: this profile is damaged"
    try:
        file = _File.model_validate_json(path.read_bytes())
        tasks = [_comm(name) for _, name in file.tasks]
    except OSError as error:
        raise FiresteelError(f"{path}: cannot be read: {error.strerror}.") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise FiresteelError(f"{damaged}: {where}: {first['msg']}.") from None
    except ValueError:
        raise FiresteelError(f"{damaged}: a task's name.") from None
    if any(row[3] >= len(tasks) for row in file.counts):
        raise FiresteelError(f"{damaged}: counts of an unknown task.")
    if file.version != _VERSION:
        raise FiresteelError(f"{path}: version {file.version} is unknown; allowed is {_VERSION}.")
    counts = Counts(_by_context(file.counts, tasks, memory, code), file.instructions, file.cut)
    total = sum(counter.total() for counter in counts.by_context.values())
    if file.misfits or total != counts.instructions:
        raise FiresteelError(
            f"{path}: the emulator counted {total} instructions where its clock counted "
            f"{counts.instructions} ({file.misfits} blocks cannot be); this is a defect of "
            "Firesteel."
        )
    return counts


def _comm(text: str) -> str:
    """A task's name; bytes that are no printable ASCII are shown as `?`."""
    name = bytes.fromhex(text).split(b"\0")[0].decode("ascii", errors="replace")
    return "".join(letter if letter.isprintable() and letter.isascii() else "?" for letter in name)


def _by_context(
    rows: list[_Row], tasks: list[str], memory: mmap, code: Code
) -> dict[Context, Counter[Instruction]]:
    """Executions of the first instructions of blocks as executions of these instructions; of all
    processes of a program together, as short-lived ones are many.
    """
    blocks: Counter[tuple[Context, Instruction, int]] = Counter()
    several = any(row[8] for row in rows)
    for address, offset, executed, task, interrupt, user, mode, times, cpu in rows:
        place = offset if offset >= 0 else None
        elsewhere = user and place is not None and address < code.vectors
        begin = Instruction(None if elsewhere else address, place, mode)
        on = cpu if several else None
        context = Context(tasks[task], Interrupt(interrupt), bool(user), on)
        blocks[context, begin, executed] += times
    counters: dict[Context, Counter[Instruction]] = {}
    longest = code.instructions.longest
    for (context, begin, executed), times in blocks.items():
        counter = counters.setdefault(context, Counter())
        if begin.offset is None:
            counter[begin] += executed * times
            continue
        size = min(longest * executed, PAGE - begin.offset % PAGE)
        content = memory[begin.offset : begin.offset + size]
        step = 0
        for _ in range(executed):
            at = None if begin.address is None else begin.address + step
            counter[Instruction(at, begin.offset + step, begin.mode)] += times
            step += code.instructions.width(content[step : step + longest], begin.mode)
    return counters
