# SPDX-License-Identifier: Apache-2.0
"""The fit of a processor's costs to a run whose instructions were counted, what it writes, and what
all rows say of the model.
"""

import csv
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from made_calibration import (
    BOARD,
    HERTZ,
    PRIORS,
    as_prior,
    board_costs,
    counted_run,
    processor,
    published,
)
from rich.console import Console
from typer.testing import CliRunner

from firesteel.base.errors import FiresteelError, RequestError
from firesteel.board import profile as of_board
from firesteel.board.profile import EVENTS, INSTRUCTIONS, Cpu, load_processor
from research import calibrate as command
from research import ridge
from research.costs import (
    NAMES,
    AllRows,
    CostFit,
    Counted,
    all_rows,
    code,
    counted,
    fit_costs,
)

SPREADS = (0.125, 0.5, 2.0)


def as_array(costs: dict[str, float]) -> ridge.Vector:
    return np.array([costs[name] for name in NAMES])


@pytest.fixture(autouse=True)
def few_spreads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ridge, "SPREADS", SPREADS)


def rows_of(tmp_path: Path, true: dict[str, float]) -> Counted:
    results, store = counted_run(tmp_path, true)
    return counted(processor(), results, store)


def fitted(tmp_path: Path, true: dict[str, float]) -> CostFit:
    return fit_costs(processor(), rows_of(tmp_path, true), PRIORS)


def test_counts_of_a_row_cost_what_was_measured(tmp_path: Path) -> None:
    found = rows_of(tmp_path, as_prior())
    assert (found.processor, found.hertz) == ("cortex-a9", HERTZ)
    assert len(found.rows) > 50
    for row in found.rows:
        assert row.counts @ as_array(board_costs(BOARD.cpu)) == pytest.approx(row.ours)
        assert row.published == pytest.approx(published(row.cost))
        # The logs have others' figures of the same operations, and counts are of the guides'.
        if not row.cost.source.endswith("-log"):
            assert row.off(as_array(as_prior())) == pytest.approx(0, abs=1e-4)


def test_priors_that_are_right_stay(tmp_path: Path) -> None:
    fit = fitted(tmp_path, as_prior())
    assert fit.spread == min(SPREADS)
    for part in ("cycles", "nanoseconds"):
        assert fit.weights[f"fitted_{part}"].equals(fit.weights[f"prior_{part}"])
    logs = [cost.id for cost in processor().costs if cost.source.endswith("-log")]
    assert max(fit.rows.filter(~pl.col("id").is_in(logs))["fitted"].abs()) < 1e-4
    assert fit.own_rows.height == fit.rows.filter(role="fitted").height == 17


def test_rows_move_the_costs_that_they_are_about_and_no_others(tmp_path: Path) -> None:
    fit = fitted(tmp_path, as_prior(1.4))
    rows = rows_of(tmp_path / "again", as_prior(1.4)).rows
    untouched = max(abs(row.off(as_array(as_prior()))) for row in rows if row.cost.role == "fitted")
    assert untouched == pytest.approx(28.6, abs=0.1)
    assert max(fit.own_rows["fitted"].abs()) < untouched / 2
    assert 1 < fit.freedom < 17
    about = np.sum([row.counts for row in rows], axis=0)
    for index, each in enumerate(fit.weights.to_dicts()):
        parts = ("cycles", "nanoseconds")
        if any(each[f"fitted_{part}"] != each[f"prior_{part}"] for part in parts):
            assert about[index]
            assert each["source"].startswith("fitted")
        if each["prior_nanoseconds"]:
            assert each["fitted_cycles"] == each["prior_cycles"]


def test_a_row_that_is_left_out_is_worse_than_one_that_is_not(tmp_path: Path) -> None:
    fit = fitted(tmp_path, as_prior(1.4))
    own = fit.own_rows
    assert (own["left_out"] ** 2).sum() > (own["fitted"] ** 2).sum()
    assert fit.rows.filter(role="held-out")["left_out"].null_count() == fit.rows.height - 17
    assert tuple(fit.errors) == SPREADS
    assert fit.spread in fit.errors


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
    fit = fitted(tmp_path, as_prior(1.4))
    fit.write()
    text = file.read_text()
    assert text.startswith(before)
    assert "# Why this is here.\n" in text
    written = load_processor("cortex-a9", file.parent)
    assert (tuple(written.instructions), tuple(written.events)) == (INSTRUCTIONS, EVENTS)
    costs = {**written.instructions, **written.events}
    for each in fit.weights.to_dicts():
        cost = costs[each["name"]]
        assert (cost.cycles, cost.nanoseconds, cost.source) == (
            *(each["fitted_cycles"], each["fitted_nanoseconds"], each["source"]),
        )
    for begin in ("fitted, most to ", "assumed: "):
        assert any(cost.source.startswith(begin) for cost in costs.values())
    fit.write()
    assert file.read_text() == text


def of_kind(every: AllRows, kind: str) -> dict[str, float]:
    rows = every.rows.filter(kind=kind)
    return dict(zip(rows["id"], rows["off"].abs(), strict=True))


def test_all_rows_say_how_far_off_code_is_that_a_fit_has_not_seen(tmp_path: Path) -> None:
    near, far = (
        all_rows(processor(), rows_of(tmp_path / f"{factor}", as_prior(factor)), PRIORS)
        for factor in (1, 3)
    )
    # The logs have others' figures of the same operations as the guides, which no cost can meet.
    compiled = of_kind(near, "compiled")
    assert max(compiled, key=lambda name: compiled[name]).startswith(("zedboard-", "socrates-"))
    assert max(of_kind(near, "kernel").values()) < 1
    assert max(of_kind(far, "kernel").values()) > 5
    for kind in ("assembler", "compiled", "kernel", "memory"):
        assert max(of_kind(far, kind).values()) > max(of_kind(near, kind).values())


def test_rows_of_one_code_are_those_of_one_file_of_the_assembler() -> None:
    codes = {cost.id: code(cost) for cost in processor().costs}
    assert codes["sha224-16"] == codes["sha256-integer-8192"] == "sha256-armv4"
    assert codes["aes-128-ecb-16"] == codes["socrates-aes-256-cbc-64"] == "aes-armv4"
    assert codes["aes-128-ctr-8192"] == codes["aes-128-cbc-decrypt-8192"] == "bsaes-armv7"
    assert codes["md5-16"] != codes["des-ede3-cbc-16"]
    assert codes["fork"] != codes["read"]


def test_the_tables_show_costs_rows_and_what_they_bear(tmp_path: Path) -> None:
    fit = fitted(tmp_path, as_prior(1.4))
    fork = {"id": "fork", "role": "held-out", "kind": "kernel", "off": -30.5}
    every = AllRows(pl.DataFrame([fork] * 40), 0.7731)
    console = Console(width=80)
    with console.capture() as captured:
        command.show_cost_fit(console, fit, every, processor().file.goals)
    lines = captured.get().splitlines()
    assert max(map(len, lines)) <= 80
    text = " ".join(" ".join(lines).split())
    assert f"17 rows determine {fit.freedom:.1f} of 55 costs" in text
    for name in ("integer", "load-memory", "null-call", "held-out: kernel"):
        assert f" {name} " in text
    assert f"{fit.spread:.3g} {fit.errors[fit.spread]:.3f} chosen" in text
    worst = max(fit.rows.filter(role="held-out", kind="kernel")["now"].abs())
    assert text.split("held-out: kernel ")[1].split()[2] == f"{worst:.1f}"
    assert "board/processors/cortex-a9.toml" in text
    assert "kernel 40 30.5 30.5 20 missed fork" in text
    assert "all 40 rows best" in text
    assert "within 0.77 of its goal" in text


@pytest.mark.parametrize(
    ("prefix", "told"),
    [
        ("pipe", "has 1 rows .* role `fitted`; a fit needs 3"),
        ("nothing", "No figure of made is of"),
    ],
)
def test_too_few_rows_are_told(tmp_path: Path, prefix: str, told: str) -> None:
    results, store = counted_run(tmp_path, as_prior())
    kept = [each for each in results.means if each.identity.parameter.text.startswith(prefix)]
    results.__dict__["means"] = tuple(kept)
    with pytest.raises(FiresteelError, match=told):
        fit_costs(processor(), counted(processor(), results, store), PRIORS)


def otherwise(**changes: object) -> Callable[[Cpu], Cpu]:
    return lambda cpu: cpu.model_copy(update=changes)


@pytest.mark.parametrize(
    ("change", "counts", "told"),
    [
        (lambda cpu: cpu.on_clock("flat"), True, "The clock of am437x in made counts instructions"),
        (otherwise(counted=False), True, "made has no counts .* `counted = true`"),
        (
            lambda cpu: otherwise(costs=cpu.costs.replace("divide:", "div:"))(cpu),
            True,
            "no costs of `divide`, as its emulator was another",
        ),
        (lambda cpu: cpu, False, "no counts of `barrier`, as its emulator was another"),
    ],
)
def test_a_run_without_counts_is_told(
    tmp_path: Path, change: Callable[[Cpu], Cpu], counts: bool, told: str
) -> None:
    results, store = counted_run(tmp_path, as_prior(), change(BOARD.cpu), counts=counts)
    with pytest.raises(FiresteelError, match=told):
        counted(processor(), results, store)


def test_the_command_fits_and_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = own_file(tmp_path, monkeypatch)
    before = file.read_text()
    results, store = counted_run(tmp_path / "made", as_prior())
    monkeypatch.setattr(command, "load_results", lambda *_: results)
    monkeypatch.setattr(command, "open_store", lambda _: store)

    def told(*arguments: str) -> str:
        done = CliRunner().invoke(command.app, arguments)
        if done.exception:
            raise done.exception
        return done.stdout

    rows = list(csv.DictReader(io.StringIO(told("--fit", "--format", "csv"))))
    assert [row["name"] for row in rows] == list(NAMES)
    assert file.read_text() == before
    told("--fit", "--write", "--format", "json")
    assert file.read_text() != before
    assert load_processor("cortex-a9", file.parent).instructions["integer"].cycles == 0.625
    with pytest.raises(RequestError, match="--write goes with --fit"):
        told("--write")
    with pytest.raises(RequestError, match="--fit takes one run; 2 are named"):
        told("a", "b", "--fit")
