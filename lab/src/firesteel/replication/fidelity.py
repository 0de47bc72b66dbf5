# SPDX-License-Identifier: Apache-2.0
"""How near the boards come to those of a published study: a page of docs/, made from a run and the
study's `fidelity.toml`.

1. Rows that were fitted to (`replication.fit`), and rows that are predictions.
2. Hardware over software, ours beside the published ratios (`replication.ratios`).
3. Both again beside the same run on the other clock (`replication.two_clocks`).
4. Causes of large deviations, and what tests them (`replication.causes`); among them the instrument
   that CPU use was read with (`replication.instrument`).
5. Transfers beside longer ones, to show that they are long enough.

What was fitted, and what is said of the time, go by the clock of the run's boards.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import jinja2

from firesteel.analysis.compare import is_told, place
from firesteel.analysis.results import Results
from firesteel.analysis.rows import Result, Rows, find, of_metrics, with_itself
from firesteel.analysis.study import Study
from firesteel.base.errors import FiresteelError
from firesteel.model import names
from firesteel.model.figure import CONVERGED
from firesteel.model.identity import Identity
from firesteel.replication.ablation import TwoCores, two_cores
from firesteel.replication.causes import Cause, Deviations, Finding, cause_of, finding, load_causes
from firesteel.replication.counterparts import boards_beside, clock_beside
from firesteel.replication.fidelity_file import FILE, load_fidelity
from firesteel.replication.fit import steps
from firesteel.replication.fit_file import Fit, load_fit
from firesteel.replication.instrument import LIGHT, Instrument, instrument
from firesteel.replication.method import method
from firesteel.replication.ratios import summaries
from firesteel.replication.two_clocks import Side, command, side_of, two_clocks
from firesteel.replication.variants import Change, Variant, changes, variant_ratios, variants
from firesteel.workloads import titles

LARGE = 40
"""Percent of deviation from which on a row needs a cause."""

AIM = 20
"""Percent that half of the software's rows deviate by at the most."""

_IMPLEMENTATIONS = ("software", "hardware")
_TEMPLATES = Path(__file__).parent
_TRANSFER = ("throughput", "cpu_seconds_per_mb")
NEAR = 0.5
"""Percent that a transfer's rate and that of a longer one may differ by."""


@dataclass(frozen=True)
class FidelityRow:
    """A figure beside the published one."""

    name: str
    metric: str
    value: str
    published: str
    deviation: float
    is_shown: bool
    fitted: str
    converged: bool = True

    @property
    def mark(self) -> str:
        """What a row of large deviation is marked with: whether its cause is shown."""
        if abs(self.deviation) <= LARGE or not self.converged:
            return ""
        return "†" if self.is_shown else "‡"


@dataclass(frozen=True)
class Longer:
    """A transfer's figure, that of a longer one, and by how much percent they differ."""

    name: str
    metric: str
    value: str
    longer: str
    parameter: str
    change: float


@dataclass(frozen=True)
class Median:
    """The median of absolute deviations in percent, of how many rows of which sort."""

    implementation: str
    sort: str
    rows: int
    median: float


@dataclass(frozen=True)
class Evidence:
    """What tests causes: variants, CPU use parted by two cores, and CPU use read with ticks."""

    changed: Sequence[Change]
    cores: Sequence[TwoCores]
    ticks: Instrument


@dataclass(frozen=True)
class Further:
    """The other runs of a page, as far as there are some: the same run on the `other` clock, one of
    `longer` transfers, and those of `variants`.
    """

    other: Results | None = None
    longer: Results | None = None
    variants: Sequence[Results] = ()


_NO_FURTHER = Further()


def page(
    study: Study, results: Results, comparison: Iterable[Result], further: Further = _NO_FURTHER
) -> str:
    """The page as Markdown, from a run beside the figures of a study, and from further runs.

    Raises `FiresteelError` where the study has no page, or the clocks of the runs do not fit.
    """
    file = load_fidelity(study)
    if not file:
        raise FiresteelError(f"{study.folder}: there is no {FILE}; the page needs one.")
    whole = list(comparison)
    side = side_of(results, study, whole)
    _check_clocks(side, results, study, further)
    fit = load_fit(study)
    then = variants(further.variants, study)
    longer = further.longer
    tests = Evidence(
        changes(side.comparison, then),
        two_cores(side.comparison) if file.two_cores else [],
        instrument(whole, longer.means if longer else ()) if file.ticks else Instrument(),
    )
    other = further.other
    both = two_clocks(results, side, other, study, fit) if other else None
    runs = (results, *further.variants, *filter(None, (other, longer)))
    return _template().render(
        study=study,
        file=file,
        texts=file.texts.on(side.clock),
        fit=fit.on(side.clock),
        clock=side.clock,
        time=_time(results, study),
        journal=results.journal,
        both=both,
        **_of_rows(study, side, fit.on(side.clock), tests),
        **_of_tests(tests, side, then),
        **_of_lengths(results, longer),
        converged=f"{CONVERGED * 100:g}",
        unconverged=not all(run.converged for run in runs),
    )


def _of_rows(study: Study, side: Side, fit: Fit, tests: Evidence) -> dict[str, Any]:
    """What the template needs for the rows, and for what was fitted to them."""
    found = findings(load_causes(study), tests)
    return {
        "steps": steps(side.comparison, fit),
        "aim": AIM,
        "large": LARGE,
        "medians": medians(side.comparison, fit),
        "rows": _rows(side.comparison, found, fit),
        "ratios": side.ratios,
        "summaries": summaries(side.ratios),
        "findings": found,
    }


def _of_tests(tests: Evidence, side: Side, then: Sequence[Variant]) -> dict[str, Any]:
    """What it needs for the tests of causes."""
    return {
        "variant_ratios": variant_ratios(side.comparison, then),
        "cores": tests.cores,
        "ticks": tests.ticks,
        "light": f"{LIGHT:g}",
        "changes": tests.changed,
    }


def _of_lengths(results: Results, longer: Results | None) -> dict[str, Any]:
    """What it needs for transfers beside longer ones."""
    compared = _longer(results, longer) if longer else []
    farther = sum(abs(each.change) > NEAR for each in compared)
    return {"longer": compared, "farther": farther, "near": NEAR}


def _check_clocks(side: Side, results: Results, study: Study, further: Further) -> None:
    """Raises `FiresteelError` for longer transfers or variants on another clock than the run's."""
    found = [(each, set(each.clocks.values())) for each in further.variants]
    if further.longer:
        found.append((further.longer, {clock_beside(further.longer, study)}))
    for run, clocks in found:
        if clocks - {side.clock}:
            raise FiresteelError(
                f"The run `{run.journal.name}` has boards on another clock than "
                f"`{results.journal.name}`, which is on `{side.clock}`; allowed is the same clock: "
                f"`{command(run.journal, side.clock)}`."
            )


def _time(results: Results, study: Study) -> str:
    """What the time of the compared boards is worth, with links to the pages that say more."""
    boards = boards_beside(results, study)
    said = method([(name, cpu) for name, cpu in results.measured_cpus if name in boards])
    return re.sub(r"\bdocs/([a-z-]+)\.md\b", r"[\1](\1.md)", said)


def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )
    return environment.get_template("fidelity.md.j2")


def medians(comparison: Iterable[Result], fit: Fit) -> list[Median]:
    """Of software's rows and hardware's, all of them, the fitted ones and the predicted ones; of
    those that have converged.
    """
    told = [(each, off) for each, off in _told(comparison) if each.converged]
    found: list[Median] = []
    for implementation in _IMPLEMENTATIONS:
        rows = [each for each in told if each[0].identity.implementation == implementation]
        fitted = [each for each in rows if fit.fitted_to(each[0].columns)]
        predicted = [each for each in rows if not fit.fitted_to(each[0].columns)]
        for sort, part in (("fitted", fitted), ("predicted", predicted), ("all", rows)):
            if part:
                middle = median(abs(off) for _, off in part)
                found.append(Median(implementation, sort, len(part), middle))
    return found


def findings(causes: Iterable[Cause], tests: Evidence) -> list[tuple[Cause, Finding]]:
    """The causes, and whether their tests show them."""
    return [(cause, finding(cause, _tested(cause, tests))) for cause in causes]


def _tested(cause: Cause, tests: Evidence) -> list[Deviations]:
    if cause.evidence == "variants":
        return [
            Deviations(each.deviation, each.deviation_with, cause.fits(each.without))
            for each in tests.changed
            if set(each.words) == set(cause.variant or ())
            and not each.is_fitted
            and each.converged
            and _is_of(each.without.identity, cause)
        ]
    if cause.evidence == "cores":
        return [
            Deviations(each.result.deviation or 0.0, each.deviation)
            for each in tests.cores
            if cause.fits(each.result) and each.converged
        ]
    if cause.evidence == "ticks":
        return [
            Deviations(each.deviation(each.exact), each.deviation(each.sampled))
            for each in tests.ticks.readings
            if cause.fits(each.result) and each.converged
        ]
    return []


def _is_of(identity: Identity, cause: Cause) -> bool:
    """Whether a figure is of the cells that a cause is about."""
    of = ((identity.protocol, cause.protocol), (identity.implementation, cause.implementation))
    return all(name in values for name, values in of if values)


def _told(comparison: Iterable[Result]) -> list[tuple[Result, float]]:
    """The results whose deviation says something, with it."""
    return [
        (result, result.deviation)
        for result in comparison
        if result.deviation is not None and is_told(result)
    ]


def _rows(
    comparison: Iterable[Result], found: Sequence[tuple[Cause, Finding]], fit: Fit
) -> dict[str, list[FidelityRow]]:
    """The fitted rows, and the predicted ones of software and of hardware."""
    shown = {id(cause): finding.is_shown for cause, finding in found}
    causes = [cause for cause, _ in found]
    rows: dict[str, list[FidelityRow]] = {"fitted": [], "software": [], "hardware": []}
    for result, deviation in _told(comparison):
        cause = cause_of(result, causes)
        is_shown = cause is not None and shown[id(cause)]
        each = _row(result, deviation, fit.fitted_to(result.columns), is_shown=is_shown)
        sort = "fitted" if each.fitted else result.identity.implementation
        rows.setdefault(sort, []).append(each)
    return rows


def _row(result: Result, deviation: float, fitted: str, *, is_shown: bool) -> FidelityRow:
    assert result.published is not None
    return FidelityRow(
        name=place(result),
        metric=names.quantity(result.metric),
        value=result.value_text,
        published=names.number(result.published, result.metric),
        deviation=deviation,
        is_shown=is_shown,
        fitted=fitted,
        converged=result.converged,
    )


def _longer(results: Results, longer: Results) -> list[Longer]:
    """Both runs' transfers, where both have them, of whatever sizes."""
    mine, theirs = (_transfers(each) for each in (results, longer))
    return [
        Longer(
            name=titles.of_identity(one.identity),
            metric=names.quantity(metric),
            value=one.value_text,
            longer=other.value_text,
            parameter=other.identity.parameter.text,
            change=100 * (one.value / other.value - 1),
        )
        for pair in find(mine, with_itself, theirs)
        for metric in _TRANSFER
        if pair.has(metric)
        for one, other in [(pair.other.results[metric], pair.one.results[metric])]
    ]


def _transfers(results: Results) -> Rows:
    """Those of files of any size."""
    found = of_metrics(results.means, _TRANSFER)
    files = (each for each in found if each.identity.parameter.file_bytes is not None)
    return Rows(files, alike=lambda identity: identity.comparable)
