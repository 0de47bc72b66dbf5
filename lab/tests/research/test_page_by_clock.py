# SPDX-License-Identifier: Apache-2.0
"""The page about a study, the fit and the ratios go by the clock of the run's boards."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from made_runs import results_of
from made_thesis import STUDY

from firesteel.base import toml
from firesteel.base.errors import FiresteelError
from firesteel.boards.profile import Clock
from firesteel.judge import spread
from firesteel.judge.compare import load_published
from firesteel.judge.replication.ratios import frame, ratios
from firesteel.judge.results import load_results
from firesteel.show.report.findings import findings
from firesteel.store.store import Store
from research.asked import beside_study
from research.fidelity import Error, held_out
from tools import figures as pages
from tools.runs import Run, load_runs

Told = Callable[..., str]

_CLOCKS: tuple[Clock, Clock] = ("flat", "cycles")


@pytest.mark.usefixtures("folder")
def test_the_page_goes_by_the_clock_of_its_run(told: Told) -> None:
    flat, cycles = (told("fidelity", f"gateways-{clock}") for clock in _CLOCKS)
    row = "| IPsec AES-256-GCM, 4 MiB | throughput, MB/s |"
    for text, heading in ((flat, "## Fitted rows"), (cycles, "## Predicted rows: software")):
        assert row in text.split(heading)[1].split("\n## ")[0]
        assert "\n\n\n" not in text
        goal = r"at most 20 %, set on 2001-01-01, because a fifth is near\. This goal is .*: the "
        assert re.search(rf"{goal}median is \d+ %, the mean \d+ %, the worst \d+ %\.\n", text)
    on_one = {
        "[clock](virtual-time.md#two-clocks) is `flat`.** Virtual time counts instr": flat,
        "[clock](virtual-time.md#two-clocks) is `cycles`.** Virtual time approximates cy": cycles,
        "fitted costs ([calibration](calibration.md)).": cycles,
        "| instructions a second |": flat,
        "The number `cpu.instructions_per_second` does not affect figures on the clock `cy": cycles,
        "**Not refitted.**": flat,
        "--quick --clock flat && PYTHONPATH=.:lab/src ": flat,
    }
    for sentence, its in on_one.items():
        assert [sentence in text for text in (flat, cycles)] == [its is flat, its is cycles]
    assert "| lanes of the engine | guessed |" in cycles, "it was chosen on either clock"


@pytest.mark.usefixtures("folder")
def test_our_figures_on_the_page_have_intervals(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = toml.read_model(spread.SPREAD_FILE, spread.Spread)
    monkeypatch.setattr(spread, "load_spread", lambda: found)
    page = told("fidelity", "gateways-cycles")
    assert "± is half of a 95 % interval." in page
    tables = page.split("| row | figure | here |")[1:]
    rows = [row for each in tables for row in re.findall(r"^\| [A-Za-z].*", each, re.MULTILINE)]
    assert rows
    assert all(re.search(r"\d ±\d", row.split(" | ")[2]) for row in rows)


@pytest.mark.usefixtures("folder")
def test_the_page_compares_both_clocks(told: Told) -> None:
    text = told("fidelity", "gateways-cycles", "--other", "gateways-flat")
    section = text.split("## Two clocks")[1].split("\n## ")[0]
    assert (
        "the run `gateways-cycles` (clock `cycles`) with the run `gateways-flat` (clock `flat`)"
        in section
    )
    assert "held-out rows is smaller on `cycles` (" in section
    assert "No ratios are held out." in section
    assert "By default, `socrates` uses `cycles`." in section
    assert "median deviation on `cycles` | on `flat` |" in section
    assert "\n| all | 8 | " in section
    assert "\n\n\n" not in text
    for other in ("gateways-again", "ipsec-flat", "gateways-whole"):
        with pytest.raises(
            FiresteelError, match="is not `gateways-cycles` on the other cl"
        ) as said:
            told("fidelity", "gateways-cycles", "--other", other)
        assert str(said.value).endswith("`firesteel run gateways --quick --clock flat`.")


def test_held_out_is_what_both_runs_have() -> None:
    one = {"a": Error("x", 10), "b": Error("x", 30, False), "c": Error("y", 1), "d": Error("y", 9)}
    other = {"a": Error("x", 20), "b": Error("x", 20), "c": Error("y", 7)}
    x, y, every = held_out(one, other)
    assert (x["rows"], x["medians"], x["agreeing"]) == (2, [20, 20], [1, 2])
    assert (y["rows"], y["medians"]) == (1, [1, 7])
    assert (every["name"], every["rows"], every["medians"]) == ("all", 3, [10, 20])
    assert held_out(one, {}) == []


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("option", ["--variants", "--longer"])
def test_runs_of_a_page_are_of_one_clock(told: Told, option: str) -> None:
    assert told("fidelity", "gateways-cycles", option, "gateways-again")
    with pytest.raises(FiresteelError, match="`gateways-flat` has boards on another clock") as said:
        told("fidelity", "gateways-cycles", option, "gateways-flat")
    assert str(said.value).endswith("allowed is the same clock.")


@pytest.fixture
def recorded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The made-up study's page is of the run on `cycles`, and compares it with the other one."""
    file = folder / "fidelity.toml"
    runs = 'figures = "gateways-cycles"\nother = "gateways-flat"'
    file.write_text(file.read_text().replace('figures = "gateways"', runs))
    names = [f"gateways-{clock}" for clock in _CLOCKS]
    known = (
        *load_runs(),
        *(Run(name=name, set="tunnels", experiment="gateways") for name in names),
    )
    monkeypatch.setattr(pages, "load_runs", lambda: known)
    return file


def test_a_run_on_the_other_clock_that_is_not_recorded_is_named(
    tmp_path: Path, recorded: Path
) -> None:
    assert pages.fidelity_pages(Store(tmp_path)) == {}, "nothing is recorded yet"
    results = results_of(tmp_path, experiment="gateways", clock="cycles")
    Store(tmp_path).save(results.journal.model_copy(update={"name": "gateways-cycles"}))
    with pytest.raises(FiresteelError, match="`runs.other` has `gateways-flat`, which is not rec"):
        pages.fidelity_pages(Store(tmp_path))
    assert "gateways-flat" in recorded.read_text()


@pytest.mark.parametrize(("clock", "fitted"), [("flat", "software"), ("cycles", "")])
def test_ratios_everywhere_say_what_was_fitted_by_the_clock(
    store: Store, told: Told, clock: Clock, fitted: str
) -> None:
    results = load_results(store, f"ipsec-{clock}")
    rows = frame(ratios(beside_study(results.means, STUDY), results.clocks))
    of_sha = rows.filter(kind="throughput", cipher="aes-256-cbc", mac="sha256")
    assert of_sha["fitted"].to_list() == [fitted]
    lines = told("compare", f"ipsec-{clock}", "--part", "ratios").splitlines()
    table = lines[lines.index(next(each for each in lines if "Ratio of hardware" in each)) :]
    its = [each for each in table if each.startswith("IPsec AES-256-CBC:SHA-256, 8 MiB")]
    assert {each.split()[-1] for each in its} == {fitted or "–"}
    found = ratios(findings(results, load_published()).comparison, results.clocks)
    assert {" and ".join(each.fitted) for each in found} == {fitted, ""}
