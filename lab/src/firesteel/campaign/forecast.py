# SPDX-License-Identifier: Apache-2.0
"""What a run will take, before it starts: cells that are new, wall time, and space on the disk."""

import contextlib
import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from firesteel.base.errors import FiresteelError
from firesteel.campaign.outlook import Outlook
from firesteel.campaign.runner import Runner
from firesteel.model.cell import Cell
from firesteel.model.names import duration
from firesteel.store.store import Store

_LOOKED_AT = 50
"""Records whose size is looked at."""


@dataclass(frozen=True)
class Forecast:
    """How many cells there are, of which so many have a record of their own (`distinct`) and so
    many must be measured (`new`); wall seconds and bytes, None where nothing is known of some.

    With no `jobs` there is nothing yet to measure them.  Where nothing says which records are
    there, `known` is false, and all count as new.
    """

    cells: int
    distinct: int
    new: int
    seconds: float | None
    size: int | None
    jobs: int = 1
    known: bool = True

    @property
    def sentence(self) -> str:
        """All of it in words."""
        told = f"{self.cells:,} cell{'s' if self.cells != 1 else ''}"
        if self.distinct < self.cells:
            told += f" with {self.distinct:,} records"
        if not self.new:
            return f"{told}, all in the store."
        time, size = "unknown, as no such cell was measured before", "unknown"
        if not self.jobs:
            time = "unknown, as no machine is ready"
        elif self.seconds is not None:
            time = f"about {duration(self.seconds)}"
        if self.size is not None:
            size = f"about {_in_words(self.size)}"
        new = f"{self.new:,} new" if self.known else f"at most {self.new:,} new"
        return f"{told}, {new}; time: {time}; space: {size}."


def forecast(
    cells: Sequence[Cell], runner: Runner, stores: Sequence[Store], jobs: int, fresh: bool = False
) -> Forecast:
    """Of cells that the runner has been prepared for; `stores` are the one that is written to and
    those of which is known what cells take, in the order of trust.
    """
    return _Forecaster(runner, stores, jobs, fresh).of([cells])


def forecast_unbuilt(cells: Sequence[Cell], stores: Sequence[Store], jobs: int) -> Forecast:
    """The same while what boards are run with is not built, so that records have no addresses."""
    distinct = list({cell.model_dump_json(): cell for cell in cells}.values())
    forecaster = _Forecaster(None, stores, jobs)
    size = _bytes_of_a_record(stores)
    return Forecast(
        cells=len(cells),
        distinct=len(distinct),
        new=len(distinct),
        seconds=forecaster.seconds(distinct),
        size=None if size is None else size * len(distinct),
        jobs=jobs,
        known=False,
    )


def forecast_of_some(
    batches: Sequence[Sequence[Cell]],
    sure: int,
    most: int,
    runner: Runner,
    stores: Sequence[Store],
    jobs: int,
) -> Forecast:
    """The same of `most` of these batches of cells, which are measured one after the other: of so
    many first ones that are `sure` to be, and of the others with the most new cells.
    """
    forecaster = _Forecaster(runner, stores, jobs)
    others = sorted(batches[sure:], key=lambda batch: -len(forecaster.new(batch)))
    return forecaster.of([*batches[:sure], *others][:most])


class _Forecaster:
    def __init__(
        self, runner: Runner | None, stores: Sequence[Store], jobs: int, fresh: bool = False
    ) -> None:
        self._runner = runner
        self._stores = stores
        self._jobs = jobs
        self._fresh = fresh

    def of(self, batches: Sequence[Sequence[Cell]]) -> Forecast:
        """Of batches one after the other; what one has measured, those behind it have."""
        distinct: dict[str, Cell] = {}
        seconds: list[float | None] = []
        count = 0
        for batch in batches:
            new = {key: cell for key, cell in self.new(batch).items() if key not in distinct}
            distinct |= self._distinct(batch)
            count += len(new)
            seconds.append(self.seconds(list(new.values())))
        known = [each for each in seconds if each is not None]
        size = _bytes_of_a_record(self._stores)
        return Forecast(
            cells=sum(map(len, batches)),
            distinct=len(distinct),
            new=count,
            seconds=sum(known) if len(known) == len(seconds) else None,
            size=None if size is None else size * count,
            jobs=self._jobs,
        )

    def new(self, cells: Sequence[Cell]) -> dict[str, Cell]:
        """Those that must be measured, by the addresses of their records."""
        store = self._stores[0]
        return {
            key: cell
            for key, cell in self._distinct(cells).items()
            if self._fresh or not store.record_path(key).exists()
        }

    def _distinct(self, cells: Sequence[Cell]) -> dict[str, Cell]:
        assert self._runner
        return {self._runner.inputs(cell).key: cell for cell in cells}

    def seconds(self, cells: Sequence[Cell]) -> float | None:
        """Wall time of cells some of which are measured side by side."""
        expected = [self._outlook.expected(cell) for cell in cells]
        known = [each for each in expected if each is not None]
        return _makespan(known, self._jobs) if len(known) == len(cells) else None

    @cached_property
    def _outlook(self) -> Outlook:
        return Outlook(self._stores)


def _makespan(seconds: Sequence[float], jobs: int) -> float:
    """Until all have ended that are handed out in order."""
    free = [0.0] * max(1, jobs)
    for each in seconds:
        heapq.heappush(free, heapq.heappop(free) + each)
    return max(free)


def _bytes_of_a_record(stores: Sequence[Store]) -> int | None:
    """The mean of what the last records take, with observations; None without any.  Runs that
    cannot be read are left out.
    """
    for store in stores:
        found = [_size(store, key) for key in _latest_keys(store)]
        if found:
            return round(sum(found) / len(found))
    return None


def _latest_keys(store: Store) -> list[str]:
    keys: dict[str, None] = {}
    for name in reversed(store.run_names()):
        if len(keys) >= _LOOKED_AT:
            break
        with contextlib.suppress(FiresteelError):  # Nothing is known of a damaged run.
            entries = store.journal(name).entries
            keys |= dict.fromkeys(each.key for each in entries if each.state == "done")
    return list(keys)[:_LOOKED_AT]


def _size(store: Store, key: str) -> int:
    files: list[Path] = [store.record_path(key), store.observations_path(key)]
    return sum(path.stat().st_blocks * 512 for path in files if path.exists())


def _in_words(size: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024 or unit == "GiB":
            break
        size /= 1024
    return f"{size:.0f} {unit}" if unit != "GiB" else f"{size:.1f} {unit}"
