# SPDX-License-Identifier: Apache-2.0
"""`python -m research.fidelity`: how near the boards come to a published study's, a page of docs/
made from a run and the study's `fidelity.toml`.

Figures of the page are computed; the file has their runs, and the text about this study.  Held out
are figures that were fitted to on neither clock, and ratios of two such figures; the clock with the
smaller held-out error is the one to believe.
"""

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from statistics import mean, median
from typing import Annotated, Any, Literal, NamedTuple, get_args

import jinja2
import typer
from pydantic import Field

from firesteel.base import toml
from firesteel.base.errors import FiresteelError
from firesteel.base.toml import Many, Table, pattern
from firesteel.boards.profile import load_profile
from firesteel.judge.compare import as_published, is_told, place
from firesteel.judge.pairing import apart, words_of
from firesteel.judge.replication import causes
from firesteel.judge.replication.causes import LARGE, Cause, cause_of, load_causes
from firesteel.judge.replication.fit_file import FitFile, load_fit
from firesteel.judge.replication.method import method_in_short
from firesteel.judge.replication.ratios import ratios, summaries
from firesteel.judge.results import Results, load_results
from firesteel.judge.rows import Result, Rows, find, grouped, of_metrics, with_itself
from firesteel.judge.study import Study
from firesteel.judge.verdict import USE
from firesteel.model import names
from firesteel.model.figure import CONVERGED
from firesteel.model.metrics import EACH_CPU
from firesteel.store.store import LATEST, Store
from firesteel.workloads import titles
from research import evidence
from research.asked import (
    RunArgument,
    StoreOption,
    StudyOption,
    application,
    beside_study,
    boards_beside,
    clock_beside,
    main,
    open_store,
    option,
    study_for,
)
from research.fit import steps, without_effect

FILE = "fidelity.toml"

NEAR = 0.5
"""The largest difference between the rates of a transfer and a longer one, in percent."""

_PAGE = pattern(
    r"^fidelity(-[a-z0-9]+)*\.md$",
    'a name that begins with `fidelity`, as "fidelity-somebody2001.md"',
)
_TEMPLATE = Path(__file__).with_name("fidelity.md.j2")
_TRANSFER = ("throughput", "cpu_seconds_per_mb")

Row = Mapping[str, Any]
"""What the template has of a row of a table."""

TextName = Literal[
    "board", "speed", "software", "cpu_use", "variants", "variants_section",
    "fit", "fit_rows", "not_refitted", "kept", "hardware",
]  # fmt: skip
"""Where a study's own text stands (published/README.md)."""


class Runs(Table):
    """The runs that the page is made of, by their names in `recorded/runs.toml`."""

    figures: str
    """The run whose figures are compared with the published ones."""

    other: str | None = None
    """The same run on the other clock, which has to be recorded: the page compares the two."""

    longer: str | None = None
    """A run of the same transfers with longer files."""

    variants: Many[str] | None = None
    """Runs of variants, which test causes."""

    @property
    def all(self) -> tuple[str, ...]:
        """Every one of them."""
        runs = (self.figures, self.other, self.longer, *(self.variants or ()))
        return tuple(filter(None, runs))


class Aim(Table):
    """A goal for software."""

    percent: Annotated[float, Field(gt=0)]
    """Half of software's rows deviate by at most this many percent."""

    set_on: date
    """The day on which the goal was set."""

    why: str
    """Why the goal is this number: a clause behind its day."""


class FidelityFile(Table):
    """The file."""

    page: Annotated[str, Field(pattern=_PAGE)]
    """The page's name in docs/."""

    title: str
    """Its heading."""

    runs: Runs
    """What it is made of."""

    aim: Aim | None = None
    """How close software is meant to come."""

    texts: Mapping[TextName, str]
    """Text about this study, as Markdown."""

    two_cores: Mapping[Literal["title", "text"], str] = {}
    """The heading of a section about CPU use of one core, split as between two cores, and the
    paragraphs above its table.  The section tests causes with evidence `cores`; without this key
    there is no such section.
    """


def load_fidelity(study: Study) -> FidelityFile | None:
    """The study's; None where it has no page, `FiresteelError` when it is not as it should be."""
    path = study.file(FILE)
    if not path:
        return None
    return toml.read_model(path, FidelityFile)


def page(study: Study, store: Store, runs: Runs) -> str:
    """The page as Markdown, from a run of the store, the figures of a study, and the further runs.

    Raises `FiresteelError` where the study has no page, or the clocks of the runs do not fit.
    """
    file = load_fidelity(study)
    if not file:
        raise FiresteelError(f"{study.folder}: there is no {FILE}; the page needs one.")
    results, *variants = (
        load_results(store, each) for each in (runs.figures, *(runs.variants or ()))
    )
    other, longer = (
        load_results(store, each) if each else None for each in (runs.other, runs.longer)
    )
    _check_clocks(results, study, other, longer, variants)
    figures = as_published(beside_study(results.means, study))
    clock, fit = clock_beside(results, study), load_fit(study)
    pairs, on_clock = ratios(figures, results.clocks), fit.on(clock)
    changed = evidence.changes(figures, evidence.variants(variants, study))
    cores = evidence.two_cores(figures) if file.two_cores else []
    journals = [each.journal for each in (results, *variants)]
    found = evidence.findings(load_causes(study), changed, cores, journals)
    if runs == file.runs:
        check_outcomes(study, found)
    lengths = _longer(results, longer) if longer else []
    boards = boards_beside(results, study)
    compared = [(name, cpu) for name, cpu in results.measured_cpus if name in boards]
    return _template().render(
        study=study,
        file=file,
        texts=dict.fromkeys(get_args(TextName))
        | {"board": study.cite, "variants": "variants"}
        | {**file.texts},
        clock=clock,
        time=re.sub(r"\bdocs/([a-z-]+)\.md\b", r"[\1](\1.md)", method_in_short(compared)),
        differences=_differences(results, filter(None, (other, longer, *variants))),
        journal=results.journal,
        both=_both(results, other, study, fit) if other else None,
        fit=on_clock,
        idle=without_effect(fit, clock),
        command=fit.command(clock),
        steps=steps(figures, fit, clock),
        large=LARGE,
        medians=medians(figures, on_clock),
        rows=_rows(figures, found, on_clock),
        ratios=pairs,
        summaries=summaries(pairs),
        findings=found,
        changed=changed,
        cores=cores,
        longer=lengths,
        farther=sum(abs(each["change"]) > NEAR for each in lengths),
        near=NEAR,
        slack=evidence.SLACK,
        explained=evidence.EXPLAINED,
        converged=f"{CONVERGED * 100:g}",
        unconverged=not all(
            run.converged for run in (results, other, longer, *variants) if run is not None
        ),
    )


class Error(NamedTuple):
    """By how many percent a figure or ratio of a sort is off, without sign, and whether a ratio
    agrees with the published one on gain or loss.
    """

    sort: str
    off: float
    agrees: bool = True


def held_out(one: Mapping[Any, Error], other: Mapping[Any, Error]) -> list[Row]:
    """The median errors of two runs in what both have, by sort and of all; none without any."""
    shared = [(one[key], other[key]) for key in one if key in other]
    return [
        {
            "name": sort,
            "rows": len(of),
            "medians": [median(pair[side].off for pair in of) for side in (0, 1)],
            "agreeing": [sum(pair[side].agrees for pair in of) for side in (0, 1)],
        }
        for sort, of in (*grouped(shared, lambda pair: pair[0].sort).items(), ("all", shared))
        if of
    ]


def _both(results: Results, other: Results, study: Study, fit: FitFile) -> Row:
    """What the template has of the same run on the other clock."""
    clocks = [clock_beside(run, study) for run in (results, other)]
    one, its = (
        _errors(run, study, fit.on(clock))
        for run, clock in zip((results, other), clocks, strict=True)
    )
    rows, pairs = map(held_out, one, its)
    return {
        "run": other.journal.name,
        "clocks": clocks,
        "held_out": rows,
        "held_out_ratios": pairs,
        "sentence": f"{_nearer(clocks, 'rows', rows)} {_nearer(clocks, 'ratios', pairs)}",
        "defaults": {
            board: load_profile(board).cpu.clock for board in boards_beside(results, study)
        },
    }


def _errors(results: Results, study: Study, fit: FitFile) -> tuple[Mapping[Any, Error], ...]:
    """Of a run's figures, and of its ratios: those that have converged and were not fitted to."""
    figures = as_published(beside_study(results.means, study))
    return {
        (each.identity.comparable, each.metric): Error(
            each.identity.implementation, abs(each.deviation or 0)
        )
        for each in figures
        if is_told(each) and each.converged and not fit.fitted_to(each.columns)
    }, {
        (each.identity.comparable, each.kind): Error(
            each.kind, abs(each.deviation), each.same_direction
        )
        for each in ratios(figures, results.clocks)
        if each.converged and not each.fitted
    }


def _nearer(clocks: Sequence[str], what: str, found: Sequence[Row]) -> str:
    """Which clock has the smaller held-out error, in a sentence; `what` is held out."""
    if not found:
        return f"No {what} are held out."
    of, every = f"The median error of the {found[-1]['rows']} held-out {what}", found[-1]["medians"]
    medians = [f"{each:.1f} %" for each in every]
    if medians[0] == medians[1]:
        return f"{of} is the same on both clocks ({medians[0]})."
    near, far = (0, 1) if every[0] < every[1] else (1, 0)
    return (
        f"{of} is smaller on `{clocks[near]}` ({medians[near]}) than on `{clocks[far]}` "
        f"({medians[far]})."
    )


def medians(comparison: Iterable[Result], fit: FitFile) -> list[Row]:
    """Of software's rows and hardware's, all of them, the fitted ones and the predicted ones: how
    many have converged, and mean, median and worst of their absolute deviations in percent.
    """
    told = [each for each in comparison if is_told(each) and each.converged]
    found: list[Row] = []
    for implementation in ("software", "hardware"):
        parts: dict[str, list[float]] = {"fitted": [], "predicted": [], "all": []}
        for each in told:
            if each.identity.implementation == implementation:
                sort = "fitted" if fit.fitted_to(each.columns) else "predicted"
                for part in (parts[sort], parts["all"]):
                    part.append(abs(each.deviation or 0))
        for sort, off in parts.items():
            if off:
                row = {"implementation": implementation, "sort": sort, "rows": len(off)}
                found.append({**row, "mean": mean(off), "median": median(off), "worst": max(off)})
    return found


def in_both(comparison: Iterable[Result], other: Iterable[Result]) -> list[Result]:
    """The results of a comparison that another has too, on whatever boards.  If several CPUs are
    compared with the published CPU, the busiest counts.
    """
    one, its = map(_by_row, (comparison, other))
    return [result for key, result in one.items() if key in its]


def _by_row(comparison: Iterable[Result]) -> dict[Hashable, Result]:
    found: dict[Hashable, Result] = {}
    for each in comparison:
        if is_told(each) and each.converged:
            metric = USE if each.metric in EACH_CPU else each.metric
            key = each.identity.comparable.anywhere, metric
            found[key] = max(each, found.get(key, each), key=lambda result: result.value)
    return found


def _check_clocks(
    results: Results,
    study: Study,
    other: Results | None,
    longer: Results | None,
    variants: Iterable[Results],
) -> None:
    """Raises `FiresteelError` for longer transfers or variants on another clock than the run's, and
    for another run that is not of the same experiment on the other clock.
    """
    own, clock = results.journal, clock_beside(results, study)
    clocks = {each.journal.name: set(each.clocks.values()) for each in variants}
    if longer:
        clocks[longer.journal.name] = {clock_beside(longer, study)}
    for name, its in clocks.items():
        if its - {clock}:
            raise FiresteelError(
                f"The run `{name}` has boards on another clock than `{own.name}`, "
                f"which is on `{clock}`; allowed is the same clock."
            )
    if other:
        # Of a whole run, a quick one has some of the rows.
        same = other.journal.experiment == own.experiment and own.quick <= other.journal.quick
        if not same or clock_beside(other, study) == clock:
            quick, wanted = " --quick" if own.quick else "", "cycles" if clock == "flat" else "flat"
            raise FiresteelError(
                f"The run `{other.journal.name}` is not `{own.name}` on the other clock; allowed "
                f"is `firesteel run {own.experiment}{quick} --clock {wanted}`."
            )


def check_outcomes(study: Study, found: Iterable[tuple[Cause, evidence.Finding]]) -> None:
    """Raises `FiresteelError` where a test has another outcome than the file of causes says."""
    for number, (cause, finding) in enumerate(found, 1):
        if cause.outcome and finding.rows and cause.outcome != finding.outcome:
            raise FiresteelError(
                f"{study.folder / causes.FILE}: key `cause[{number}].outcome` is "
                f'"{cause.outcome}"; its test says "{finding.outcome}".'
            )


def _differences(results: Results, others: Iterable[Results]) -> list[str]:
    """In what software the other runs of a page differ, a sentence each."""
    return [
        f"The runs `{results.journal.name}` and `{other.journal.name}` used different versions of "
        f"this software: {words_of(found)}."
        for other in others
        if (found := apart(results.records, other.records))
    ]


def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
    )
    environment.filters["median"] = median
    environment.globals |= {
        "place": place,
        "configuration": titles.of_identity,
        "mark": names.mark,
        "quantity": names.quantity,
    }
    return environment.from_string(_TEMPLATE.read_text(encoding="utf-8"))


def _rows(
    comparison: Iterable[Result], found: Sequence[tuple[Cause, evidence.Finding]], fit: FitFile
) -> Mapping[str, list[Row]]:
    """The fitted rows, and the predicted ones of software and of hardware; a row of large deviation
    is marked with whether its cause is shown.
    """
    shown = {id(cause): finding.is_shown for cause, finding in found}
    all_causes = [cause for cause, _ in found]
    rows: dict[str, list[Row]] = {"fitted": [], "software": [], "hardware": []}
    for each in filter(is_told, comparison):
        fitted, mark = fit.fitted_to(each.columns), ""
        if abs(each.deviation or 0) > LARGE and each.converged:
            cause = cause_of(each, all_causes)
            mark = "†" if cause and shown[id(cause)] else "‡"
        row = {
            "name": place(each),
            "metric": names.quantity(each.metric),
            "value": each.text,
            "published": each.published_text,
            "deviation": each.deviation,
            "mark": mark,
        }
        rows.setdefault("fitted" if fitted else each.identity.implementation, []).append(row)
    return rows


def _longer(results: Results, longer: Results) -> list[Row]:
    """Both runs' transfers of files of any size, where both have them; `change` is by how much
    percent they differ.
    """
    figures = (of_metrics(each.means, _TRANSFER) for each in (results, longer))
    mine, theirs = (
        Rows(
            (each for each in those if each.identity.parameter.file_bytes is not None),
            alike=lambda identity: identity.comparable,
        )
        for those in figures
    )
    return [
        {"parameter": other.at, "change": 100 * (one.value / other.value - 1)}
        for pair in find(mine, with_itself, theirs)
        for metric in filter(pair.has, _TRANSFER)
        for one, other in [(pair.other.results[metric], pair.one.results[metric])]
    ]


def fidelity(
    run: RunArgument = LATEST,
    other: Annotated[
        str | None, option("--other", "RUN", "The same run on the other clock, to compare the two.")
    ] = None,
    longer: Annotated[
        str | None,
        option("--longer", "RUN", "The same transfers with longer files (`transfer-length`)."),
    ] = None,
    variants: Annotated[
        list[str] | None,
        option("--variants", "RUN", "A run of variants, such as `causes`; also more than once."),
    ] = None,
    study: StudyOption = None,
    store: StoreOption = None,
) -> None:
    """Write the page that compares a run with the published figures of a study."""
    kept = open_store(store)
    chosen = study_for(load_results(kept, run).means, study, FILE)
    runs = Runs(figures=run, other=other, longer=longer, variants=tuple(variants or ()) or None)
    typer.echo(page(chosen, kept, runs), nl=False)


app = application(fidelity)

if __name__ == "__main__":
    main(app)
