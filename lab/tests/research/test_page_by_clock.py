# SPDX-License-Identifier: Apache-2.0
"""The page about a study, the fit and the ratios go by the clock of the run's boards."""

import hashlib
from pathlib import Path

import pytest
from fake_runner import FakeRunner
from fake_watcher import Notes
from made_thesis import FIT_FILE, STUDY, comparison
from typer.testing import CliRunner

from firesteel import cli
from firesteel.analysis.compare import load_published
from firesteel.analysis.results import Results, load_results
from firesteel.analysis.study import StandsFor, Study, load_studies
from firesteel.base.errors import FiresteelError
from firesteel.board.profile import Clock, Cpu
from firesteel.campaign.run import Options, execute
from firesteel.experiment.collection import load
from firesteel.model.cell import Cell
from firesteel.replication.ratios import frame, ratios
from firesteel.report.findings import findings
from firesteel.store.store import Store
from research import fidelity, fit
from research.beside import beside_study, clock_beside
from research.fidelity import Further, page
from tools import fidelity_page as pages
from tools.runs import Run, load_runs

_CLOCKS: tuple[Clock, Clock] = ("flat", "cycles")
_OTHER: dict[Clock, Clock] = {"flat": "cycles", "cycles": "flat"}


def measured(store: Path, name: str, clock: Clock, experiment: str, factor: float = 1.0) -> Results:
    """A quick run on boards of that clock, with made-up figures so many times as large as usual."""

    def is_wanted(cell: Cell) -> bool:
        return cell.protocol in ("none", "ipsec") and not cell.link

    runner = FakeRunner(clock=clock)
    runner.factor = factor
    runner.boards = hashlib.sha256(f"{clock} {factor}".encode()).hexdigest()
    loaded, place = load(experiment), Store(store)
    cells = [cell for cell in loaded.cells(quick=True) if is_wanted(cell)]
    execute(loaded, cells, Options(quick=True), runner, place, Notes())
    place.save(place.journal().model_copy(update={"name": name}))
    return load_results(place, name)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One with runs of gateways on both clocks, and others."""
    path = tmp_path_factory.mktemp("clocks")
    for clock in _CLOCKS:
        measured(path, f"gateways-{clock}", clock, "gateways", 1.0 if clock == "cycles" else 1.5)
        measured(path, f"ipsec-{clock}", clock, "ipsec")
    measured(path, "gateways-again", "cycles", "gateways", 1.1)
    flat = Store(path).journal("gateways-flat")
    Store(path).save(flat.model_copy(update={"name": "gateways-whole", "quick": False}))
    return path


@pytest.fixture
def study(folder: Path) -> Study:
    (found,) = (each for each in load_studies() if each.folder == folder)
    return found


APPS = {"fit": fit.app, "fidelity": fidelity.app}


def told(store: Path, command: str, *arguments: str) -> str:
    result = CliRunner().invoke(APPS[command], [*arguments, "--store", str(store)])
    if result.exception:
        raise result.exception
    return result.stdout


@pytest.mark.usefixtures("folder")
def test_the_page_goes_by_the_clock_of_its_run(store: Path) -> None:
    flat, cycles = (told(store, "fidelity", f"gateways-{clock}") for clock in _CLOCKS)
    row = "| IPsec AES-256-GCM, 4 MiB | throughput, MB/s |"
    for text, heading in ((flat, "## Fitted rows"), (cycles, "## Predicted rows: software")):
        assert row in text.split(heading)[1].split("\n## ")[0]
        assert "\n\n\n" not in text
        assert "wo clocks" not in text.replace("#two-clocks", "")
        assert "both clocks" not in text
    on_one = {
        "[clock](virtual-time.md#two-clocks) is `flat`.** Virtual time counts instr": flat,
        "[clock](virtual-time.md#two-clocks) is `cycles`.** Virtual time approximates cy": cycles,
        " % ([calibration](calibration.md)).": cycles,
        "| instructions a second |": flat,
        "The number `cpu.instructions_per_second` has no part in figures on the clock `cy": cycles,
        "**Not refitted.**": flat,
        "--quick --clock flat && python -m research.fit --write`": flat,
    }
    for sentence, its in on_one.items():
        assert [sentence in text for text in (flat, cycles)] == [its is flat, its is cycles]
    assert "| lanes of the engine | guessed |" in cycles, "it was chosen on either clock"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("clock", _CLOCKS)
def test_the_page_compares_both_clocks(store: Path, clock: Clock) -> None:
    runs = f"gateways-{clock}", f"gateways-{_OTHER[clock]}"
    text = told(store, "fidelity", runs[0], "--other", runs[1])
    section = text.split("## Two clocks")[1].split("\n## ")[0]
    assert f"`{_OTHER[clock]}` (`{runs[1]}`), compared with this one on `{clock}`" in section
    assert "held-out rows the clock `cycles` has the smaller error" in section
    assert "No ratios are held out." in section
    assert "By default `socrates` is on `cycles`." in section
    assert f"median deviation on `{clock}` | on `{_OTHER[clock]}` |" in section
    assert "\n| all | 8 | " in section
    whole = text.split("## Every row on both clocks")[1].split("\n## ")[0]
    assert f"| published | `{clock}` | deviation | `{_OTHER[clock]}` | deviation |" in whole
    assert whole.count("\n| IPsec AES-256-GCM") == 10, "eight figures and two ratios"
    assert "| rate on" not in whole
    assert whole.count("| pace on `flat` |") == 1
    assert "\n\n\n" not in text


@pytest.mark.usefixtures("folder")
def test_what_rows_of_the_other_clock_ask_for_is_told_with_both(store: Path) -> None:
    asked = "On `flat` these rows would give this number today (`gateways-flat`):"
    text = told(store, "fidelity", "gateways-cycles", "--other", "gateways-flat")
    table = text.split(asked)[1].split("\n\n")[1]
    assert table.splitlines()[2].startswith("| instructions a second | 554,000,000 | bulk traffic")
    turned = told(store, "fidelity", "gateways-flat", "--other", "gateways-cycles")
    assert "these rows would give" not in turned


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("other", "problem"),
    [
        ("gateways-again", "is on the clock `cycles`, as `gateways-cycles` is; allowed is the"),
        ("ipsec-flat", "is the quick experiment `ipsec`, and `gateways-cycles` is the quick exp"),
        ("gateways-whole", "is the whole experiment `gateways`, and `gateways-cycles` is the qu"),
        ("nothing", "There is no run `nothing`; there are: "),
    ],
)
def test_a_run_that_is_not_the_same_on_the_other_clock_is_refused(
    store: Path, other: str, problem: str
) -> None:
    with pytest.raises(FiresteelError) as found:
        told(store, "fidelity", "gateways-cycles", "--other", other)
    said = str(found.value)
    assert problem in said
    assert other == "nothing" or said.endswith("`firesteel run gateways --quick --clock flat`.")


def test_boards_that_differ_in_more_than_their_clocks_are_refused(
    store: Path, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    cycles, flat = (load_results(Store(store), f"gateways-{each}") for each in ("cycles", "flat"))
    own = cycles.measured_cpus

    def cpus(results: Results) -> tuple[tuple[str, Cpu | None], ...]:
        faster = {"clock": "flat", "instructions_per_second": 10**9}
        if results.journal.name == "gateways-cycles":
            return own
        return tuple((name, cpu and cpu.model_copy(update=faster)) for name, cpu in own)

    monkeypatch.setattr(Results, "measured_cpus", property(cpus))
    with pytest.raises(FiresteelError, match="`gateways-flat` differs .* in more of its boards"):
        page(study, cycles, cycles.means, Further(other=flat))


def test_boards_of_both_clocks_in_one_run_are_refused(
    store: Path, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = load_results(Store(store), "gateways-cycles")
    ((_, cpu),) = results.measured_cpus
    assert cpu
    cpus = (("socrates", cpu), ("peer", cpu.on_clock("flat")), ("clients", None))
    monkeypatch.setattr(Results, "measured_cpus", property(lambda _: cpus))
    assert clock_beside(results, study) == "cycles", "the study is of `socrates` alone"
    stands_for = (*study.stands_for, StandsFor(board="peer", topology="host-host"))
    of_both = study.model_copy(update={"stands_for": stands_for})
    with pytest.raises(FiresteelError, match="socrates on `cycles`, peer on `flat`; allowed is"):
        clock_beside(results, of_both)
    old = study.model_copy(update={"stands_for": (StandsFor(board="clients", topology="hub"),)})
    assert clock_beside(results, old) == "flat", "records were older than the other clock"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("option", ["--variants", "--longer"])
def test_runs_of_a_page_are_of_one_clock(store: Path, option: str) -> None:
    assert told(store, "fidelity", "gateways-cycles", option, "gateways-again")
    with pytest.raises(FiresteelError, match="`gateways-flat` has boards on another clock") as said:
        told(store, "fidelity", "gateways-cycles", option, "gateways-flat")
    assert str(said.value).endswith("`firesteel run gateways --quick --clock cycles`.")


@pytest.fixture
def recorded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The made-up study's page is of the run on `cycles`, and compares it with the other one."""
    file = folder / "fidelity.toml"
    runs = 'figures = "gateways-cycles"\nother = "gateways-flat"'
    file.write_text(file.read_text().replace('figures = "gateways"', runs))
    names = [f"gateways-{clock}" for clock in _CLOCKS]
    known = (*load_runs(), *(Run(name=name, experiment="gateways") for name in names))
    monkeypatch.setattr(pages, "load_runs", lambda: known)
    return file


def test_a_page_of_docs_compares_both_clocks(store: Path, recorded: Path) -> None:
    (text,) = pages.fidelity_pages(Store(store)).values()
    assert text == told(store, "fidelity", "gateways-cycles", "--other", "gateways-flat")
    recorded.write_text(recorded.read_text().replace('other = "gateways-flat"\n', ""))
    (alone,) = pages.fidelity_pages(Store(store)).values()
    assert "Two clocks" not in alone


def test_a_run_on_the_other_clock_that_is_not_recorded_is_named(
    tmp_path: Path, recorded: Path
) -> None:
    assert pages.fidelity_pages(Store(tmp_path)) == {}, "nothing is recorded yet"
    measured(tmp_path, "gateways-cycles", "cycles", "gateways")
    with pytest.raises(FiresteelError, match="`runs.other` has `gateways-flat`, which is not rec"):
        pages.fidelity_pages(Store(tmp_path))
    assert "gateways-flat" in recorded.read_text()


@pytest.mark.parametrize("clock", _CLOCKS)
def test_the_page_of_the_thesis_says_by_the_clock_what_was_fitted(
    store: Path, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    """Of a run with all rows of the thesis, a fifth faster than published."""
    monkeypatch.setattr("research.fidelity.beside_study", lambda *_: comparison(faster=1.2))
    options = ("--study", "delhaye2015", "--variants", f"ipsec-{clock}")
    text = told(store, "fidelity", f"ipsec-{clock}", *options)
    fitted = text.split("## Fitted rows")[1].split("\n## ")[0]
    assert ("| rate |" in fitted) == (clock == "flat")
    assert "| latency |" in fitted
    assert "| multipliers |" in fitted
    said = {
        "flat": [
            "two numbers set its speed",
            "when the rate and the\nlatency were fitted. The same",
        ],
        "cycles": [
            "nothing of it to the figures of\nthis page.",
            "has no part in figures on the clock `cycles`, so the rows that it was fitted to",
        ],
    }
    for of in _CLOCKS:
        for sentence in said[of]:
            assert (sentence in text) == (of == clock), sentence
    why = text.split("## Why rows deviate")[1]
    assert "the wait was chosen on the clock `flat`, by the throughput" in why, "on either clock"


@pytest.mark.usefixtures("folder")
def test_a_fit_on_cycles_leaves_the_rate_alone(store: Path) -> None:
    told_of_it = (
        "cpu.instructions_per_second: not fitted, as the clocks of these boards count cycles; "
        "`firesteel run gateways --quick --clock flat` measures what its fit needs.\n"
    )
    assert told(store, "fit", "gateways-cycles", "--write") == told_of_it
    assert "not fitted" not in told(store, "fit", "gateways-flat")


def test_a_missing_row_is_asked_for_on_the_run_s_clock() -> None:
    without = [each for each in comparison() if each.at != "56 B"]
    for clock in _CLOCKS:
        with pytest.raises(FiresteelError, match=f"`firesteel run thesis --quick --clock {clock}`"):
            fit.steps(without, FIT_FILE, clock)


@pytest.mark.parametrize(("clock", "fitted"), [("flat", "software"), ("cycles", "")])
def test_ratios_everywhere_say_what_was_fitted_by_the_clock(
    store: Path, clock: Clock, fitted: str
) -> None:
    results = load_results(Store(store), f"ipsec-{clock}")
    rows = frame(ratios(beside_study(results.means, STUDY), results.clocks))
    of_sha = rows.filter(kind="throughput", cipher="aes-256-cbc", mac="sha256")
    assert of_sha["fitted"].to_list() == [fitted]
    asked = ["compare", f"ipsec-{clock}", "--part", "ratios", "--store", str(store)]
    done = CliRunner().invoke(cli.app, asked)
    lines = done.stdout.splitlines()
    table = lines[lines.index(next(each for each in lines if "Ratio of hardware" in each)) :]
    its = [each for each in table if each.startswith("IPsec AES-256-CBC:SHA-256, 8 MiB")]
    assert {each.split()[-1] for each in its} == {fitted or "–"}
    found = findings(results, load_published()).ratios
    assert {" and ".join(each.fitted) for each in found} == {fitted, ""}
