# SPDX-License-Identifier: Apache-2.0
"""Sentences about the method that accompany all figures: how far to trust a board's virtual time.

A clock that counts instructions charges every one alike.  Code for cryptography executes more
instructions in a cycle than other code.  So a rate that suits whole programs makes this code too
slow; `cycles.toml` of a published study says by how much.  How far a clock that counts cycles is
off says the recorded calibration.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Annotated

from pydantic import Field

from firesteel.base import toml
from firesteel.base.checkout import RECORDED
from firesteel.base.errors import FiresteelError
from firesteel.base.toml import Table
from firesteel.boards.profile import Cpu, check_named, load_profile
from firesteel.judge.study import STUDIES, load_studies
from firesteel.model.names import all_of
from firesteel.protocols.registry import protocol_of
from firesteel.store.record import Record

FILE = "cycles.toml"

HELD_OUT = RECORDED / "calibration.toml"
"""By processor and kind of published figures that the costs were not fitted to: mean, median and
worst of their deviations in percent, and the goals (`research.calibrate` makes it)."""

OTHERS = (
    "For whole programs, other simulators' published errors are 7 % (mean) and 14 % (worst) for "
    "NEX, and 13 % to 17 % (mean) for gem5"
)
"""What other simulators publish of themselves: NEX with DSim (SOSP 2025); gem5 in SPEC CPU2006 and
PARSEC (Gutierrez et al., Sources of Error in Full-System Simulation, ISPASS 2014)."""

Measured = Collection[tuple[str, Cpu]]
"""Names of measured boards with their CPUs as recorded."""

_COUNTED = "Virtual time counts instructions, not cycles: "

_NO_BOARD = (
    "Virtual time counts instructions, or approximates cycles, as the board's profile says "
    "(docs/virtual-time.md)."
)
"""Where nothing was measured."""

_GHASH = (
    "Debian's libcrypto contains NEON code for GHASH but does not use this code on ARMv7. If it "
    "did, AES-GCM in software would be faster and offload would gain less (docs/profiles.md, What "
    "NEON would give)."
)

_ARMV7 = {"armhf", "armv7l"}
"""What Debian and the kernel call its architecture."""

_Positive = Annotated[float, Field(gt=0)]


class Board(Table):
    """A board's file, and the processor that it stands for."""

    profile: str
    """The profile of the board."""

    processor: str
    """The processor, by its maker's name."""

    clock_hz: _Positive
    """The clock that the board stands for."""


class Speed(Table):
    """What a real processor does."""

    bytes_per_second: _Positive
    """Bytes that it processes in a second."""

    clock_hz: _Positive
    """Its clock while it did that."""

    @property
    def cycles(self) -> float:
        """For a byte."""
        return self.clock_hz / self.bytes_per_second


class Algorithm(Table):
    """What an algorithm costs here and there."""

    name: str
    """What it is called."""

    suite: str
    """The suite of an experiment by which it is measured, `CIPHER:MAC`."""

    instructions_per_byte: _Positive
    """Instructions that the board executes for a byte."""

    published: Speed
    """What is published for such a processor."""


class Cycles(Table):
    """The file."""

    board: Board
    """The board, and what it stands for."""

    algorithms: Annotated[tuple[Algorithm, ...], Field(min_length=1)]
    """What cryptography costs."""

    @property
    def cpu(self) -> Cpu:
        """The board's, of its profile."""
        return load_profile(self.board.profile).cpu

    def charged(self, algorithm: Algorithm) -> float:
        """Cycles of the real clock for a byte, at the board's rate of instructions."""
        rate = self.cpu.on_clock("flat").rate
        return algorithm.instructions_per_byte * self.board.clock_hz / rate

    def stands_for(self, cpu: Cpu) -> bool:
        """Whether what the file says holds for a board with that CPU: it counts instructions, at
        the same rate.
        """
        own = ("flat", self.cpu.model, self.cpu.instructions_per_second)
        return (cpu.clock, cpu.model, cpu.instructions_per_second) == own

    @property
    def most(self) -> float:
        """How many times as slow as published software is at the worst."""
        return max(self.charged(each) / each.published.cycles for each in self.algorithms)


def load_cycles() -> tuple[Cycles, ...]:
    """The files of all studies that have one.

    Raises `FiresteelError` when one says something that is not allowed, or none has any.
    """
    found = []
    for path in filter(None, (study.file(FILE) for study in load_studies())):
        found.append(toml.read_model(path, Cycles))
        check_named(found[-1].board.profile, path)
    if not found:
        raise FiresteelError(f"{STUDIES}: no study has a `{FILE}`; one is needed.")
    return tuple(found)


def method(measured: Measured) -> str:
    """What figures in virtual time of these boards are worth: of those that count instructions, and
    of those that count cycles.
    """
    flat, cycles = _by_clock(measured)
    said = []
    if flat:
        said.append(
            f"{_COUNTED}caches, branch prediction and memory latency cost nothing, so compare "
            f"these figures with each other, not with a chip's figures. {flat_time(flat)}"
        )
    if cycles:
        names = [name for name, _ in cycles]
        said.append(
            f"Virtual time approximates cycles on the {_named(names)}. Each instruction has the "
            "fitted cost of its class, and each miss in a modelled cache adds a cost. Branch "
            "prediction, most prefetching and the write-back of data are not modelled. "
            f"{held_out_error(cpu.processor or '' for _, cpu in cycles)}"
        )
    return " ".join([*said, *_real(measured)]) or _NO_BOARD


def _real(measured: Measured) -> list[str]:
    names = dict.fromkeys(name for name, cpu in measured if cpu.clock not in ("flat", "cycles"))
    said = "real, not virtual. Times come from the wall clock, and CPU use from the kernel."
    return [f"{' and '.join(names)}: {said}"] if names else []


def method_in_short(measured: Measured) -> str:
    """The same for where there is little room, with the page that says more."""
    flat, cycles = _by_clock(measured)
    said = []
    if flat:
        files = load_cycles()
        known = [_of(cpu, files) for _, cpu in flat]
        factors = [each.most for each in known if each]
        far = f"up to {max(factors):.1f}" if all(known) else "nobody knows how many"
        said.append(
            f"{_COUNTED}cryptography in software takes {far} times too long (docs/virtual-time.md)."
        )
    if cycles:
        said.append("Virtual time approximates cycles with fitted costs (docs/calibration.md).")
    return " ".join([*said, *_real(measured)]) or _NO_BOARD


def counted(measured: Measured) -> str:
    """What clocks of these boards count, in words that begin small."""
    flat, cycles = _by_clock(measured)
    if _real(measured):
        return "the wall clock's"
    if bool(flat) == bool(cycles):
        return "instructions, or approximate cycles"
    return "approximate cycles" if cycles else "instructions, not cycles"


def software_code(records: Iterable[Record]) -> str:
    """What is to be said where software of these records is not the fastest code that there is."""
    has_ghash = any(
        protocol_of(cell := each.cell).by_provider
        and (cell.cipher == "aes-256-gcm" and cell.of_data)
        and each.setup.profiles[cell.measured].architecture_name in _ARMV7
        for each in records
    )
    return _GHASH if has_ghash else ""


def flat_time(measured: Measured) -> str:
    """What counting instructions does to figures of these boards, whose clocks do so.

    A file is of one CPU at one rate; of any other board it is not known.
    """
    files, told = load_cycles(), []
    for cycles in (*files, None):
        names = dict.fromkeys(name for name, cpu in measured if _of(cpu, files) is cycles)
        if names and cycles is None:
            told.append(
                f"How far off cryptography in software is on the {_named(names)} is not known."
            )
        elif names and cycles:
            costs = "; ".join(
                f"{cycles.charged(each):.0f} for {each.name}, where "
                f"{each.published.cycles:.0f} are published"
                for each in cycles.algorithms
            )
            told.append(
                f"On the {_named(names)}, cryptography in software is charged more cycles per byte "
                f"than a {cycles.board.processor} takes: {costs}. Where these keep the CPU busy, "
                f"gains are up to {cycles.most:.1f} times too high, and break-evens are too low. "
                "For other algorithms, the error is unknown."
            )
    return " ".join(told)


class Error(Table):
    """The errors of figures of one kind, in percent without signs, and their goals.  `goal` applies
    to each figure; `first_goal` is the goal before it was moved; `median_goal` applies to the
    median.
    """

    rows: int
    mean: float
    median: float
    worst: float
    goal: float
    first_goal: float | None = None
    median_goal: float | None = None

    @property
    def missed(self) -> str:
        """What misses its goal, and the goal, in words; nothing if nothing does."""
        missed = []
        if self.worst > min(self.goal, self.first_goal or self.goal):
            first = "" if self.first_goal is None else f", formerly ≤ {self.first_goal:g} %"
            missed.append(f"worst {_above(self.worst, self.goal)} %, goal ≤ {self.goal:g} %{first}")
        if self.median_goal is not None and self.median > self.median_goal:
            told = _above(self.median, self.median_goal)
            missed.append(f"median {told} %, goal ≤ {self.median_goal:g} %")
        return "; ".join(missed)


def _above(value: float, goal: float) -> str:
    """With a decimal if the whole number would not show the miss."""
    return f"{value:.{int(round(value) <= goal)}f}"


class HeldOut(Table):
    """The file of held-out errors."""

    processors: dict[str, dict[str, Error]]
    """By the name of the processor's file, each kind of figures."""


def held_out_error(processors: Iterable[str]) -> str:
    """Sentences: how far figures of these processors are off on the clock that counts cycles, which
    kinds missed their goal, and what other simulators publish of themselves.  Every quoted error
    comes with these facts.
    """
    known = toml.read_model(HELD_OUT, HeldOut).processors if toml.is_there(HELD_OUT) else {}
    asked = {name: known.get(name, {}) for name in dict.fromkeys(processors)}
    if not any(asked.values()):
        return "docs/calibration.md gives the errors of figures that were held out of the fit."
    return errors_in_words(asked)


def errors_in_words(processors: Mapping[str, Mapping[str, Error]]) -> str:
    """The same of these kinds of each processor, which is named if there are several."""
    told = []
    for name, kinds in processors.items():
        of = f" on {name}" if len(processors) > 1 else ""
        if not kinds:
            told.append(f"How far figures{of} are off is not known.")
            continue
        each = "; ".join(
            f"{kind} {error.mean:.0f} % and {error.worst:.0f} %" for kind, error in kinds.items()
        )
        told.append(
            f"Errors{of} for published figures that the fit did not use (mean and worst): {each}."
        )
        missed = [f"{kind} ({error.missed})" for kind, error in kinds.items() if error.missed]
        told.append(
            f"These kinds miss their error goals: {', '.join(missed)}."
            if missed
            else "All kinds meet their error goals."
        )
    return " ".join((*told, f"{OTHERS} (docs/calibration.md)."))


def _by_clock(measured: Measured) -> tuple[list[tuple[str, Cpu]], list[tuple[str, Cpu]]]:
    """The boards that count instructions, and those that count cycles."""
    flat = [(name, cpu) for name, cpu in measured if cpu.clock == "flat"]
    cycles = [(name, cpu) for name, cpu in measured if cpu.clock == "cycles"]
    return flat, cycles


def _of(cpu: Cpu, files: Iterable[Cycles]) -> Cycles | None:
    return next((cycles for cycles in files if cycles.stands_for(cpu)), None)


def _named(boards: Iterable[str]) -> str:
    """Boards by their names, in a sentence; those that differ in numbers alone, as in a sweep, by
    that of the board that they are made of.
    """
    found = list(dict.fromkeys(name.partition("+")[0] for name in boards))
    return f"board{'s' if len(found) > 1 else ''} {all_of(found)}"
