# SPDX-License-Identifier: Apache-2.0
"""The fit says what its rows ask for, and the page of fidelity what all rows come to."""

import tomllib
from pathlib import Path

import pytest
from made_results import changed
from made_runs import results_of
from made_thesis import FIT_FILE, comparison
from typer.testing import CliRunner

from firesteel.base.errors import FiresteelError
from firesteel.boards import profile
from firesteel.boards import topology as board_topology
from firesteel.judge.rows import Result
from research import fidelity, fit
from research.toml_edit import with_values

FIT = FIT_FILE.on("flat")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """A profile and a topology of its own, among all that the fit writes."""
    rate, latency = FIT.numbers
    for path in rate.paths:
        text = "[cpu]\n# why\ninstructions_per_second = 500_000_000\n"
        (tmp_path / path.name).write_text(text)
    topology = tmp_path / latency.paths[0].name
    topology.write_text("[[links]]\nlatency_ns = 400_000 # both ways\nqueue_frames = 2\n")
    monkeypatch.setattr(profile, "PROFILES", tmp_path)
    monkeypatch.setattr(board_topology, "TOPOLOGIES", tmp_path)
    return tmp_path / rate.paths[0].name, topology


def test_a_faster_board_is_slowed_down_and_a_late_one_hurried(files: tuple[Path, Path]) -> None:
    rate, latency = fit.steps(comparison(faster=1.25, later=0.5), FIT_FILE, "flat")
    assert not rate.is_done
    assert (rate.wanted, latency.wanted) == (400_000_000, 150_000)
    for step in (rate, latency):
        step.write()
    board, topology = files
    assert board.read_text() == "[cpu]\n# why\ninstructions_per_second = 400_000_000\n"
    assert topology.read_text() == "[[links]]\nlatency_ns = 150_000 # both ways\nqueue_frames = 2\n"


def test_tables_and_keys_that_are_not_there_are_made(tmp_path: Path) -> None:
    file = tmp_path / "car.toml"
    file.write_text('[wheels]\nleft = { inches = 16, tyre = "slick" }  # worn\n')
    text = with_values(file, {"wheels.left": {"inches": 17.5}, "wheels.spare": {"inches": 14.0}})
    assert text.startswith('[wheels]\nleft = { inches = 17.5, tyre = "slick" }  # worn\n')
    assert tomllib.loads(text)["wheels"]["spare"] == {"inches": 14}
    file.write_text("wheels = {")
    with pytest.raises(FiresteelError, match=r"car\.toml: is not valid TOML"):
        with_values(file, {})


@pytest.mark.usefixtures("files")
def test_each_row_says_what_it_asks_for() -> None:
    def slower(each: Result) -> float:
        by = {"rsa-4096": each.value, "56 B": 0.2}
        return each.value + by.get(each.at, 0.0)

    rate, latency = fit.steps(changed(comparison(), slower), FIT_FILE, "flat")
    asked = dict((*rate.asked, *latency.asked))
    assert asked["OpenVPN, DHE-RSA, rsa-4096, handshake time"] == 1_000_000_000
    assert asked["OpenVPN, DHE-RSA, rsa-1024, handshake time"] == 500_000_000
    assert rate.span == (500_000_000, 1_000_000_000)
    assert latency.span == (300_000, 400_000)
    assert rate.wanted == 574_000_000  # the fifth root of twice


@pytest.mark.usefixtures("files")
def test_a_missing_row_is_named() -> None:
    without = [each for each in comparison() if each.at != "rsa-2048"]
    with pytest.raises(FiresteelError, match="0 figures .* rsa-2048.*run thesis"):
        fit.steps(without, FIT_FILE, "flat")


def test_a_rate_of_instructions_is_not_fitted_to_boards_that_count_cycles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results_of(tmp_path, lambda cell: cell.protocol == "none")
    monkeypatch.setattr("research.fit.beside_study", lambda *_: comparison(faster=2))
    before = {path: path.read_bytes() for path in FIT.numbers[0].paths}
    told = CliRunner().invoke(fit.app, ["--write", "--store", str(tmp_path)]).stdout
    assert told.startswith("cpu.instructions_per_second: not fitted, as the clocks of these boards")
    assert "`firesteel run thesis --quick --clock flat` measures" in told
    assert "instructions a second" not in told
    assert "links.latency_ns: " in told, "any clock shows it"
    assert {path: path.read_bytes() for path in before} == before


def test_the_page_marks_what_was_fitted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results_of(tmp_path, lambda cell: cell.protocol == "none", clock="flat")
    monkeypatch.setattr("research.fidelity.beside_study", lambda *_: comparison())
    page = CliRunner().invoke(fidelity.app, ["--store", str(tmp_path)]).stdout
    fitted = page.split("## Fitted rows")[1].split("## Predicted")[0]
    assert "| OpenVPN, DHE-RSA, hardware, rsa-4096 | handshake time, s |" in fitted
    assert "| IPsec AES-256-CBC:SHA-256, 128 MiB | throughput, MB/s |" in fitted
    predicted = page.split("## Predicted rows: hardware")[1].split("## Why rows deviate")[0]
    assert "Of\n28 rows, 0 are marked" in predicted
    assert "| throughput, MB/s |" not in predicted, "of many rows the marked ones are shown"
    assert "| IPsec AES-256-CBC:SHA-256, 128 MiB | throughput, MB/s |" in page
