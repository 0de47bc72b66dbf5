# SPDX-License-Identifier: Apache-2.0
"""A core's data sheet: how fast its clock must be, and where offload breaks even."""

from collections.abc import Sequence

from firesteel.advice.sweep import Line, SweepAnswer, Swept, SweptRow, sweep_answer
from firesteel.base.errors import FiresteelError
from firesteel.board.numbers import Path
from firesteel.model.names import all_of
from firesteel.report.charts import Chart
from firesteel.report.findings import Findings
from firesteel.report.response import response_chart
from firesteel.workloads import titles
from tools.gallery.exhibit import Exhibit, Sentences, needed
from tools.gallery.words import amount, size, sizes


def _chart(found: Findings) -> Chart | None:
    return response_chart(_answer(found))


def _answer(found: Findings) -> SweepAnswer:
    answer = sweep_answer(found.results)
    if answer is None or len(answer.paths) != 1 or not answer.kinds:
        raise FiresteelError(
            f"The gallery needs a sweep of one number in software and in hardware; the run "
            f"`{found.results.journal.name}` is none."
        )
    return answer


def _sentences(found: Findings) -> Sentences:
    answer = _answer(found)
    (path,) = answer.paths
    line = _line(answer, answer.kinds[0], found)
    rows = sorted(answer.rows, key=_bytes)
    return _verdict(line, path, rows[-1]), _figures(rows[-1], path), _sizes(answer, rows, found)


def _line(answer: SweepAnswer, kind: Swept, found: Findings) -> Line:
    (line,) = needed(list(answer.lines(kind, 0)), "two values of what varies", found)
    return line


def _bytes(row: SweptRow) -> int:
    return size(row.pair)


def _verdict(line: Line, path: Path, row: SweptRow) -> str:
    of = row.pair.identity
    what = titles.configuration(of.protocol, of.cipher, of.mac)
    span = f"from {path.said(line.points[0][0])} to {path.said(line.points[-1][0])}"
    if where := line.where(path, always="", never=""):
        return f"It depends on the clock: offload helps {what} {where}."
    word, at = ("Yes", "every") if line.verdict == "helps" else ("No", "no")
    return f"{word}: offload helps {what} at {at} clock {span}."


def _figures(row: SweptRow, path: Path) -> str:
    """What the largest blocks reach, at the slowest clock and at the fastest."""
    there = sorted((at[0], pair) for at, pair in row.at.items() if at[0] is not None)
    (slow, first), (fast, last) = there[0], there[-1]
    return (
        f"OpenSSL encrypts blocks of {sizes([_bytes(row)])} at {amount(first.hardware)} MB/s with "
        f"a core of {path.said(slow)} and at {amount(last.hardware)} MB/s with one of "
        f"{path.said(fast)}, where software reaches {amount(last.software)} MB/s."
    )


def _sizes(answer: SweepAnswer, rows: Sequence[SweptRow], found: Findings) -> str:
    (path,) = answer.paths
    told: list[str] = []
    for row in rows:
        where = _line(answer, row.alone, found).where(
            path, always="at every clock measured", never="at none"
        )
        gain = "" if told else " gain"
        told.append(f"those of {sizes([_bytes(row)])}{gain} {where}")
    return f"Break-even depends on the size of blocks: {all_of(told, last=', and ')}."


CORE = Exhibit("core", "core-clock", _chart, _sentences)
