# SPDX-License-Identifier: Apache-2.0
"""The fit of a processor's costs to a run whose instructions were counted, and what it writes."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from made_calibration import processor
from made_counts import BOARD, board_costs, counted_run, published
from rich.console import Console
from typer.testing import CliRunner

from firesteel.analysis.results import Results
from firesteel.base.errors import FiresteelError, RequestError
from firesteel.board import processor as of_board
from firesteel.board.processor import EVENTS, INSTRUCTIONS, load_processor
from firesteel.cli import app
from firesteel.cli import calibrate as command
from firesteel.store.store import Store
from research import ridge
from research.all_rows import AllRows, Unseen
from research.calibrate import show_cost_fit
from research.costs import NAMES, CostFit, Predicted, counted, fit_costs
from research.processor import load_priors

PRIORS = load_priors(processor())
SPREADS = (0.125, 0.5, 2.0)
EVERY = AllRows(40, (Unseen("kernel", 13, 5.25, 30.5, "fork", 20),), 0.7731)
HERTZ = BOARD.cpu.hertz or 0


def as_prior() -> dict[str, float]:
    return {name: prior.at(HERTZ) for name, prior in PRIORS.each.items()}


@pytest.fixture(autouse=True)
def few_spreads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ridge, "SPREADS", SPREADS)


def fitted(tmp_path: Path, true: dict[str, float]) -> CostFit:
    results, store = counted_run(tmp_path, true)
    return fit_costs(processor(), counted(processor(), results, store), PRIORS)


def own_rows(fit: CostFit) -> list[Predicted]:
    """Those whose counts were made to fit: the logs have others' figures of the same operations."""
    return [each for each in fit.rows if not each.row.cost.source.endswith("-log")]


def test_counts_of_a_row_cost_what_was_measured(tmp_path: Path) -> None:
    results, store = counted_run(tmp_path, as_prior())
    found = counted(processor(), results, store)
    have = board_costs(BOARD.cpu)
    assert (found.board, found.processor, found.hertz) == ("am437x", "cortex-a9", HERTZ)
    assert len(found.rows) > 50
    for row in found.rows:
        assert row.predicted(have) == pytest.approx(row.ours)
        assert row.published == pytest.approx(published(row.cost))
        if not row.cost.source.endswith("-log"):
            assert row.deviation(as_prior()) == pytest.approx(0, abs=1e-6)


def test_priors_that_are_right_stay(tmp_path: Path) -> None:
    fit = fitted(tmp_path, as_prior())
    assert fit.spread == min(SPREADS)
    for weight in fit.weights:
        assert weight.fitted.cycles == weight.prior.cycles
        assert weight.fitted.nanoseconds == weight.prior.nanoseconds
    assert max(abs(row.fitted) for row in own_rows(fit)) < 1e-4
    assert fit.fitted_rows == sum(1 for row in fit.rows if row.row.cost.role == "fitted") == 17


def test_rows_move_the_costs_that_they_are_about_and_no_others(tmp_path: Path) -> None:
    true = {name: value * 1.4 for name, value in as_prior().items()}
    fit = fitted(tmp_path, true)
    worst = max(abs(row.fitted) for row in fit.rows if row.left_out is not None)
    untouched = max(
        abs(row.row.deviation(as_prior()) * 100) for row in fit.rows if row.left_out is not None
    )
    assert untouched == pytest.approx(28.6, abs=0.1)
    assert worst < untouched / 2
    assert 1 < fit.freedom < 17
    about = {name for name in NAMES if any(row.row.counts[NAMES.index(name)] for row in fit.rows)}
    for weight in fit.weights:
        moved = weight.fitted.cycles + weight.fitted.nanoseconds != pytest.approx(
            weight.prior.cycles + weight.prior.nanoseconds
        )
        assert bool(weight.rows) == weight.fitted.source.startswith("fitted, most to")
        assert not moved or weight.name in about
        assert not moved or weight.fitted.source.startswith("fitted")
        if weight.prior.is_of_memory:
            assert weight.fitted.cycles == weight.prior.cycles


def test_a_row_that_is_left_out_is_worse_than_one_that_is_not(tmp_path: Path) -> None:
    fit = fitted(tmp_path, {name: value * 1.4 for name, value in as_prior().items()})
    rows = [row for row in fit.rows if row.left_out is not None]
    inside = sum(row.fitted**2 for row in rows)
    outside = sum((row.left_out or 0) ** 2 for row in rows)
    assert outside > inside
    held_out = [row for row in fit.rows if row.row.cost.role == "held-out"]
    assert {row.left_out for row in held_out} == {None}


def test_errors_of_cross_validation_are_of_all_spreads(tmp_path: Path) -> None:
    fit = fitted(tmp_path, {name: value * 1.4 for name, value in as_prior().items()})
    assert tuple(fit.errors) == SPREADS
    assert fit.spread in fit.errors


def test_summaries_say_what_groups_come_to(tmp_path: Path) -> None:
    fit = fitted(tmp_path, as_prior())
    groups = {(each.role, each.kind): each for each in fit.summaries}
    assert groups["fitted", "assembler"].rows == 11
    assert sum(each.rows for each in fit.summaries) == len(fit.rows)
    assert groups["fitted", "kernel"].fitted[1] == pytest.approx(0, abs=1e-4)
    assert groups["held-out", "compiled"].worst_row.startswith("zedboard-")
    now = max(abs(row.now) for row in fit.rows if row.row.cost.kind == "memory")
    assert max(each.now[1] for each in fit.summaries if each.kind == "memory") == pytest.approx(now)


def own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A processor's file of its own, which the fit writes to."""
    text = (of_board.PROCESSORS / "cortex-a9.toml").read_text()
    folder = tmp_path / "processors"
    folder.mkdir()
    file = folder / "cortex-a9.toml"
    file.write_text(text.replace("[instructions]\n", "[instructions]\n# Why this is here.\n"))
    monkeypatch.setattr(of_board, "PROCESSORS", folder)
    return file


def test_costs_are_written_with_their_sources_and_all_else_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = own_file(tmp_path, monkeypatch)
    before = file.read_text().split("[instructions]")[0]
    fit = fitted(tmp_path, {name: value * 1.4 for name, value in as_prior().items()})
    fit.write()
    text = file.read_text()
    assert text.startswith(before)
    assert "# Why this is here.\n" in text
    written = load_processor("cortex-a9", file.parent)
    for weight in fit.weights:
        part = written.instructions if weight.name in INSTRUCTIONS else written.events
        assert part[weight.name] == weight.fitted
    assert list(written.instructions) == list(INSTRUCTIONS)
    assert list(written.events) == list(EVENTS)
    sources = {cost.source for cost in (*written.instructions.values(), *written.events.values())}
    assert any(source.startswith("fitted, most to ") for source in sources)
    assert any(source.startswith("assumed: ") for source in sources)
    assert "fit" not in sources
    fit.write()
    assert file.read_text() == text


def test_the_table_shows_costs_rows_and_what_they_bear(tmp_path: Path) -> None:
    fit = fitted(tmp_path, {name: value * 1.4 for name, value in as_prior().items()})
    console = Console(width=80)
    with console.capture() as captured:
        show_cost_fit(console, fit, EVERY)
    lines = captured.get().splitlines()
    assert max(map(len, lines)) <= 80
    text = " ".join(" ".join(lines).split())
    assert f"17 rows determine {fit.freedom:.1f} of 55 costs" in text
    for name in ("integer", "load-memory", "null-call", "held-out: kernel"):
        assert f" {name} " in text
    assert f"{fit.spread:.3g} {fit.errors[fit.spread]:.3f} chosen" in text
    assert "board/processors/cortex-a9.toml" in text
    assert "kernel 13 5.2 30.5 20 missed fork" in text
    assert "all 40 rows best" in text
    assert "within 0.77 of its goal" in text


def without(prefix: str) -> Callable[[Results], Results]:
    """Without the figures of most rows."""

    def change(results: Results) -> Results:
        kept = [each for each in results.means if each.identity.parameter.text.startswith(prefix)]
        results.__dict__["means"] = tuple(kept)
        return results

    return change


@pytest.mark.parametrize(
    ("prefix", "told"),
    [
        ("pipe", "has 1 rows .* role `fitted`; a fit needs 3"),
        ("nothing", "No figure of made is of"),
    ],
)
def test_too_few_rows_are_told(tmp_path: Path, prefix: str, told: str) -> None:
    results, store = counted_run(tmp_path, as_prior())
    with pytest.raises(FiresteelError, match=told):
        fit_costs(processor(), counted(processor(), without(prefix)(results), store), PRIORS)


def test_a_board_that_counts_instructions_has_no_counts(tmp_path: Path) -> None:
    results, store = counted_run(tmp_path, as_prior(), BOARD.cpu.on_clock("flat"))
    with pytest.raises(FiresteelError, match="The clock of am437x in made counts instructions"):
        counted(processor(), results, store)


def test_a_board_whose_profile_does_not_count_is_told(tmp_path: Path) -> None:
    silent = BOARD.cpu.model_copy(update={"counted": False})
    results, store = counted_run(tmp_path, as_prior(), silent)
    with pytest.raises(FiresteelError, match="made has no counts .* `counted = true`"):
        counted(processor(), results, store)


def test_a_record_of_another_emulator_is_told(tmp_path: Path) -> None:
    other = BOARD.cpu.model_copy(update={"costs": str(BOARD.cpu.costs).replace("divide:", "div:")})
    results, store = counted_run(tmp_path, as_prior(), other)
    with pytest.raises(FiresteelError, match="no costs of `divide`, as its emulator was another"):
        counted(processor(), results, store)
    results, store = counted_run(tmp_path / "b", as_prior(), counts=False)
    with pytest.raises(FiresteelError, match="no counts of `barrier`, as its emulator was another"):
        counted(processor(), results, store)


def run_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str
) -> tuple[int, str, BaseException | None]:
    results, store = counted_run(tmp_path / "made", as_prior())

    def load(place: Store, name: str) -> Results:
        del place, name
        return results

    monkeypatch.setattr(command, "load_results", load)
    monkeypatch.setattr(command, "open_store", lambda _: store)
    done = CliRunner().invoke(app, ["calibrate", *arguments])
    return done.exit_code, done.stdout, done.exception


def test_the_command_fits_and_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = own_file(tmp_path, monkeypatch)
    before = file.read_text()
    status, told, _ = run_of(tmp_path, monkeypatch, "--fit", "--format", "csv")
    assert status == 0
    rows = list(csv.DictReader(io.StringIO(told)))
    assert [row["name"] for row in rows] == list(NAMES)
    assert file.read_text() == before
    status, _, _ = run_of(tmp_path, monkeypatch, "--fit", "--write", "--format", "json")
    assert status == 0
    assert file.read_text() != before
    assert load_processor("cortex-a9", file.parent).instructions["integer"].cycles == 0.625


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--write",), "--write goes with --fit"),
        (("a", "b", "--fit"), "--fit takes one run; 2 are named"),
    ],
)
def test_options_that_do_not_go_together_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], told: str
) -> None:
    _, _, error = run_of(tmp_path, monkeypatch, *arguments)
    assert isinstance(error, RequestError)
    assert told in str(error)
