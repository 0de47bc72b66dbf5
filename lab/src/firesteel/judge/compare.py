# SPDX-License-Identifier: Apache-2.0
"""Published figures, one in each row (`published/NAME/figures.csv` of each `judge.study`), next to
ours.

`compare` pairs figures of equal identity.  If a published figure names no implementation, it is
compared with every implementation, and always with every completion.  A file transfer of another
size is compared with the published 128 MiB.  Published software ran as it was installed, so it is
compared with our software as installed, if we measured that.  Published CPU use is the use of one
CPU.  On a board with several CPUs, it is compared with each CPU and not with their sum.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import polars as pl

from firesteel.base.errors import FiresteelError
from firesteel.base.tidy import read_rows
from firesteel.judge.intervals import Sample
from firesteel.judge.rows import Published, Result, Rows, where_columns
from firesteel.judge.study import RowOf, Statement, Study, load_studies
from firesteel.model.cell import AS_INSTALLED, Place
from firesteel.model.figure import REST, Parameter
from firesteel.model.identity import Identity, by_key
from firesteel.model.metrics import EACH_CPU
from firesteel.table import CELL_COLUMNS, FIGURE_COLUMNS
from firesteel.workloads import titles
from firesteel.workloads.registry import parameter_of

_COLUMNS = ("table", *FIGURE_COLUMNS, "note")


def rows_of(study: Study) -> list[dict[str, str]]:
    """All published rows of a study as text, by column, with its name as `source`: some state a
    bound or a range in words.

    Raises `FiresteelError` if the file is missing or has other columns, or if `study.toml` names a
    table without rows.
    """
    path = study.folder / "figures.csv"
    rows = read_rows(path, _COLUMNS, "published figures")
    known = dict.fromkeys(row["table"] for row in rows)
    named = (
        *(layout.number for layout in study.tables),
        *(table for each in study.stands_for for table in each.tables or ()),
    )
    for table in named:
        if table not in known:
            raise FiresteelError(
                f"{study.folder / 'study.toml'}: no row of {path.name} is of table `{table}`; "
                f"there are: {', '.join(known)}."
            )
    for key, those in (("statements", study.statements), ("unmeasured", study.unmeasured)):
        for number, each in enumerate(those, 1):
            _check_row(study, f"{key}[{number}]", each, rows)
    return [{"source": study.name, **row} for row in rows]


def _check_row(study: Study, where: str, of: RowOf, rows: Sequence[Mapping[str, str]]) -> None:
    """Raises `FiresteelError` when it is of no published row, or of one that says another thing."""
    path = study.folder / "study.toml"
    for key, value in of.of.items():
        there = ", ".join(dict.fromkeys(row[key] for row in rows))
        rows = [row for row in rows if row[key] == value]
        if not rows:
            raise FiresteelError(
                f"{path}: key `{where}.{key}` is `{value}`; the rows of figures.csv have these "
                f"values: {there}."
            )
    if not isinstance(of, Statement):
        return
    for row in rows:
        if allowed := of.mistake(row["value"]):
            raise FiresteelError(
                f"{path}: key `{where}.form` is `{of.form}`, but its row of figures.csv has the "
                f"value `{row['value']}`; allowed is {allowed}."
            )


def load_published(directory: Path | None = None) -> list[Published]:
    """All published figures that are plain numbers, and no statements.

    Rows that state a bound or a range in words are left out: there is nothing to divide by.
    Raises `FiresteelError` as `rows_of` does.
    """
    return [figure for study in load_studies(directory) for figure in published_of(study)]


def published_of(study: Study) -> list[Published]:
    """Those of one study."""
    stated = (*study.statements, *study.unmeasured)
    rows = (row for row in rows_of(study) if not any(each.is_of(row) for each in stated))
    return [found for row in rows if (found := _published(row))]


def published_at(places: Iterable[Place], published: Iterable[Published]) -> list[Published]:
    """The published figures that may be compared with figures of these places.  A study is compared
    only with the places that its key `stands_for` names.
    """
    studies = {study.name: study for study in load_studies()}
    places = tuple(dict.fromkeys(places))
    return [
        each
        for each in published
        if any(studies[each.source].is_of(place, each.table) for place in places)
    ]


def _published(row: Mapping[str, str]) -> Published | None:
    try:
        value = float(row["value"])
    except ValueError:
        return None
    identity = Identity(
        workload=row["experiment"],
        parameter=parameter_of(row["experiment"], row["parameter"]),
        protocol=row["protocol"],
        cipher=row["cipher"],
        mac=row["mac"],
        implementation=row["implementation"],
    )
    # Nobody published intervals, so figures are taken as they were printed.
    result = Result(identity, row["metric"], value, Sample.exact(value))
    return Published(row["source"], row["table"], result)


COLUMNS = (
    *(*FIGURE_COLUMNS, "converged", "ci95_low", "ci95_high", "interval", *CELL_COLUMNS),
    *("published", "ratio", "deviation_percent", "note"),
)
"""Columns of a comparison; `ratio` is ours over published."""

CONFIGURATION = ("protocol", "cipher", "mac", "implementation", *CELL_COLUMNS)
"""The columns that make a configuration."""

_PERCENT_FLOOR = 1.0
_SOFTWARE = "software"
_OPEN = ""
"""The implementation of a published figure that stands for every one."""


def compare(
    ours: Iterable[Result], published: Sequence[Published] | None = None, *, variants: bool = False
) -> list[Result]:
    """Every figure of ours, with the published figure for it, if there is one.

    A cell that works as in 2015 is a variant that shows the cost of that.  It is compared with a
    published figure only if `variants` are requested.
    """
    theirs = load_published() if published is None else published
    ours = list(_with_rest(ours, theirs))
    limited = {row.identity for row in Rows(ours) if row.peer_limited}
    installed = _installed(ours)
    several = with_several_cpus(ours)
    among = by_key(theirs, lambda each: (each.result.identity.comparable, each.result.metric))

    @cache  # An identity has many figures.
    def partners(identity: Identity) -> tuple[Identity, ...]:
        return () if identity.variant and not variants else _partners(identity, installed)

    def found(result: Result) -> Published | None:
        metric = published_metric(result, several)
        there = (among.get((each, metric)) for each in partners(result.identity))
        return next(filter(None, there), None)

    return [
        replace(each, beside=found(each), peer_limited=each.identity in limited) for each in ours
    ]


def with_several_cpus(results: Iterable[Result]) -> set[Identity]:
    """What was measured on boards with several CPUs."""
    return {each.identity for each in results if each.metric in EACH_CPU}


def published_metric(result: Result, several: Collection[Identity]) -> str:
    """The metric of the published figures that it is compared with; empty for the sum of several
    CPUs.
    """
    if result.metric in EACH_CPU:
        return "cpu"
    return "" if result.metric == "cpu" and result.identity in several else result.metric


def frame(comparison: Iterable[Result]) -> pl.DataFrame:
    """A comparison as tidy rows with `COLUMNS`.  Columns for the place are added if nothing else
    distinguishes some rows.
    """
    comparison = list(comparison)
    where = where_columns(result.identity for result in comparison)
    own = ("value", "converged", "interval", "published", "ratio", "note")
    rows = [
        {
            **result.columns,
            **{name: getattr(result, name) for name in own},
            "ci95_low": result.low,
            "ci95_high": result.high,
            "deviation_percent": result.deviation,
            **result.identity.where,
        }
        for result in comparison
    ]
    return pl.DataFrame(rows, schema=[*COLUMNS, *where], infer_schema_length=None)


def _partners(identity: Identity, installed: Collection[tuple[str, ...]]) -> tuple[Identity, ...]:
    """What published rows that may stand beside figures of ours are of, the best first."""
    implementation = identity.implementation
    if _place(identity) in installed:
        # What software was installed is the published one, and the fastest is none.
        known = {AS_INSTALLED: _SOFTWARE, _SOFTWARE: _OPEN}
        implementation = known.get(implementation, implementation)
    theirs = replace(identity, completion="", variant="", affinity="").comparable.anywhere
    return tuple(replace(theirs, implementation=each) for each in (implementation, _OPEN))


def _installed(results: Iterable[Result]) -> set[tuple[str, ...]]:
    """The suites, each on its board, of which software was measured as it is installed."""
    return {
        _place(each.identity) for each in results if each.identity.implementation == AS_INSTALLED
    }


def _place(identity: Identity) -> tuple[str, ...]:
    suite = (identity.protocol, identity.cipher, identity.mac)
    return (*suite, identity.board, identity.topology, identity.node)


def _with_rest(ours: Iterable[Result], published: Iterable[Published]) -> Iterator[Result]:
    """Ours, and the sums of those classes that a published histogram has as the rest of them.

    Only where there is such a histogram; the sum is 0 when all packets are of the classes it names.
    """
    theirs = [each.result.identity for each in published if each.result.identity.parameter.is_class]
    summed_up = {_suite(each) for each in theirs if each.parameter.words == REST}
    named = {(each.workload, each.parameter) for each in theirs}
    parts: dict[tuple[Identity, str], list[Result]] = {}
    for result in ours:
        yield result
        identity = result.identity
        if _suite(identity) in summed_up:
            rest = replace(identity, parameter=Parameter(words=REST))
            unnamed = parts.setdefault((rest, result.metric), [])
            if (identity.workload, identity.parameter) not in named:
                unnamed.append(result)
    for (identity, metric), unnamed in parts.items():
        value = sum(each.value for each in unnamed) if unnamed else 0.0
        converged = all(each.converged for each in unnamed)
        # A sum's interval does not follow from those of its parts.
        yield Result(identity, metric, value, Sample(((1, value),), converged=converged))


def _suite(identity: Identity) -> tuple[str, ...]:
    return (identity.workload, identity.protocol, identity.cipher, identity.mac)


def place(result: Result) -> str:
    """What a result is called: its configuration, and where it was measured."""
    return f"{titles.of_identity(result.identity)}, {result.at}"


def as_published(comparison: Iterable[Result]) -> list[Result]:
    """The comparison with one software, as published figures have: ours as installed, where that
    was measured.
    """
    comparison = list(comparison)
    installed = _installed(comparison)
    return [
        replace(result, identity=replace(identity, implementation=_SOFTWARE))
        if identity.implementation == AS_INSTALLED
        else result
        for result in comparison
        for identity in (result.identity,)
        if identity.implementation != _SOFTWARE or _place(identity) not in installed
    ]


def is_told(result: Result) -> bool:
    """Whether a deviation says something: shares of packets below a percent are too few."""
    if result.deviation is None or result.published is None:
        return False
    return not result.identity.parameter.is_class or result.published >= _PERCENT_FLOOR
