# SPDX-License-Identifier: Apache-2.0
"""`python -m research.engine`: what calls of a program to a published engine take, predicted by a
few numbers of the kernel's way to it (`published/sa3ul/`).

    time of a call = (system call + sleeping and waking + driver) / clock + engine + bytes · byte

The CPU does what is in brackets.  A system call and sleeping are rows of the same processor.  The
driver and the engine follow from two sizes of the first chip and its CPU use; a byte of AES is a
part for each round, and a rest.  Another chip has another clock and other costs of a byte.  A hash
whose calls keep the CPU busy is computed by it, at what a byte costs its software.
"""

import datetime
from collections.abc import Mapping
from functools import cached_property
from statistics import fmean, median
from typing import Literal

import polars as pl
from pydantic import Field
from rich.console import Console

from firesteel.base import toml
from firesteel.base.tidy import read_rows
from firesteel.base.toml import Table
from firesteel.judge.study import STUDIES
from firesteel.show.grid import Grid, show
from firesteel.store.store import Store
from firesteel.table import BOARD, SWEPT, rows
from research.asked import StoreOption, application, main, open_store
from research.processor import load_processors

FOLDER = STUDIES / "sa3ul"

RUN = "engines"
"""The run on boards that stand for the chips."""

_Key = tuple[str, str, int]
"""Chip, algorithm and bytes of a call."""

_ROUNDS = {"aes-128": 10, "aes-192": 12, "aes-256": 14}

_BUSY = 90
"""Percent of CPU use from which nothing but the CPU works."""


class Chip(Table):
    """A chip: its engine, the board that stands for it, the page of the source, and the clock of
    the processor.

    CPU use is in percent over all sizes, of AES-128-CBC and of SHA-256.
    """

    engine: str
    board: str
    page: str
    clock_hz: int = Field(gt=0)
    cpu_percent: float = Field(gt=0, le=100)
    hash_cpu_percent: float = Field(gt=0, le=100)


class EngineFile(Table):
    """The file `engine.toml`: the source, the day on which rows got their roles, the folder of the
    processor's rows, and chips.  The first chip is fitted by two sizes, the others by one.
    """

    title: str
    url: str
    conditions: str
    date: datetime.date
    processor: str
    chips: Mapping[str, Chip]


class Call(Table):
    """A row of `calls.csv`: bytes of a call, 10^6 bytes a second, and the line in the guide."""

    chip: str
    algorithm: str
    size: int = Field(gt=0)
    role: Literal["fitted", "held-out"]
    mb_per_s: float = Field(gt=0)
    line: int = Field(gt=0)


class Engine:
    """The engines' numbers, in µs for calls and ns for bytes.

    Raises `FiresteelError` when a file is not as it should be.
    """

    def __init__(self) -> None:
        self.file = toml.read_model(FOLDER / "engine.toml", EngineFile)
        columns = tuple(Call.model_fields)
        rows = read_rows(FOLDER / "calls.csv", columns, "published calls")
        self.calls = [Call.model_validate(row) for row in rows]
        processors = {each.name: each for each in load_processors()}
        self._costs = {cost.id: cost for cost in processors[self.file.processor].costs}
        self.chips, self.first = self.file.chips, next(iter(self.file.chips))
        self.sizes = sorted({call.size for call in self.calls})
        self._fitted = {
            (call.chip, call.algorithm, call.size): call.size / call.mb_per_s
            for call in self.calls
            if call.role == "fitted"
        }

    @cached_property
    def call(self) -> tuple[float, float]:
        """Cycles of a call without bytes on the first chip: the CPU's part, and the engine's."""
        short, long = (self._fitted[self.first, "aes-128-cbc", self.sizes[at]] for at in (0, -1))
        slope = (long - short) / (self.sizes[-1] - self.sizes[0])
        whole = short - slope * self.sizes[0]
        cpu = self.chips[self.first].cpu_percent / 100
        cpu /= fmean(1 / (whole + slope * size) for size in self.sizes)
        return cpu, whole - cpu

    def slower(self, chip: str) -> float:
        """Clock of the first chip, divided by this chip's."""
        return self.chips[self.first].clock_hz / self.chips[chip].clock_hz

    def byte(self, chip: str, algorithm: str) -> float:
        """A byte of AES, whatever the mode."""
        whole, most = self.call[0] * self.slower(chip) + self.call[1], self.sizes[-1]
        names = ("aes-128-cbc", "aes-256-cbc")
        short, long = ((self._fitted[chip, name, most] - whole) * 1e3 / most for name in names)
        return short + (long - short) * (_ROUNDS[algorithm.rsplit("-", 1)[0]] - 10) / 4

    def software(self, chip: str, name: str) -> float:
        """A byte on the CPU, by the processor's row of the largest size."""
        return self._costs[f"{name}-{self.sizes[-1]}"].value * 1e9 / self.chips[chip].clock_hz

    def predicted(self, chip: str, algorithm: str, size: int) -> float | None:
        """A call; None of a hash that an engine computed."""
        cpu, engine = self.call
        if algorithm in self.hashes(chip):
            least = self.sizes[0]
            cpu = self._fitted[self.first, "sha256", least]
            cpu -= self.software(self.first, "sha256") * least / 1e3
            return cpu * self.slower(chip) + self.software(chip, algorithm) * size / 1e3
        if algorithm.startswith("sha"):
            return None
        return cpu * self.slower(chip) + engine + self.byte(chip, algorithm) * size / 1e3

    def hashes(self, chip: str) -> tuple[str, ...]:
        """Those that the CPU computes."""
        return ("sha256", "sha512") if self.chips[chip].hash_cpu_percent >= _BUSY else ()

    def parts(self, busy: Mapping[str, float]) -> Grid | None:
        """Where the time of a call without bytes goes, and what a byte takes.  CPU use is the
        predicted, the published and the board's, if `busy` has the chip.
        """
        clock = self.chips[self.first].clock_hz
        rows = {name: self._costs[name].at(clock) / 1e3 for name in ("null-call", "read", "write")}
        sleep = self._costs["pipe"].at(clock) / 2e3 - rows["read"] - rows["write"]
        parts = {"call": rows["null-call"], "sleep": sleep}
        parts["driver"] = self.call[0] - sum(parts.values())
        lines = []
        for chip, of in self.chips.items():
            times = [self.predicted(chip, "aes-128-cbc", size) or 0 for size in self.sizes]
            cpu = self.call[0] * self.slower(chip)
            line = {"": f"{chip}, {of.engine}"}
            line |= {name: f"{part * self.slower(chip):.1f}" for name, part in parts.items()}
            line |= {"engine": f"{self.call[1]:.1f}", "together": f"{cpu + self.call[1]:.1f}"}
            line["ns a byte"] = f"{self.byte(chip, 'aes-128-cbc'):.2f}"
            line["CPU, %"] = f"{100 * fmean(cpu / time for time in times):.0f}"
            line["chip"] = f"{of.cpu_percent:g}"
            lines.append(line | ({"board": f"{busy[chip]:.0f}"} if chip in busy else {}))
        return Grid.of("A call of AES-128-CBC, in microseconds", lines)

    def measured(self, store: Store, metric: str = "time_per_request") -> dict[_Key, float]:
        """Calls of programs on the boards, by default their µs; nothing of a store without such a
        run.
        """
        if RUN not in store.run_names():
            return {}
        calls = rows(store, RUN).filter(pl.col("metric") == metric)
        chips = {of.board: chip for chip, of in self.chips.items()}
        found = calls.select(BOARD, "cipher", pl.col(SWEPT).struct["size_bytes"], "value")
        return {(chips[board], cipher, size): value for board, cipher, size, value in found.rows()}

    def busy(self, store: Store) -> dict[str, float]:
        """The mean CPU use of AES-128-CBC over all sizes on each chip's board, in percent."""
        found = self.measured(store, "cpu").items()
        uses = {
            chip: [use for (of, name, _), use in found if (of, name) == (chip, "aes-128-cbc")]
            for chip in self.chips
        }
        return {chip: fmean(those) for chip, those in uses.items() if those}

    def estimated(self) -> dict[_Key, float]:
        """All calls that can be predicted, µs."""
        keys = [(call.chip, call.algorithm, call.size) for call in self.calls]
        return {key: found for key in keys if (found := self.predicted(*key)) is not None}

    def deviations(
        self, title: str, found: Mapping[_Key, float], *, by_chip: bool = False
    ) -> Grid | None:
        """How much longer held-out calls take than published, by chip and algorithm; or by chip,
        ciphers and hashes apart.
        """
        groups: dict[str, list[tuple[float, int]]] = {}
        for call in self.calls:
            key = (call.chip, call.algorithm, call.size)
            if call.role == "held-out" and key in found:
                off = (found[key] * call.mb_per_s / call.size - 1) * 100
                kind = "hashes" if call.algorithm.startswith("sha") else "AES"
                of = kind if by_chip else call.algorithm
                groups.setdefault(f"{call.chip}, {of}", []).append((off, call.size))
        lines = []
        for name, those in groups.items():
            worst, size = max(those, key=lambda each: abs(each[0]))
            line = {"": name, "rows": str(len(those))}
            line["median, without sign"] = f"{median(abs(off) for off, _ in those):.1f}"
            lines.append({**line, "worst": f"{worst:+.1f}", "at": f"{size:,} B"})
        return Grid.of(f"Held-out calls{title}: how much longer than published, %", lines)


def predict(place: StoreOption = None) -> None:
    """Predict published calls to engines from a few numbers of the way through the kernel.

    If the store has the run `engines`, boards predict the calls too.
    """
    engine, console, store = Engine(), Console(), open_store(place)
    on_boards = engine.measured(store)
    for grid in (
        engine.parts(engine.busy(store)),
        engine.deviations(" of a chip by these numbers", engine.estimated(), by_chip=True),
        engine.deviations(" by these numbers", engine.estimated()),
        engine.deviations(" on boards", on_boards),
    ):
        show(console, grid)


app = application(predict)

if __name__ == "__main__":
    main(app)
