# SPDX-License-Identifier: Apache-2.0
"""`python -m research.calibrate`: compares boards with published figures of their processor, and
fits the processor's costs to these.

A board's figure and the published one, at the board's clock, are compared as times.  A deviation of
10 % means that the board takes 10 % longer, whether the figure is a time, cycles a byte or a
bandwidth.  A board whose clock counts instructions has the clock of the chip that it stands for.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from statistics import mean, median
from typing import Annotated, Any, Literal

import polars as pl
import typer
from rich.console import Console
from rich.markup import escape

from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError, RequestError
from firesteel.base.tidy import to_csv, to_json
from firesteel.boards.profile import Cpu
from firesteel.judge.pairing import apart, words_of
from firesteel.judge.replication.method import HELD_OUT
from firesteel.judge.results import Results, load_results
from firesteel.show.grid import Grid, show
from firesteel.store.store import LATEST, Store
from research.asked import StoreOption, application, main, open_store, option
from research.costs import CostFit, counted, fit_costs
from research.processor import (
    KINDS,
    ROLES,
    Processor,
    in_unit,
    load_priors,
    load_processors,
    operations,
)

COLUMNS: Mapping[str, type[pl.DataType]] = {
    **dict.fromkeys(("processor", "id", "what"), pl.String),
    "size": pl.Int64,
    **dict.fromkeys(("implementation", "kind", "role", "source", "place"), pl.String),
    **dict.fromkeys(("scaled_from", "board", "clock", "unit"), pl.String),
    **dict.fromkeys(("published", "ours", "deviation_percent"), pl.Float64),
    "label": pl.String,
    "clock_hz": pl.Float64,
}
"""Columns of tidy rows: a row for each published row and board, or without a board if no board has
a figure.  The label identifies the board: `socrates, flat`, with the run if two boards share that
name.
"""

ANCHORS = 3
"""Operations of a kind, each at one size, that must be held out, or nothing judges its costs."""

RUNS = ("calibration", "calibration-a53")
"""The runs in `recorded/` that say how far held-out figures are off, one of each processor."""


def compared(processor: Processor, runs: Sequence[Results]) -> pl.DataFrame:
    """The processor's rows with the figures of runs; if a board has several figures, the last one
    counts.

    Raises `FiresteelError` when no figure is of any row.
    """
    boards: dict[str, tuple[Cpu | None, dict[str, dict[str, float]]]] = {}
    for results in runs:
        of = dict(results.measured_cpus)
        for name in dict.fromkeys(result.identity.board for result in results.means):
            cpu = of.get(name)
            label = f"{name}, {cpu.clock if cpu else 'flat'}"
            if boards.setdefault(label, (cpu, {}))[0] != cpu:
                label += f", {results.journal.name}"
            its = boards.setdefault(label, (cpu, {}))[1]
            for text, found in operations(results, name).items():
                its[text] = its.get(text, {}) | found
    rows: list[dict[str, Any]] = []
    for cost in processor.costs:
        said = {name: value for name, value in cost if name in COLUMNS} | {"clock_hz": None}
        said["processor"], there = processor.name, len(rows)
        for label, (cpu, values) in boards.items():
            own = cpu.hertz if cpu and cpu.clock == "cycles" else None
            hertz = own or processor.file.clock_hz
            published = cost.at(hertz)
            ours = in_unit(cost, values.get(cost.parameter.text, {}), hertz)
            if ours is not None:
                longer = published / ours if cost.unit == "MB/s" else ours / published
                board, clock = label.split(", ")[:2]
                at = {"label": label, "board": board, "clock": clock, "clock_hz": hertz}
                off = {"published": published, "ours": ours}
                rows.append({**said, **at, **off, "deviation_percent": (longer - 1) * 100})
        if len(rows) == there:
            rows.append({**said, "published": cost.at(processor.file.clock_hz)})
    frame = pl.DataFrame(rows, schema=COLUMNS)
    if not frame["label"].count():
        names = ", ".join(results.journal.name for results in runs)
        raise FiresteelError(
            f"No figure of {names} is of an operation that published/{processor.name} has costs "
            "of; `firesteel run calibration` measures them."
        )
    return frame


def groups(processor: Processor, frame: pl.DataFrame) -> list[dict[str, Any]]:
    """The deviations of each role, kind and board, in percent without signs, and whether each row
    and the median meet the goal.  For held-out rows this counts only if there are `ANCHORS`
    operations.
    """
    labels = dict.fromkeys(frame["label"].drop_nulls())
    found = []
    for role, kind, label in product(ROLES, KINDS, labels):
        rows, goal = frame.filter(role=role, kind=kind, label=label), processor.file.goals[kind]
        if rows.height:
            average, middle, worst, worst_row = _sizes(rows, "deviation_percent")
            is_met = worst <= goal.each and (goal.median is None or middle <= goal.median)
            of = {"role": role, "kind": kind, "label": label, "rows": rows.height, "goal": goal}
            sizes = {"mean": average, "median": middle, "worst": worst, "worst_row": worst_row}
            is_anchored = role == "fitted" or rows.select("what", "size").n_unique() >= ANCHORS
            found.append({**of, **sizes, "is_met": is_met, "is_anchored": is_anchored})
    return found


def _sizes(rows: pl.DataFrame, column: str) -> tuple[float, float, float, str]:
    """The mean, the median and the largest, without signs, and which row that is."""
    sizes = [abs(each) for each in rows[column]]
    worst = max(sizes)
    return mean(sizes), median(sizes), worst, rows["id"][sizes.index(worst)]


def choose(processors: Sequence[Processor], runs: Sequence[Results], name: str | None) -> Processor:
    """The processor of that name, or the one that the boards of the runs stand for.

    Raises `FiresteelError` when there is none, or the boards stand for several.
    """
    known = {each.name: each for each in processors}
    if name is not None:
        if name not in known:
            raise FiresteelError(f"There is no processor `{name}`; there are: {', '.join(known)}.")
        return known[name]
    boards = dict.fromkeys(board for results in runs for board, _ in results.measured_cpus)
    found = [each for each in processors if set(boards) & set(each.file.boards)]
    if len(found) != 1:
        told = ", ".join(boards) or "no board"
        raise FiresteelError(
            f"The runs are of {told}, and {len(found)} processors of published/ name one of these "
            f"in `boards`; --processor takes one of {', '.join(known)}."
        )
    return found[0]


def held_out(store: Store) -> dict[Path, str]:
    """The file that says how far held-out figures of each processor are off, by the recorded
    calibrations; nothing while none is recorded.
    """
    recorded = [run for run in RUNS if run in store.run_names()]
    if not recorded:
        return {}
    processors, parts = load_processors(), list[str]()
    for run in recorded:
        runs = [load_results(store, run)]
        processor = choose(processors, runs, None)
        for each in groups(processor, compared(processor, runs)):
            if each["role"] == "held-out":
                goal = each["goal"]
                parts += [
                    f"\n[processors.{processor.name}.{each['kind']}]",
                    f"rows = {each['rows']}",
                    *(f"{name} = {each[name]:.1f}" for name in ("mean", "median", "worst")),
                    f"goal = {goal.each:g}",
                    *(
                        [f"first_goal = {goal.first_each:g}"]
                        if goal.first_each != goal.each
                        else []
                    ),
                    *([f"median_goal = {goal.median:g}"] if goal.median is not None else []),
                ]
    named = " and ".join(f"`{run}`" for run in recorded)
    head = (
        "# SPDX-License-Identifier: Apache-2.0\n"
        "# Published figures that the costs were not fitted to, by processor and kind: their "
        "deviations in percent without signs\n"
        f"# in the runs {named}, and the goals.  `scripts/figures.sh write` makes this file."
    )
    return {HELD_OUT: "\n".join((head, *parts, ""))}


def show_calibration(console: Console, processor: Processor, frame: pl.DataFrame) -> None:
    """The deviations by role and kind, and the rows without a figure; `--format csv` lists each
    row.
    """
    measured = frame.filter(pl.col("board").is_not_null())
    clocks = dict(zip(measured["label"], measured["clock_hz"], strict=True))
    several = len(clocks) > 1
    lines, missed = [], []
    for each in groups(processor, frame):
        name = f"{each['role']}: {each['kind']}" + (f" ({each['label']})" if several else "")
        goal = f"{each['goal'].each:g}"
        if each["goal"].median is not None:
            goal += f", median {each['goal'].median:g}"
        lines.append(
            {
                "": name,
                "rows": str(each["rows"]),
                **{name: f"{each[name]:.1f}" for name in ("mean", "median", "worst")},
                "goal": goal,
                " ": "unanchored" * (not each["is_anchored"])
                or ("met" if each["is_met"] else "missed"),
            }
        )
        if each["is_anchored"] and not each["is_met"]:
            missed.append(f"The goal is missed by {name}; the worst row is {each['worst_row']}.")
    moved = [
        f"The goal for each row of {kind} was {goal.first_each:g} before {goal.date}."
        for kind, goal in processor.file.goals.items()
        if goal.first_each != goal.each
    ]
    of = "" if several else f" of {next(iter(clocks))}"
    show(console, Grid.of(f"Deviations{of}, in percent", lines))
    at = " and ".join(dict.fromkeys(f"{hertz / 1e6:g} MHz" for hertz in clocks.values()))
    missing = frame.filter(pl.col("board").is_null())["what"].to_list()
    _say(
        console,
        *missed,
        *moved,
        f"Published figures are of a {processor.file.processor} at {at}, or scaled to that clock; "
        "a deviation is how much longer the board takes.",
        f"Published rows without a figure here: {len(missing)}, of "
        f"{', '.join(dict.fromkeys(missing)) or 'none'}.",
    )


def _say(console: Console, *sentences: str) -> None:
    for each in sentences:
        console.print(escape(each), highlight=False)


def show_cost_fit(console: Console, fit: CostFit) -> None:
    """Costs and their priors, rows and their fitted values, and how far to trust the fit."""
    for grid in _of_fit(fit):
        show(console, grid)
    own = fit.rows["left_out"].count()
    _say(
        console,
        f"The {own} rows determine {fit.freedom:.1f} of {fit.weights.height} costs. The priors "
        "determine the others.",
        "told: the share of a prior's variance that the rows take away; least: the fit is at the "
        "least value allowed. left out: by a fit to all other rows. An error of 1 goal is as much "
        "as the goal of a row's kind allows.",
        f"now: {fit.path.relative_to(CHECKOUT)}; --write puts the fitted costs there.",
    )


def _of_fit(fit: CostFit) -> Iterable[Grid | None]:
    def cost(each: Mapping[str, Any], when: str) -> str:
        memory = each[f"{when}_nanoseconds"]
        return f"{each[f'{when}_cycles']:g}" + (f" + {memory:g} ns" if memory else "")

    yield Grid.of(
        "Costs in cycles, and ns of memory",
        [
            {
                "": each["name"],
                **{when: cost(each, when) for when in ("prior", "now", "fitted")},
                "told, %": "least" if each["at_least"] else f"{each['told'] * 100:.0f}",
            }
            for each in fit.weights.to_dicts()
        ],
    )
    offs = {name: name.replace("_", " ") for name in ("measured", "now", "fitted", "left_out")}
    yield Grid.of(
        "Rows of the fit: published, and how much longer the board takes, %",
        [
            {
                "": each["id"],
                "cycles": f"{each['published']:.5g}",
                **{title: f"{each[name]:+.1f}" for name, title in offs.items()},
            }
            for each in fit.rows.drop_nulls("left_out").to_dicts()
        ],
    )
    lines = []
    for role, kind in product(ROLES, KINDS):
        of = fit.rows.filter(role=role, kind=kind)
        if of.height:
            line = {"": f"{role}: {kind}", "rows": str(of.height)}
            for when in ("now", "fitted"):
                _, middle, worst, row = _sizes(of, when)
                line |= {f"{when}\nmedian": f"{middle:.1f}", f"{when}\nworst": f"{worst:.1f}"}
            lines.append({**line, "worst row": row})
    yield Grid.of("Deviations without signs, %", lines)
    yield Grid.of(
        "Error of rows that are left out, by the spread of priors",
        [
            {"": f"{spread:.3g}", "goals": f"{error:.3f}", " ": "chosen" * (spread == fit.spread)}
            for spread, error in fit.errors.items()
        ],
    )


def calibrate(
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RUN",
            help="Runs of `calibration`, also on several boards, which stand in columns "
            "[default: latest].",
            show_default=False,
        ),
    ] = None,
    processor: Annotated[
        str | None,
        option("--processor", "NAME", "A folder of published/ [default: that of the boards]."),
    ] = None,
    fit: Annotated[
        bool,
        option(
            "--fit",
            None,
            "Fit the processor's costs to the rows for it instead, from one run on a board whose "
            "instructions were counted.",
        ),
    ] = False,
    write: Annotated[
        bool, option("--write", None, "With --fit: write the costs to board/processors/.")
    ] = False,
    form: Annotated[
        Literal["table", "csv", "json"],
        option("--format", None, "A table for people, or tidy rows for programs."),
    ] = "table",
    store: StoreOption = None,
) -> None:
    """Compare boards with published figures of the processor that they stand for.

    Rows that a board may be fitted to stand apart from rows that are held out, with the median and
    the worst deviation of each and the goals.
    """
    if write and not fit:
        raise RequestError("--write goes with --fit, which makes the costs that are written.")
    if fit and len(runs or []) > 1:
        raise RequestError(f"--fit takes one run; {len(runs or [])} are named.")
    place, console = open_store(store), Console()
    results = [load_results(place, run) for run in runs or [LATEST]]
    chosen = choose(load_processors(), results, processor)
    if fit:
        costs = fit_costs(chosen, counted(chosen, results[0], place), load_priors(chosen))
        frame = costs.weights
        if form == "table":
            show_cost_fit(console, costs)
        if write:
            costs.write()
    else:
        frame = compared(chosen, results)
        if form == "table":
            show_calibration(console, chosen, frame)
            for run in results[1:]:
                if found := apart(results[0].records, run.records):
                    names = f"{results[0].journal.name} and {run.journal.name}"
                    _say(console, f"The runs {names} differ in: {words_of(found)}.")
    if form != "table":
        sys.stdout.write(to_csv(frame) if form == "csv" else to_json(frame))


app = application(calibrate)

if __name__ == "__main__":
    main(app)
