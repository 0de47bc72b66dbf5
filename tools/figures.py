# SPDX-License-Identifier: Apache-2.0
"""Figures of boards in pages: none is typed, all come from the committed store `recorded/`.

A page asks for what it shows in comments, and the generator writes the text between them:

    <!-- run: advise --protocol openssl --suite aes-256-cbc -->     the output of a command
    <!-- text: from="# Fidelity" fidelity thesis -->                the same where that is Markdown
    <!-- table: thesis experiment=file-transfer protocol=openvpn metric=throughput -->
    <!-- code: thesis -->                                which code for cryptography ran in a run
    <!-- per-byte: gcm gcm-neon -->                       its instructions per byte, of several runs
    <!-- statements: thesis delhaye2015 -->          what a study states, with verdicts by a run
    <!-- method: thesis openvpn -->             what figures in virtual time are worth in runs
    <!-- gallery: router -->                    command, picture and answer of a question
    <!-- study: thesis -->                      what a study of sensitivity says of a run's verdicts
    <!-- benchmark: scale -->                   what a benchmark of the lab measured, with its goals
    <!-- design: core-for-ipsec -->        a question of design: the command, and its answer
    <!-- /recorded -->
    … <!--= thesis protocol=ipsec mac=sha256 metric=throughput ratio -->1.2<!--/--> …
    … <!--= gcm-neon protocol=ssh metric=throughput over=gcm -->1.2<!--/--> …
    … virtual time counts <!--= thesis counts -->instructions, not cycles<!--/--> …

`rendered` gives a page with all of it filled in; a test holds every page to that.
"""

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from io import StringIO
from itertools import chain
from pathlib import Path

from rich.console import Console
from typer.testing import CliRunner

from firesteel.analysis.places import Places
from firesteel.analysis.results import Results, load_results
from firesteel.analysis.rows import Result, grouped, of_metrics
from firesteel.analysis.sheet import MISSING, ratio
from firesteel.base.checkout import CHECKOUT, RECORDED
from firesteel.base.errors import FiresteelError
from firesteel.model import names
from firesteel.model.identity import Identity
from firesteel.replication.method import counted, method
from firesteel.report.code import code_sheet
from firesteel.report.profiles import load_profiles
from firesteel.sensitivity.find import sensitivity_of
from firesteel.store.store import Store
from firesteel.terminal.sensitivity_table import show_sensitivity
from firesteel.workloads import titles
from tools.benchmark import load as load_benchmark
from tools.design import answer_lines, command_lines, question_named
from tools.gallery.page import exhibit_block, exhibit_named
from tools.markdown import table
from tools.pages import PAGES
from tools.per_byte import per_byte
from tools.runs import load_runs
from tools.statements import statements

KINDS = (
    *("run", "text", "table", "code", "per-byte", "statements", "method", "gallery", "study"),
    *("benchmark", "design"),
)
"""What a page asks for between two comments."""

_BLOCK = re.compile(
    rf"(?P<head><!-- (?P<kind>{'|'.join(KINDS)}):"
    r"(?P<asked>[^\n]*?)-->\n)"
    r".*?(?P<tail><!-- /recorded -->)",
    re.DOTALL,
)
_VALUE = re.compile(r"(?P<head><!--= (?P<asked>[^\n]*?) -->).*?(?P<tail><!--/-->)")
_WIDTH = "80"

DOCS = CHECKOUT / "docs"

PROFILES = "profiles"
"""Where the profiles of a run are, below its directory."""


def pages() -> list[Path]:
    """All pages of the checkout that are written by hand and may hold figures."""
    made = {DOCS / path for path in PAGES}
    return [CHECKOUT / "README.md", *sorted(set(DOCS.rglob("*.md")) - made)]


def rendered(text: str, store: Store | None = None) -> str:
    """The page with every figure that it asks for.

    Raises `FiresteelError` when it asks for what the store does not have.
    """
    recorded = _Recorded(store or Store(RECORDED))

    def block(found: re.Match[str]) -> str:
        make = {
            "run": recorded.run,
            "text": recorded.text,
            "table": recorded.table,
            "code": recorded.code,
            "per-byte": recorded.per_byte,
            "statements": recorded.statements,
            "method": recorded.method,
            "gallery": recorded.gallery,
            "study": recorded.study,
            "benchmark": recorded.benchmark,
            "design": recorded.design,
        }
        asked = found["asked"].strip()
        made = recorded.missing(asked) or make[found["kind"]](asked)
        return f"{found['head']}{made}\n{found['tail']}"

    def value(found: re.Match[str]) -> str:
        asked = found["asked"]
        made = recorded.missing(asked) or recorded.value(asked)
        return f"{found['head']}{made}{found['tail']}"

    return _VALUE.sub(value, _BLOCK.sub(block, text))


class _Recorded:
    """The store, asked in the words of a page."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._results: dict[str, Results] = {}
        self._unrecorded = {run.name for run in load_runs()}.difference(store.run_names())

    def missing(self, asked: str) -> str:
        """What a page says where it asks for a run that is not recorded yet; else nothing."""
        words = (re.sub("^(needs|over)=", "", word) for word in asked.split())
        run = next((word for word in words if word in self._unrecorded), None)
        return f"*Not recorded yet: `scripts/figures.sh measure {run}`.*" if run else ""

    def run(self, asked: str) -> str:
        """The output of a command on the store, as a block of code."""
        return _as_code(self.text(asked))

    def text(self, asked: str) -> str:
        """The output of a command on the store, as it is.

        In front of the command may stand `from=TEXT`, which leaves out what comes before the first
        line with that text, and `until=TEXT`, which ends before the next one with that;
        `needs=RUN` names a run that the command does not.
        """
        options, command = _options(shlex.split(asked))
        lines = _output(command, self._store)
        if "from" in options:
            lines = lines[_line_with(options["from"], lines, asked) :]
        if "until" in options:
            lines = lines[: 1 + _line_with(options["until"], lines[1:], asked)]
        return _tidy(lines)

    def table(self, asked: str) -> str:
        """Software and hardware with their ratio; or with `by=parameter` a column a parameter, in a
        table for each metric.
        """
        run, *words = asked.split()
        options = dict(word.split("=", 1) for word in words)
        by, metrics = options.pop("by", ""), options.pop("metric").split(",")
        figures = of_metrics(self._chosen(run, options), metrics)
        if not figures:
            raise FiresteelError(f"`table: {asked}`: the run has no such figures.")
        if not by:
            return _side_by_side(figures, metrics)
        each = grouped(figures, lambda figure: figure.metric)
        return "\n\n".join(_by_parameter(those) for those in each.values())

    def code(self, run: str) -> str:
        """Which code for cryptography ran, by the profiles of a run."""
        profiles = load_profiles(self._store.runs / run / PROFILES)
        software_first = sorted(profiles, key=lambda each: each.implementation != "software")
        sheet = code_sheet(software_first)
        if sheet is None:
            raise FiresteelError(f"`code: {run}`: the run has no profiles.")
        return table(
            (sheet.head, *sheet.columns), ([str(cell) for cell in row] for row in sheet.rows)
        )

    def per_byte(self, asked: str) -> str:
        """Instructions per byte of the code that ran, by the profiles of runs."""
        return per_byte(self._store, asked.split())

    def statements(self, asked: str) -> str:
        """The statements of a study, with what a run says of them."""
        return statements(self._store, asked)

    def method(self, asked: str) -> str:
        """What the figures of runs are worth, by the clocks of their boards."""
        measured = (self._run(run).measured_cpus for run in asked.split())
        return f"> {method(list(dict.fromkeys(chain.from_iterable(measured))))}"

    def gallery(self, name: str) -> str:
        """A question's command, picture and answer."""
        exhibit = exhibit_named(name)
        return self.missing(exhibit.run) or exhibit_block(self._store, exhibit)

    def study(self, run: str) -> str:
        """Which verdicts of a run change with which assumption; or that nobody knows."""
        found = sensitivity_of(self._store, self._run(run))
        if found is None:
            measure = f"scripts/figures.sh measure {run}-sensitivity"
            return f"*Not studied with these records: `{measure}`.*"
        console = Console(file=(out := StringIO()), width=int(_WIDTH))
        show_sensitivity(console, found, rows=False)
        return _as_code(_tidy(out.getvalue().splitlines()))

    def benchmark(self, name: str) -> str:
        """The figures of a benchmark, or how they come to be recorded."""
        found = load_benchmark(self._store.root, name)
        if found is None:
            return f"*Not recorded yet: `scripts/bench.sh {name} --record`.*"
        return found.sheet

    def design(self, name: str) -> str:
        """A question of design as it is asked, and its answer."""
        asked = question_named(name)
        answer = answer_lines(self._store, name, int(_WIDTH))
        measure = f"*Not recorded yet: `scripts/figures.sh measure {name}`.*"
        command = _as_code("\n".join(command_lines(asked)))
        return f"{command}\n\n{_as_code(_tidy(answer)) if answer else measure}"

    def value(self, asked: str) -> str:
        """One figure: `RUN KEY=VALUE …`; with `ratio` hardware divided by software, with `over=RUN`
        divided by that run's.  `RUN counts` is what the clocks of its boards count.
        """
        run, *words = asked.split()
        if words == ["counts"]:
            return counted(self._run(run).measured_cpus)
        options = dict(word.split("=", 1) for word in words if "=" in word)
        other_run = options.pop("over", "")
        figures = self._chosen(run, options)
        if "ratio" in words:
            one, other = (
                [each for each in figures if each.identity.implementation == name]
                for name in ("software", "hardware")
            )
            return ratio(_only(other, asked).value / _only(one, asked).value)
        found = _only(figures, asked)
        if other_run:
            return ratio(found.value / _only(self._chosen(other_run, options), asked).value)
        return names.number(found.value, found.metric)

    def _chosen(self, run: str, options: Mapping[str, str]) -> list[Result]:
        figures = [(each, _columns(each)) for each in self._run(run).means]
        if "link" not in options and any(not each.identity.link for each, _ in figures):
            # A page that names no rate of links means the topology's own.
            figures = [(each, columns) for each, columns in figures if not each.identity.link]
        for key, value in options.items():
            column = "parameter" if key == "at" else key
            if not all(column in columns for _, columns in figures):
                allowed = ", ".join(figures[0][1])
                raise FiresteelError(f"Figures have no `{key}`; allowed are {allowed}, at.")
            spaced = key in ("at", "link")
            wanted = [each.replace("_", " ") if spaced else each for each in value.split(",")]
            figures = [each for each in figures if each[1][column] in wanted]
        return [result for result, _ in figures]

    def _run(self, run: str) -> Results:
        if run not in self._results:
            self._results[run] = load_results(self._store, run)
        return self._results[run]


def _tidy(lines: Sequence[str]) -> str:
    """What a terminal is given, without blanks at the ends of lines and empty lines around."""
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def _as_code(text: str) -> str:
    return f"```\n{text}\n```"


def _columns(result: Result) -> dict[str, str]:
    """What a page can ask for."""
    return result.columns | result.identity.where


def _line_with(text: str, lines: list[str], asked: str) -> int:
    """Where the first line with that text is."""
    for number, line in enumerate(lines):
        if text in line:
            return number
    raise FiresteelError(f"`run: {asked}`: no line of the output has `{text}`.")


def _options(words: list[str]) -> tuple[dict[str, str], list[str]]:
    options = {}
    while words and re.match(r"(from|until|needs)=", words[0]):
        key, _, value = words.pop(0).partition("=")
        options[key] = value
    return options, words


def _output(command: list[str], store: Store) -> list[str]:
    from firesteel.cli import app

    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = _WIDTH
    try:
        result = CliRunner().invoke(app, [*command, "--store", str(store.root)])
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before
    if result.exception and not isinstance(result.exception, SystemExit):
        raise FiresteelError(f"`run: {' '.join(command)}`: {result.exception}")
    return result.stdout.splitlines()


def _only(figures: Sequence[Result], asked: str) -> Result:
    if len(figures) != 1:
        raise FiresteelError(f"`{asked}` names {len(figures)} figures, not one.")
    return figures[0]


def _side_by_side(figures: Sequence[Result], metrics: list[str]) -> str:
    """A row a configuration and parameter; of each metric software, hardware, ratio."""
    found: dict[tuple[Identity, str], dict[tuple[str, str], Result]] = {}
    for each in figures:
        if each.identity.is_usual:
            how = each.identity.implementation
            side = "hardware" if how == "hardware" else "software"
            other = "" if how in ("software", "hardware") else how
            row = found.setdefault((each.identity.in_software, other), {})
            row[each.metric, side] = each
    several = len({each.at for each in figures}) > 1
    where = _where(figures)
    head = ["configuration", *(["at"] if several else []), *where]
    for metric in metrics:
        head += [f"{names.quantity(metric)}: software", "hardware", "ratio"]
    rows = []
    for (of, other), cells in found.items():
        line = [titles.measured(of.workload, of.protocol, of.cipher, of.mac, other or "software")]
        line += [of.parameter.text] if several else []
        line += [f"`{of.where[part]}`" if of.where[part] else MISSING for part in where]
        for metric in metrics:
            line += _three(cells.get((metric, "software")), cells.get((metric, "hardware")))
        rows.append(line)
    return table(head, rows)


def _where(figures: Sequence[Result]) -> list[str]:
    """The columns that say where rows are of, as far as it takes to tell them apart."""
    return list(Places.of(figures).told)


def _three(one: Result | None, other: Result | None) -> list[str]:
    texts = [_text(one), _text(other)]
    if not one or not other or not one.value:
        return [*texts, MISSING]
    before = names.mark(converged=one.converged and other.converged)
    return [*texts, f"{before}{ratio(other.value / one.value)}\N{MULTIPLICATION SIGN}"]


def _text(result: Result | None) -> str:
    return result.text if result else MISSING


def _by_parameter(figures: Sequence[Result]) -> str:
    """A row a configuration, a column a parameter: sizes by their order, others as they come."""
    sizes = {each.at: each.identity.parameter.size_bytes or 0 for each in figures}
    parameters, places = sorted(sizes, key=lambda at: sizes[at]), Places.of(figures)
    rows = []
    for part in grouped(figures, lambda each: (each.identity.side, each.identity.place)).values():
        by = {each.at: each for each in part}
        of = part[0].identity
        how = (of.implementation, of.completion)
        label = titles.measured(of.workload, of.protocol, of.cipher, of.mac, *how)
        rows.append(
            [places.label(label, of.place), *(_text(by.get(parameter)) for parameter in parameters)]
        )
    return table([names.quantity(figures[0].metric), *parameters], rows)
