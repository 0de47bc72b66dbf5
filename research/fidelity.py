# SPDX-License-Identifier: Apache-2.0
"""`python -m research.fidelity`: how near the boards come to those of a published study, a page of
docs/ made from a run and the study's `fidelity.toml`.

1. Rows that were fitted to (`research.fit`), and rows that are predictions.
2. Hardware over software, ours beside the published ratios (`replication.ratios`).
3. Both again beside the same run on the other clock (`research.two_clocks`).
4. Causes of large deviations (`replication.causes`), and what tests them (`research.evidence`);
   among them the instrument that CPU use was read with (`research.ticks`).
5. Transfers beside longer ones, to show that they are long enough.

What was fitted, and what is said of the time, go by the clock of the run's boards.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import jinja2
import typer

from firesteel.analysis.compare import is_told, place
from firesteel.analysis.pairs import find, with_itself
from firesteel.analysis.results import Results, load_results
from firesteel.analysis.rows import Result, Rows, of_metrics
from firesteel.analysis.study import Study
from firesteel.base.errors import FiresteelError
from firesteel.board.profile import load_profile
from firesteel.model import names
from firesteel.model.figure import CONVERGED
from firesteel.replication.causes import LARGE, Cause, cause_of, load_causes
from firesteel.replication.fit_file import FitFile, load_fit
from firesteel.replication.method import method
from firesteel.replication.ratios import summaries
from firesteel.store.store import LATEST, write_whole
from firesteel.workloads import titles
from research.beside import beside_study, boards_beside, clock_beside, study_for
from research.command import RunArgument, StoreOption, StudyOption, application, main, open_store
from research.evidence import Evidence, Finding, findings, two_cores
from research.fidelity_file import FILE, load_fidelity
from research.fit import steps, without_effect
from research.ticks import LIGHT, Instrument, instrument
from research.two_clocks import (
    Side,
    agreement,
    check_same,
    command,
    held_out,
    nearer,
    ratios_on_both,
    rows_on_both,
    side_of,
)
from research.variants import changes, variant_ratios, variants

AIM = 20
"""Percent that half of the software's rows deviate by at the most."""

NEAR = 0.5
"""Percent that a transfer's rate and that of a longer one may differ by."""

_TEMPLATE = Path(__file__).with_name("fidelity.md.j2")
_TRANSFER = ("throughput", "cpu_seconds_per_mb")

Row = Mapping[str, Any]
"""What the template has of a row of a table."""


@dataclass(frozen=True)
class Further:
    """The other runs of a page, as far as there are some: the same run on the `other` clock, one of
    `longer` transfers, and those of `variants`.
    """

    other: Results | None = None
    longer: Results | None = None
    variants: Sequence[Results] = ()


def page(
    study: Study, results: Results, comparison: Iterable[Result], further: Further | None = None
) -> str:
    """The page as Markdown, from a run beside the figures of a study, and from further runs.

    Raises `FiresteelError` where the study has no page, or the clocks of the runs do not fit.
    """
    file = load_fidelity(study)
    if not file:
        raise FiresteelError(f"{study.folder}: there is no {FILE}; the page needs one.")
    further, whole = further or Further(), list(comparison)
    side = side_of(results, study, whole)
    _check_clocks(side, results, study, further)
    fit, then, longer = load_fit(study), variants(further.variants, study), further.longer
    tests = Evidence(
        changes(side.comparison, then),
        two_cores(side.comparison) if file.two_cores else [],
        instrument(whole, longer.means if longer else ()) if file.ticks else Instrument(),
    )
    found = findings(load_causes(study), tests)
    runs = (results, *further.variants, *filter(None, (further.other, longer)))
    compared = _longer(results, longer) if longer else []
    return _template().render(
        study=study,
        file=file,
        texts=file.texts.on(side.clock),
        clock=side.clock,
        time=_time(results, study),
        journal=results.journal,
        both=_both(results, side, further.other, study, fit) if further.other else None,
        fit=fit.on(side.clock),
        idle=without_effect(fit, side.clock),
        command=fit.command(side.clock),
        steps=steps(side.comparison, fit, side.clock),
        aim=AIM,
        large=LARGE,
        medians=medians(side.comparison, fit.on(side.clock)),
        rows=_rows(side.comparison, found, fit.on(side.clock)),
        ratios=side.ratios,
        summaries=summaries(side.ratios),
        findings=found,
        variant_ratios=variant_ratios(side.comparison, then),
        tests=tests,
        light=f"{LIGHT:g}",
        longer=compared,
        farther=sum(abs(each["change"]) > NEAR for each in compared),
        near=NEAR,
        converged=f"{CONVERGED * 100:g}",
        unconverged=not all(run.converged for run in runs),
    )


def _both(results: Results, side: Side, other: Results, study: Study, fit: FitFile) -> Row:
    """What the template has of the same run on the other clock: rows with both in the order of
    `clocks`, and steps of numbers that figures on the other clock alone depend on.
    """
    check_same(results, other, study)
    that = side_of(other, study, beside_study(other.means, study))
    clocks, idle = (side.clock, that.clock), without_effect(fit, side.clock)
    rows, pairs = rows_on_both(side, that, fit), ratios_on_both(side, that)
    of_rows, of_pairs = held_out(rows), held_out(pairs)
    boards = boards_beside(results, study)
    return {
        "run": other.journal.name,
        "clocks": clocks,
        "rows": rows,
        "ratios": pairs,
        "held_out": of_rows,
        "held_out_ratios": of_pairs,
        "sentence": f"{nearer(clocks, 'rows', of_rows)} {nearer(clocks, 'ratios', of_pairs)}",
        "agreement": agreement(clocks, of_pairs),
        "steps": [each for each in steps(that.comparison, fit, that.clock) if each.of in idle],
        "defaults": {board: load_profile(board).cpu.clock for board in boards},
    }


def medians(comparison: Iterable[Result], fit: FitFile) -> list[Row]:
    """Of software's rows and hardware's, all of them, the fitted ones and the predicted ones: how
    many have converged, and the median of their absolute deviations in percent.
    """
    told = [each for each in comparison if is_told(each) and each.converged]
    found: list[Row] = []
    for implementation in ("software", "hardware"):
        rows = [each for each in told if each.identity.implementation == implementation]
        fitted = [each for each in rows if fit.fitted_to(each.columns)]
        predicted = [each for each in rows if not fit.fitted_to(each.columns)]
        for sort, part in (("fitted", fitted), ("predicted", predicted), ("all", rows)):
            if part:
                middle = median(abs(each.deviation or 0) for each in part)
                found.append(
                    {
                        "implementation": implementation,
                        "sort": sort,
                        "rows": len(part),
                        "median": middle,
                    }
                )
    return found


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
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
    )
    environment.globals |= {
        "place": place,
        "configuration": titles.of_identity,
        "quantity": names.quantity,
        "mark": names.mark,
    }
    return environment.from_string(_TEMPLATE.read_text(encoding="utf-8"))


def _rows(
    comparison: Iterable[Result], found: Sequence[tuple[Cause, Finding]], fit: FitFile
) -> Mapping[str, list[Row]]:
    """The fitted rows, and the predicted ones of software and of hardware; a row of large deviation
    is marked with whether its cause is shown.
    """
    shown = {id(cause): finding.is_shown for cause, finding in found}
    causes = [cause for cause, _ in found]
    rows: dict[str, list[Row]] = {"fitted": [], "software": [], "hardware": []}
    for each in filter(is_told, comparison):
        fitted, mark = fit.fitted_to(each.columns), ""
        if abs(each.deviation or 0) > LARGE and each.converged:
            cause = cause_of(each, causes)
            mark = "†" if cause and shown[id(cause)] else "‡"
        row = {
            "name": place(each),
            "metric": names.quantity(each.metric),
            "value": each.value_text,
            "published": each.published_text,
            "deviation": each.deviation,
            "fitted": fitted,
            "mark": mark,
        }
        rows.setdefault("fitted" if fitted else each.identity.implementation, []).append(row)
    return rows


def _longer(results: Results, longer: Results) -> list[Row]:
    """Both runs' transfers, where both have them, of whatever sizes; `change` is by how much
    percent they differ.
    """
    mine, theirs = (_transfers(each) for each in (results, longer))
    return [
        {
            "name": titles.of_identity(one.identity),
            "metric": names.quantity(metric),
            "value": one.value_text,
            "longer": other.value_text,
            "parameter": other.at,
            "change": 100 * (one.value / other.value - 1),
        }
        for pair in find(mine, with_itself, theirs)
        for metric in filter(pair.has, _TRANSFER)
        for one, other in [(pair.other.results[metric], pair.one.results[metric])]
    ]


def _transfers(results: Results) -> Rows:
    """Those of files of any size."""
    found = of_metrics(results.means, _TRANSFER)
    files = (each for each in found if each.identity.parameter.file_bytes is not None)
    return Rows(files, alike=lambda identity: identity.comparable)


def fidelity(
    run: RunArgument = LATEST,
    other: Annotated[
        str | None,
        typer.Option(metavar="RUN", help="The same run on the other clock, to compare the two."),
    ] = None,
    longer: Annotated[
        str | None,
        typer.Option(
            metavar="RUN", help="A run of the same transfers with longer files (`transfer-length`)."
        ),
    ] = None,
    variants: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RUN",
            help="A run of variants, such as `causes` or `causes-hardware`; may be given more than "
            "once.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where to write the page [default: standard output]."),
    ] = None,
    study: StudyOption = None,
    store: StoreOption = None,
) -> None:
    """Write the page that compares a run with the published figures of a study."""
    kept = open_store(store)
    results = load_results(kept, run)
    chosen = study_for(results.means, study, FILE)
    comparison = beside_study(results.means, chosen)
    further = Further(
        other=load_results(kept, other) if other else None,
        longer=load_results(kept, longer) if longer else None,
        variants=[load_results(kept, each) for each in variants or []],
    )
    text = page(chosen, results, comparison, further)
    if output:
        write_whole(output.absolute(), text.encode())
    else:
        typer.echo(text, nl=False)


app = application(fidelity)

if __name__ == "__main__":
    main(app)
