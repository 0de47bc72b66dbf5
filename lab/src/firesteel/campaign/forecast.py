# SPDX-License-Identifier: Apache-2.0
"""What a run will take, before it starts: cells that are new, wall time, and space on the disk."""

import contextlib
import heapq
from collections.abc import Sequence
from dataclasses import dataclass
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

    With no `jobs` there is nothing yet to measure them.
    """

    cells: int
    distinct: int
    new: int
    seconds: float | None
    size: int | None
    jobs: int = 1

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
        return f"{told}, {self.new:,} new; time: {time}; space: {size}."


def forecast(
    cells: Sequence[Cell], runner: Runner, stores: Sequence[Store], jobs: int, fresh: bool = False
) -> Forecast:
    """Of cells that the runner has been prepared for; `stores` are the one that is written to and
    those of which is known what cells take, in the order of trust.
    """
    distinct = {runner.inputs(cell).key: cell for cell in cells}
    store = stores[0]
    new = [c for key, c in distinct.items() if fresh or not store.record_path(key).exists()]
    outlook = Outlook(stores)
    expected = [outlook.expected(cell) for cell in new]
    known = [each for each in expected if each is not None]
    size = _bytes_of_a_record(stores)
    return Forecast(
        cells=len(cells),
        distinct=len(distinct),
        new=len(new),
        seconds=_makespan(known, jobs) if len(known) == len(new) else None,
        size=None if size is None else size * len(new),
        jobs=jobs,
    )


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
