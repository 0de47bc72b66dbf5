# SPDX-License-Identifier: Apache-2.0
"""What pages may ask of a store of records: each public method of `Recorded` is a function there.

`where` are columns of tidy rows (`firesteel show --part samples`), each with the value that is
wanted, or with several and commas between them; `at` is short for `parameter`.  Where no `link` is
named, the topology's own rate is meant.
"""

import shlex
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from io import StringIO
from itertools import chain, combinations
from pathlib import Path
from typing import TypeVar

import polars as pl
from rich.console import Console
from typer.testing import CliRunner

from firesteel.base.errors import FiresteelError
from firesteel.judge.advice.answer import answer_of, answer_of_pairs
from firesteel.judge.advice.sweep import sweep_answer
from firesteel.judge.compare import as_published
from firesteel.judge.pairing import disagreement, runs_apart, words_of
from firesteel.judge.replication import statements as stated
from firesteel.judge.replication.fit_file import load_fit
from firesteel.judge.replication.method import method
from firesteel.judge.results import load_results, spread_of
from firesteel.judge.robustness import studied_of
from firesteel.judge.rows import grouped, read_results
from firesteel.judge.sensitivity import Sensitivity
from firesteel.judge.study import Study, load_studies
from firesteel.judge.verdict import Offload, answering
from firesteel.model import names
from firesteel.model.cell import USUAL_COMPLETION
from firesteel.model.identity import Identity
from firesteel.model.metrics import CPU_UNIT, unit_of
from firesteel.model.names import ratio
from firesteel.search import design as design_file
from firesteel.show.report.profiles import code_grid, load_profiles
from firesteel.show.run import show_design, show_sensitivity
from firesteel.store.store import Store
from firesteel.table import BOARD, CELL_COLUMNS, CPUS, choose, rows
from firesteel.workloads import titles
from research.asked import beside_study, clock_beside
from research.fidelity import in_both, medians
from tools import benchmark, pictures, tables
from tools.runs import RUNS, load_designs, load_runs
from tools.tables import table

Read = TypeVar("Read")

_WIDTH = 80
"""Of a terminal whose lines a page has."""


class NotRecordedError(FiresteelError):
    """What a page asks for is not measured yet; it is the command that does."""


class Recorded:
    """The store, asked by pages; a run is read once for all of them."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._rows = cache(lambda run: self._read(rows, run))
        self._run = cache(lambda run: self._read(load_results, run))
        self._named: set[frozenset[str]] = set()
        self._asked: dict[str, None] = {}
        self._awaited = {run.name for run in load_runs()}.difference(store.run_names())

    @property
    def functions(self) -> Mapping[str, Callable[..., object]]:
        """All of them by their names."""
        public = (name for name in vars(Recorded) if not name.startswith("_"))
        hidden = ("functions", "begin_page", "begin_paragraph", "check_asked")
        return {name: getattr(self, name) for name in public if name not in hidden}

    def begin_page(self) -> None:
        """Before each page, because a page does not know the statements of another about two
        runs.
        """
        self._named.clear()
        self.begin_paragraph()

    def begin_paragraph(self) -> None:
        """Before each paragraph or item of a list, the figures of which a reader compares."""
        self._asked.clear()

    def check_asked(self) -> None:
        """Raises `FiresteelError` where a paragraph asked for figures of runs that differ in more
        than their seeds.  The page must say in what: of the two, or of both and a third.
        """
        for one, other in combinations(self._asked, 2):
            if frozenset((one, other)) in self._named or self._beside(one) & self._beside(other):
                continue
            if found := runs_apart(self._run(one), self._run(other)):
                raise FiresteelError(
                    f"the runs `{one}` and `{other}` differ in: {words_of(found)}; allowed is "
                    f'this only below `differences("{one}", "{other}")`, which says so.'
                )

    def _beside(self, run: str) -> set[str]:
        """The runs from which the page says how this one differs."""
        return {other for pair in self._named if run in pair for other in pair - {run}}

    def differences(self, one: str, other: str) -> str:
        """In what two runs differ, in a sentence, without which a page may not compare them."""
        self._named.add(frozenset((one, other)))
        found = runs_apart(self._run(one), self._run(other))
        runs = f"The runs `{one}` and `{other}`"
        if not found:
            return f"{runs} were measured with the same software."
        if len(found) == 1:
            return f"{runs} differ in one thing: {words_of(found)}."
        return (
            f"{runs} differ in {len(found)} things, and a ratio between them shows what all of "
            f"these do together: {words_of(found)}."
        )

    def value(self, run: str, **where: str) -> "Number":
        """One figure, without its unit."""
        value, metric = self._one(run, where)
        return Number(value, names.number(value, metric))

    def amounts(self, run: str, **where: str) -> str:
        """Figures in the form for a sentence: `20,182`, `about 2,640 and 5,280`."""
        self._asked[run] = None
        if found := read_results(_usual(self._chosen(run, where), where)):
            return tables.amounts(found)
        raise FiresteelError(f"the run `{run}` has no such figures.")

    def ratio(self, run: str, over: str = "", **where: str) -> "Number":
        """A figure in hardware divided by the one in software, or by the one of the run `over`."""
        self._check_recorded([run, over])
        asked = [(run, where), (over, where)]
        if not over:
            asked = [(run, {**where, "implementation": of}) for of in ("hardware", "software")]
        one, other = (self._one(*each)[0] for each in asked)
        return Number(one / other, ratio(one / other))

    def answer(self, run: str) -> str:
        """The first word of a run's answer: `Yes`, `Mostly`."""
        results = self._run(run)
        swept = sweep_answer(results)
        return swept.word if swept else answer_of(results).word

    def headline(self, run: str) -> str:
        """The headline of all rows of a run's experiment if they are recorded, else of the run."""
        answer = answer_of(self._run(run))
        return (answer.recorded or answer).headline

    def unneeded(self, run: str) -> str:
        """On which boards which traffic needs no core: all its rows lose or are equal.  In half a
        sentence.
        """
        pairs = answering(self._offloads(run))
        told = []
        for board, of in grouped(pairs, lambda pair: pair.identity.board).items():
            by_name = grouped(of, lambda pair: _traffic(pair.identity))
            rows = [
                name
                for name, those in by_name.items()
                if {each.verdict for each in those} <= {"loses", "equal"}
            ]
            told += [f"on {tables.board_title(board)} for {names.all_of(rows)}"] if rows else []
        if told:
            return "; ".join(told)
        raise FiresteelError(f"the run `{run}` has no traffic that needs no core.")

    def course(self, run: str) -> str:
        """The verdicts of a sweep's first kind of traffic along its first number."""
        found = sweep_answer(self._run(run))
        if not found or not found.kinds:
            raise FiresteelError(f"the run `{run}` is no sweep in which anything was compared.")
        return found.where(found.kinds[0], 0)

    def gains(self, run: str, board: str = "", verdict: str = "") -> str:
        """How many rows of runs, or of one of their boards, lose and gain, or the number of those
        with one verdict.
        """
        pairs = answer_of_pairs(self._offloads(run)).pairs
        those = [pair for pair in pairs if board in ("", pair.identity.board)]
        if verdict:
            return str(tables.verdicts_of(those).count(verdict))
        return tables.gains(those, "" if board else " of the run")

    def verdicts(self, run: str, left: str = "", cpus: str = "") -> str:
        """The verdicts of runs on several boards, or on their boards with that many CPUs: a row a
        kind of traffic, a column a board.  `left` stands behind the ratios of work that was left to
        software.
        """
        rows = pl.concat([self._rows(name) for name in run.split(",")])
        boards = set(rows.filter(pl.col(CPUS) == int(cpus))[BOARD] if cpus else rows[BOARD])
        pairs = [pair for pair in answering(self._offloads(run)) if pair.identity.board in boards]
        if not pairs:
            raise FiresteelError(f"the run `{run}` has no pairs of software and hardware there.")
        return tables.verdicts(pairs, left)

    def break_evens(self, run: str, metric: str, **where: str) -> str:
        """From which size on cores take less of a metric than software: a row an implementation, a
        column a board.
        """
        return tables.break_evens(read_results(self._chosen(run, {**where, "metric": metric})))

    def table(self, run: str, metric: str, by: str = "", **where: str) -> str:
        """Software and hardware with their ratio, of several metrics; or with `by="parameter"` a
        column a parameter, in a table for each metric.
        """
        figures = read_results(self._chosen(run, {**where, "metric": metric}))
        if not figures:
            raise FiresteelError(f"the run `{run}` has no such figures.")
        if by:
            return tables.by_parameter(figures)
        return tables.side_by_side(figures, metric.split(","))

    def run(self, command: str, start: str = "", until: str = "", needs: str = "") -> str:
        """A command's output for the store, from the first line with the text `start` to the next
        line with `until`.  `needs` is a run that the command does not name.  The command may be a
        module of research, as `research.calibrate`.
        """
        arguments = shlex.split(command)
        self._check_recorded([*arguments, needs])
        lines = _output(arguments, self._store)
        first = _line_with(start, lines)
        end = 1 + first + _line_with(until, lines[1 + first :]) if until else len(lines)
        return _as_code(lines[first:end])

    def code(self, run: str) -> str:
        """A row for each function of cryptography that took a hundredth of a cell's instructions or
        more, by the profiles of a run, software first.
        """
        self._check_recorded([run])
        profiles = load_profiles(self._store.runs / run / "profiles")
        grid = code_grid(sorted(profiles, key=lambda each: each.implementation != "software"))
        if grid is None:
            raise FiresteelError(f"the run `{run}` has no profiles.")
        heads = [", ".join(filter(None, (each.group, each.title))) for each in grid.columns]
        return table(heads, ([str(text) for text in row] for row in grid.rows))

    def per_byte(self, *runs: str) -> str:
        """Instructions per byte of the code that ran, by the profiles of runs."""
        self._check_recorded(runs)
        self._asked |= dict.fromkeys(runs)
        return tables.per_byte(self._store, runs)

    def statements(self, run: str, study: str, beside: str = "") -> str:
        """A study's statements with a run's answers, and with the answers of a run `beside`; below,
        the statements without figures.  Remarks and the summary are about the first run.
        """
        runs = [run, *([beside] if beside else [])]
        each = [stated.answers(_study(study), self._run(name).means) for name in runs]
        both = list(zip(*each, strict=True))
        told = (
            (
                *(those[0].said, those[0].with_unit(those[0].published)),
                *chain.from_iterable((of.with_unit(of.ours), of.verdict) for of in those),
                those[0].why,
            )
            for those in both
            if any(of.ours for of in those)
        )
        names_of = [f"`{name}`" for name in runs] if beside else ["ours"]
        heads = (head for name in names_of for head in (name, "verdict"))
        parts = [stated.summary(each[0]), table(("statement", "published", *heads, "remark"), told)]
        if rest := "\n".join(
            f"- *{those[0].said}.* {those[0].why[:1].upper()}{those[0].why[1:]}."
            for those in both
            if not any(of.ours for of in those)
        ):
            parts.append(f"We have no figures for these statements:\n\n{rest}")
        return "\n\n".join(parts)

    def method(self, *runs: str) -> str:
        """What the figures of runs are worth, by the clocks of their boards."""
        measured = chain.from_iterable(self._run(run).measured_cpus for run in runs)
        return f"> {method(list(dict.fromkeys(measured)))}"

    def deviation(self, run: str, study: str) -> str:
        """How far figures of whole programs are from a study's, where nothing was fitted to it."""
        self._asked[run] = None
        results, found = self._run(run), _study(study)
        fit = load_fit(found).on(clock_beside(results, found))
        rows = medians(as_published(beside_study(results.means, found)), fit)
        each = (
            f"{row['mean']:.0f} % (worst {row['worst']:.0f} %) in {row['implementation']}"
            for row in rows
            if row["sort"] == "predicted"
        )
        return names.all_of(list(each))

    def deviation_of_both(self, run: str, other: str, study: str) -> str:
        """How far a run's figures are from a study's, in rows that another run has too: mean and
        median of absolute deviations, and the mean without CPU use.
        """
        found = _study(study)
        self._asked |= dict.fromkeys((run, other))
        one, its = (
            as_published(beside_study(self._run(each).means, found)) for each in (run, other)
        )
        figures = in_both(one, its)
        fit = load_fit(found).on(clock_beside(self._run(run), found))
        every, rest = (
            [row for row in medians(those, fit) if row["sort"] == "predicted"]
            for those in (figures, [each for each in figures if unit_of(each.metric) != CPU_UNIT])
        )
        told = [
            f"{row['mean']:.1f} % (median {row['median']:.1f} %, without CPU use "
            f"{of_rest['mean']:.1f} %) in {row['implementation']}"
            for row, of_rest in zip(every, rest, strict=True)
        ]
        return names.all_of(told)

    def picture(self, name: str) -> str:
        """A picture of docs/gallery.md."""
        found = pictures.picture_named(name)
        self._check_recorded([found.run])
        return pictures.in_page(self._store, found)

    def study(self, run: str) -> str:
        """Which verdicts of a run change with which assumption."""
        found = Sensitivity.of_all(studied_of(self._store, self._run(run).keys).values())
        if found is None:
            raise NotRecordedError(f"scripts/figures.sh measure {run}-sensitivity")
        return _shown(lambda console: show_sensitivity(console, found, rows=False))

    def benchmark(self, name: str) -> str:
        """What a benchmark of the lab measured, with its goals."""
        found = benchmark.load(self._store.root, name)
        if found is None:
            raise NotRecordedError(f"scripts/bench.sh {name} --record")
        return found.sheet

    def design(self, name: str) -> str:
        """The answer to a question of design."""
        if name not in [each.name for each in load_designs()]:
            raise FiresteelError(f"{RUNS} has no such question of design.")
        question = design_file.load(self._store, name)
        if question is None:
            raise NotRecordedError(f"scripts/figures.sh measure {name}")
        return _shown(lambda console: show_design(console, question.answer(self._store)))

    def _offloads(self, runs: str) -> list[Offload]:
        """All pairs of software and hardware of runs with commas between them."""
        return [pair for run in runs.split(",") for pair in self._run(run).offloads]

    def _one(self, run: str, where: Mapping[str, str]) -> tuple[float, str]:
        """The value of a figure, and its metric."""
        self._asked[run] = None
        found = _usual(self._chosen(run, where), where)
        if found.height != 1:
            raise FiresteelError(f"this names {found.height} figures of the run `{run}`, not one.")
        return found["value"][0], found["metric"][0]

    def _chosen(self, run: str, where: Mapping[str, str]) -> pl.DataFrame:
        """Figures with what their seeds say of them."""
        return spread_of(choose(self._rows(run), where))

    def _read(self, read: Callable[[Store, str], Read], run: str) -> Read:
        self._check_recorded([run])
        _check_agreement(self._store.root, run)
        return read(self._store, run)

    def _check_recorded(self, names_of_runs: Sequence[str]) -> None:
        for run in names_of_runs:
            if run in self._awaited:
                raise NotRecordedError(f"scripts/figures.sh measure {run}")


def _study(name: str) -> Study:
    found = {each.name: each for each in load_studies()}
    if name not in found:
        raise FiresteelError(f"there is no study `{name}`; there are: {', '.join(found)}.")
    return found[name]


@cache  # Runs do not change.
def _check_agreement(root: Path, run: str) -> None:
    """Raises `FiresteelError` where a run's own records are not of the same software."""
    store = Store(root)
    journal = store.journal(run)
    done = [entry for entry in journal.entries if entry.state == "done"]
    if told := disagreement(store.each_record(journal, done)):
        raise FiresteelError(f"the run `{run}` says nothing a page may show: {told}")


class Number(float):
    """A number to be computed with, and the text that a page shows."""

    text: str

    def __new__(cls, value: float, text: str) -> "Number":
        """With that text."""
        found = super().__new__(cls, value)
        found.text = text
        return found

    def __str__(self) -> str:
        return self.text


def _traffic(of: Identity) -> str:
    """What a row is of, on whatever board and CPUs: `handshakes with rsa-2048`."""
    if of.parameter.key:
        return f"handshakes with {of.parameter.key}"
    return titles.configuration(of.protocol, of.cipher, of.mac)


def _usual(figures: pl.DataFrame, where: Mapping[str, str]) -> pl.DataFrame:
    """Those of the cores as a user gets them; or of another way, where one is named."""
    if any(column in where for column in CELL_COLUMNS):
        return figures
    completion = pl.col("completion").is_in(["", USUAL_COMPLETION])
    return figures.filter(completion, pl.col("as_in_2015") == "", pl.col("affinity") == "")


def _output(command: list[str], store: Store) -> list[str]:
    """The lines that a command of the lab or of research prints of the store."""
    # Slow to load, and not needed by most pages.
    of_research = command[0].startswith("research.")
    app = import_module(command[0] if of_research else "firesteel.cli").app
    arguments = [*command[of_research:], "--store", str(store.root)]
    result = CliRunner().invoke(app, arguments, env={"COLUMNS": str(_WIDTH)})
    if result.exception and not isinstance(result.exception, SystemExit):
        raise FiresteelError(str(result.exception))
    return result.stdout.splitlines()


def _shown(show: Callable[[Console], None]) -> str:
    """What is shown on a terminal."""
    console = Console(file=(out := StringIO()), width=_WIDTH)
    show(console)
    return _as_code(out.getvalue().splitlines())


def _as_code(lines: Sequence[str]) -> str:
    """Without blanks at the ends of lines and empty lines around."""
    text = "\n".join(line.rstrip() for line in lines).strip("\n")
    return f"```\n{text}\n```"


def _line_with(text: str, lines: Sequence[str]) -> int:
    """Where the first line with that text is."""
    for number, line in enumerate(lines):
        if text in line:
            return number
    raise FiresteelError(f"no line of the output has `{text}`.")
