# SPDX-License-Identifier: Apache-2.0
"""A study of sensitivity as the store has it: every verdict, as it is and at ends of assumptions.

    STORE/sensitivity/NAME/study.json

It is made of records, which it names, and can always be made of them again.
"""

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from firesteel.analysis.verdict import RowVerdict, Verdict
from firesteel.base.envelope import Kind
from firesteel.board.assumptions import Assumption, End
from firesteel.board.profile import Clock
from firesteel.model.identity import Identity
from firesteel.store.store import Store, write_whole

FORMAT = 1
"""The version of the file's format that this code writes and reads."""

_KIND = Kind(
    "study of sensitivity", FORMAT, "`firesteel sensitivity` makes it again from its records"
)
_FILE = "study.json"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Point(_Part):
    """What a row's figures say with one set of numbers.

    `speed` and `work` are the ratios (`analysis.verdict.RowVerdict`), `counted_speed` and
    `counted_work` what the rule counts of them: 1 where a difference is none.
    """

    verdict: Verdict
    speed: float | None
    work: float | None
    counted_speed: float
    counted_work: float
    offloaded: float | None = None

    @staticmethod
    def of(judged: RowVerdict) -> "Point":
        """What a verdict says."""
        speed, work = judged.counted
        return Point(
            verdict=judged.verdict,
            speed=judged.speed,
            work=judged.work,
            counted_speed=speed,
            counted_work=work,
            offloaded=judged.offloaded,
        )


class Extreme(_Part):
    """An end of an assumption's range on the row's board; no point where a cell failed."""

    value: float
    point: Point | None


class Swing(_Part):
    """A row at both ends of an assumption; `nominal` is the number that its board has, and `unit`
    that of all three (`board.numbers`).
    """

    assumption: str
    unit: str
    nominal: float
    low: Extreme
    high: Extreme

    def at(self, end: End) -> Extreme:
        """That end."""
        return self.low if end == "low" else self.high


class Row(_Part):
    """A verdict: what it is of, what people call it, the metric of its speed, and the addresses of
    the records in software and hardware that it is made of, of boards as they are.
    """

    identity: Identity
    name: str
    metric: str
    records: tuple[str, ...]
    nominal: Point
    swings: tuple[Swing, ...]


class Study(_Part):
    """All verdicts of an experiment that were studied, and the assumptions that varied; `left_out`
    are the names of those that mean something for its boards and did not vary.  `clocks` are those
    of the boards.
    """

    run: str
    experiment: str
    title: str
    quick: bool
    started: str
    clocks: tuple[Clock, ...]
    assumptions: tuple[Assumption, ...]
    left_out: tuple[str, ...]
    rows: tuple[Row, ...]


def study_path(store: Store, run: str) -> Path:
    """Where the study that was made of that run of `store.sensitivity` is, or would be."""
    return store.sensitivity.runs / run / _FILE


def save(store: Store, study: Study) -> Path:
    """Keeps a study, and gives its path."""
    path = study_path(store, study.run)
    write_whole(path, _KIND.sealed(study).encode())
    return path


def load(store: Store, run: str) -> Study | None:
    """That study; None where it was never finished.

    Raises `FiresteelError` when its file is damaged or of another format.
    """
    path = study_path(store, run)
    study = _KIND.read(path, Study)
    if study is None:
        return None
    known = {each.name for each in study.assumptions}
    if any(swing.assumption not in known for row in study.rows for swing in row.swings):
        raise _KIND.damaged(str(path), "a row varies with an assumption that it does not have")
    return study


def studies(store: Store) -> list[Study]:
    """All studies that came to their end, the newest first.

    Raises `FiresteelError` when one is damaged.
    """
    found = (load(store, name) for name in store.sensitivity.run_names())
    return sorted(filter(None, found), key=_age, reverse=True)


def _age(study: Study) -> tuple[str, int, str]:
    """By when it was started; of one second, by the number in its name."""
    return study.started, len(study.run), study.run
