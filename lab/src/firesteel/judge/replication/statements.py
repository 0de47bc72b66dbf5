# SPDX-License-Identifier: Apache-2.0
"""The statements of a study outside its tables, the corresponding figures of ours, and whether
these confirm each statement.

The verdict is computed.  Why ours does not confirm a statement is said in `study.toml`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from statistics import mean
from typing import Any, Literal

from firesteel.judge.compare import published_metric, rows_of, with_several_cpus
from firesteel.judge.intervals import SLACK
from firesteel.judge.places import Places
from firesteel.judge.results import Results
from firesteel.judge.rows import Published, Result, Row, Rows, grouped, with_software
from firesteel.judge.study import OurFigures, Statement, Study, Versus, load_studies
from firesteel.model import names
from firesteel.model.cell import AS_INSTALLED, Cell, Place
from firesteel.model.figure import Parameter, read_parameter
from firesteel.model.identity import Identity
from firesteel.model.metrics import better
from firesteel.model.names import MISSING
from firesteel.store.journal import Journal
from firesteel.workloads import titles
from firesteel.workloads.registry import parameter_of, workloads_of

NOT_MEASURED = "not measured in this run"

UNEXPLAINED = "unexplained"
"""The remark on an unconfirmed statement for which the study's file has no reason."""

COLUMNS = ("study", "where", "statement", "published", "ours", "unit", "verdict", "why")
"""Of statements as tidy rows."""

Verdict = Literal["confirmed", "not confirmed", "not measured"]


@dataclass(frozen=True)
class Answer:
    """A published row that is of no table, `said` in words, and what ours says.

    `why` is the reason where ours does not confirm it, or is not there; else what is to be known of
    the published value.
    """

    study: Study
    row: Mapping[str, str]
    said: str
    verdict: Verdict
    ours: str = ""
    why: str = ""

    @property
    def where(self) -> str:
        """Its place in the source."""
        return self.row["table"]

    @property
    def published(self) -> str:
        """What the source has."""
        return self.row["value"]

    @property
    def unit(self) -> str:
        """Of both."""
        return names.unit(self.row["unit"])

    def with_unit(self, value: str) -> str:
        """One of both for people; `MISSING` where there is none."""
        unit = {"ratio": "", "/": "x"}.get(self.unit, self.unit)
        return f"{value} {unit}".strip() if value else MISSING

    @property
    def columns(self) -> dict[str, str]:
        """As a row of a table."""
        texts = (self.published, self.ours, self.row["unit"], self.verdict, self.why)
        return dict(zip(COLUMNS, (self.study.name, self.where, self.said, *texts), strict=True))


_Finding = tuple[str, bool]
"""What figures of ours say, in words, and whether that is what is published."""


def answers(study: Study, results: Iterable[Result], *, everywhere: bool = False) -> list[Answer]:
    """All statements of a study, in its order, each with our figures for it.  The figures come from
    places that stand for the study's places, or, with `everywhere`, from all places.
    """
    there = [each for each in results if everywhere or study.was_in(each.identity.place)]
    ours = _Ours(study, there)
    in_tables = {number for layout in study.tables for number in layout.numbers}
    return [_answer(study, row, ours) for row in rows_of(study) if row["table"] not in in_tables]


def answered(results: Results, *, everywhere: bool = False) -> dict[str, list[Answer]]:
    """The statements of each study of which a run says something, by its name."""
    found = {
        study.name: answers(study, results.means, everywhere=everywhere)
        for study in load_studies()
        if everywhere or study.is_asked_by(results.journal.experiment)
    }
    return {name: those for name, those in found.items() if any(each.ours for each in those)}


def summary(those: Sequence[Answer]) -> str:
    """How many have which verdict, and what the reasons are worth that are given for others."""
    verdicts = [each.verdict for each in those]
    counts = [
        f"{count} {'was' if count == 1 else 'were'} {verdict}"
        for verdict in ("confirmed", "not confirmed", "not measured")
        if (count := verdicts.count(verdict))
    ]
    told = f"Of {len(those)} statements, {names.all_of(counts)}."
    if any(each.why != UNEXPLAINED for each in those if each.verdict == "not confirmed"):
        told += (
            " The explanations of the unconfirmed statements were written after the measurement, "
            "so they are exploratory."
        )
    return told


def _answer(study: Study, row: Mapping[str, str], ours: "_Ours") -> Answer:
    statement = next((each for each in study.statements if each.is_of(row)), None)
    reasons = [each for each in study.unmeasured if each.is_of(row)]
    says = [each.says for each in (statement, *reasons) if each and each.says]
    said = says[0] if says else _what(row)
    found = ours.finding(statement, row["value"]) if statement else None
    if statement is None or found is None:
        why = reasons[0].why if reasons else NOT_MEASURED
        return Answer(study, row, said, "not measured", why=why)
    text, agrees = found
    if agrees:
        return Answer(study, row, said, "confirmed", text, row["note"])
    return Answer(study, row, said, "not confirmed", text, ours.reason(statement))


def _what(row: Mapping[str, str]) -> str:
    name = titles.configuration(row["protocol"], row["cipher"] or "none", row["mac"] or "none")
    protocol = name.partition(" none:none")[0]
    return names.listed(protocol, names.metric(row["metric"]), row["parameter"])


class _Ours:
    """Our figures, and what they say of statements."""

    def __init__(self, study: Study, results: Iterable[Result]) -> None:
        self._study = study
        self._rows = Rows(results, first=True)

    def finding(self, statement: Statement, published: str) -> _Finding | None:
        """What ours says of a published value; None where it was not measured."""
        values: list[Any]
        match statement.form:
            case "order":
                values = [_in_order(each, statement) for each in self._several(statement)]
            case "what limits":
                limits = (row.bound for row in self._chosen(statement, statement.figure))
                values = list(filter(None, limits))
            case "outlier":
                values = list(self._off(statement, published))
            case "best over worst":
                several = self._several(statement)
                values = [max(each.values()) / min(each.values()) for each in several]
            case _:
                values = list(self._numbers(statement))
        if not values:
            return None
        counted = values[:1] if statement.over == "first" else values
        if statement.over == "mean":
            counted = [mean(values)]
        if statement.form in ("order", "what limits"):
            text = "; ".join(word for word, _ in groupby(counted))
            return text, all(word == published for word in counted)
        if statement.form == "outlier":
            return _of_outliers(statement, counted)
        return _of_numbers(statement, published, values, counted)

    def reason(self, statement: Statement) -> str:
        """Why ours does not confirm it, on all boards that were asked."""
        why = statement.why or UNEXPLAINED
        if isinstance(why, str):
            return why
        boards = {row.identity.board for row in self._chosen(statement, statement.figure)}
        return "; ".join(dict.fromkeys(why.get(each, UNEXPLAINED) for each in sorted(boards)))

    def _chosen(
        self, statement: Statement, choice: OurFigures, own: OurFigures | None = None
    ) -> Iterator[Row]:
        """The rows of a choice, with what is its own."""
        chosen = choice.model_copy(update=own.given) if own else choice
        protocols = chosen.protocol or (statement.protocol,)
        chooses = self._study.chooser(chosen.model_copy(update={"protocol": protocols}))
        metric = statement.of_metric
        for row in self._rows:
            if metric in row.results and chooses(row.identity, metric):
                yield row

    def _value(self, statement: Statement, row: Row) -> float:
        return row.results[statement.of_metric].value

    def _numbers(self, statement: Statement) -> Iterator[float]:
        """What it says of each row; a ratio is divided by that of another row, where it says so."""
        for row in self._chosen(statement, statement.figure):
            number, divisor = self._number(statement, row), 1.0
            if than := statement.than:
                base = self._found(statement, _with(row.identity, than), than)
                divisor = (self._number(statement, base) if base else None) or 0.0
            if number is not None and divisor:
                yield number / divisor

    def _number(self, statement: Statement, row: Row) -> float | None:
        """What the statement says of a row; None where it is compared with what is not there."""
        figure = self._value(statement, row)
        if statement.form in ("value", "rest of 100"):
            return statement.computed(figure, figure)
        wanted = _versus(row.identity, statement)
        other = self._found(statement, wanted, statement.versus) if wanted else None
        one = self._value(statement, other) if other else 0.0
        return statement.computed(figure, one) if figure and one else None

    def _found(self, statement: Statement, wanted: Identity, versus: Versus | None) -> Row | None:
        """That row; of another topology, whatever its node is if the statement does not say, and
        its link too, where the topology was not measured with this link.
        """
        its_own = {"node", "link"} - versus.changes.keys() if versus and versus.topology else set()
        for open_keys in (its_own - {"link"}, its_own):
            alike = {key: getattr(wanted, key) for key in open_keys}
            for row in self._rows:
                its = replace(row.identity, **alike)
                if its == wanted and statement.of_metric in row.results:
                    return row
        return None

    def _several(self, statement: Statement) -> list[dict[str, float]]:
        """The figures that are compared with each other by their names, for each place and
        parameter with which all were measured.  What of a place tells them apart is no part of it.
        """
        apart = _apart(statement)
        found: dict[tuple[Place, Parameter], dict[str, float]] = {}
        for each in statement.among:
            for row in self._chosen(statement, statement.figure, each):
                at = row.identity.parameter.comparable.model_copy(update={"by": None})
                place = replace(row.identity.place, **apart)
                by_name = found.setdefault((place, at), {})
                by_name.setdefault(each.name, self._value(statement, row))
        return [
            by_name
            for by_name in found.values()
            if len(by_name) == len(statement.among) and all(by_name.values())
        ]

    def _off(self, statement: Statement, size: str) -> Iterator[float]:
        """How far, in percent, the figure of a size is off the range of its neighbours, for each
        configuration that has both; 0 within it.

        Neighbours are those of the study's list, where the statement names one: figures far away
        have room for any anomaly between them.
        """
        wanted = read_parameter(size).size_bytes or 0
        listed = _bytes_of(map(read_parameter, self._study.parameters(statement.figure)))
        rows = self._chosen(statement, statement.figure)
        alike = grouped(rows, lambda row: replace(row.identity, parameter=Parameter()))
        for those in alike.values():
            values = {
                row.identity.parameter.size_bytes: self._value(statement, row) for row in those
            }
            sizes = listed or _bytes_of(row.identity.parameter for row in those)
            beside = [
                three
                for three in zip(sizes, sizes[1:], sizes[2:], strict=False)
                if three[1] == wanted
            ]
            if not beside or not set(beside[0]) <= values.keys():
                continue
            low, high = sorted(values[each] for each in beside[0][::2])
            nearest = min(max(values[wanted], low), high)
            yield 100 * (values[wanted] / nearest - 1) if nearest else 0.0


def _bytes_of(parameters: Iterable[Parameter]) -> list[int]:
    """Their sizes, the smallest first; those that are no size are left out."""
    return sorted({each.size_bytes for each in parameters if each.size_bytes is not None})


def _apart(statement: Statement) -> dict[str, str]:
    """What of their places tells figures apart that are compared with each other, each empty."""
    keys = {key for each in statement.among for key in each.given}
    keys &= {"board", "topology", "node", "link"}
    return dict.fromkeys(keys | ({"node"} if "topology" in keys else set()), "")


def _versus(identity: Identity, statement: Statement) -> Identity | None:
    """What the statement compares a figure of that identity with."""
    if statement.versus is None:
        return with_software(identity) if identity.implementation == "hardware" else None
    return _with(identity, statement.versus)


def _with(identity: Identity, versus: Versus) -> Identity:
    """The same but for what is otherwise."""
    changes = versus.changes
    workload = changes.pop("experiment", identity.workload)
    text = changes.pop("parameter", None)
    parameter = identity.parameter if text is None else parameter_of(workload, text)
    if (by := changes.pop("by", None)) is not None:
        parameter = parameter.model_copy(update={"by": by or None})
    other = replace(identity, workload=workload, parameter=parameter, **changes)
    alike = other.implementation == identity.implementation or "completion" in changes
    return other if alike else replace(other, completion="")


def _in_order(values: Mapping[str, float], statement: Statement) -> str:
    """Names, the best first; `=` stands between those that scarcely differ."""
    higher = better(statement.of_metric) == "higher"
    ranked = sorted(values, key=lambda name: values[name], reverse=higher)
    text = ranked[0]
    for before, name in pairwise(ranked):
        low, high = sorted((values[before], values[name]))
        text += f"{' =' if high <= low * (1 + SLACK) else ','} {name}"
    return text


def _of_outliers(statement: Statement, off: Sequence[float]) -> _Finding:
    """Of how far figures are off their ranges, in percent."""
    outside = [value for value in off if abs(value) > statement.within]
    if not outside:
        return "in range", False
    ends = [
        f"{abs(value):.0f} % {'above' if value > 0 else 'below'}"
        for value in (min(outside), max(outside))
    ]
    inside = len(off) - len(outside)
    rest = f"; {inside} of {len(off)} in range" if inside else ""
    return " to ".join(dict.fromkeys(ends)) + rest, not inside


def _of_numbers(
    statement: Statement, published: str, values: Sequence[float], counted: Sequence[float]
) -> _Finding | None:
    claim = statement.claim(published)
    if claim is None:
        return None
    agrees = all(claim.holds(statement.scale(value)) for value in counted)
    shown = [_digits(statement, value) for value in (min(values), max(values))]
    span = "\N{EN DASH}".join(dict.fromkeys(shown))
    if statement.over == "each":
        return span, agrees
    text = _digits(statement, counted[0])
    several = statement.over == "mean" and shown[0] != shown[1]
    return f"{text} ({span})" if several else text, agrees


def _digits(statement: Statement, value: float) -> str:
    sign = "+" if statement.form == "change in percent" else ""
    return f"{value:{sign}.{statement.decimals}f}"


class Ours:
    """Our figures by what they are of, and why one is not there.

    A file transfer is compared with a published one of any size, and each of several CPUs with the
    published CPU, as in `judge.compare`.
    """

    def __init__(self, comparison: Iterable[Result], journal: Journal, places: Places) -> None:
        self._results: dict[tuple[Identity, str], list[Result]] = {}
        self._entries = journal.entries
        self.places = places
        usual = [each for each in comparison if each.identity.is_usual]
        several = with_several_cpus(usual)
        for result in usual:
            key = _key(result)[0], published_metric(result, several)
            self._results.setdefault(key, []).append(result)

    def of(self, published: Published) -> list[Result]:
        """Our figures for a published figure: one for each board, or none if it was not measured.

        Beside software, also ours as it is installed; the fastest comes last.
        """
        identity, metric = _key(published.result)
        each_of = {"software": (AS_INSTALLED, "software"), "": ("software", "hardware")}
        return [
            result
            for each in each_of.get(identity.implementation, (identity.implementation,))
            for result in self._results.get((replace(identity, implementation=each), metric), [])
            if result.beside in (None, published)
        ]

    def reason(self, published: Published) -> str:
        """Why we have no figure for it."""
        for entry in self._entries:
            if entry.state != "done" and _is_of(entry.cell, published.result.identity):
                if entry.state == "failed":
                    return "its cell failed"
                return "not measured, because the run was stopped"
        return NOT_MEASURED


def compared(comparison: Iterable[Result]) -> tuple[Study, ...]:
    """The studies whose figures are compared with ours."""
    found = {result.source for result in comparison}
    return tuple(study for study in load_studies() if study.name in found)


def _key(result: Result) -> tuple[Identity, str]:
    return replace(result.identity.comparable.anywhere, completion=""), result.metric


def _is_of(cell: Cell, identity: Identity) -> bool:
    suite = (identity.protocol, identity.cipher, identity.mac)
    implementation = identity.implementation in ("", cell.implementation)
    measured = any(identity.workload in workload.titles for workload in workloads_of(cell))
    return suite == (cell.protocol, cell.cipher, cell.mac) and implementation and measured
