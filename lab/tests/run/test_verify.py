# SPDX-License-Identifier: Apache-2.0
"""`firesteel verify` with made-up figures: what is the same, what differs, what cannot be told."""

import re
import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
from fake_runner import FakeRunner
from fake_watcher import Notes
from made_up import MadeUp, run_of
from processes import signalled
from typer.testing import CliRunner, Result

from firesteel.base.errors import FiresteelError
from firesteel.boards.result import TopologyRun
from firesteel.cli import app, bench
from firesteel.model.cell import Cell
from firesteel.model.figure import Figure
from firesteel.run.experiment.experiment import load_experiment
from firesteel.run.loop import Options, execute
from firesteel.store.record import Inputs
from firesteel.store.store import Store

CHEAPEST = ["openvpn none:none software", "openvpn aes-256-gcm:gcm software"]


class Made(NamedTuple):
    """What comes of a cell."""

    figures: tuple[Figure, ...]
    proof: dict[str, int]
    trace: str


class Other(FakeRunner):
    """Measures something else of the cells with these labels."""

    def __init__(self, change: Callable[[Made], Made], *labels: str) -> None:
        super().__init__()
        self.change = change
        self.labels = labels

    def measure(self, cell: Cell, logs: Path, cancel: threading.Event) -> TopologyRun:
        run = super().measure(cell, logs, cancel)
        if cell.label not in self.labels:
            return run
        made = MadeUp().derive(cell, run)
        return run_of(cell, *self.change(Made(made.figures, made.proof, run.trace_digest)))


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A store with a run of the quick quickstart, whose cells took 9 s to 1 s; two took less."""
    monkeypatch.setenv("FIRESTEEL_CACHE", str(tmp_path / "cache"))
    place = Store(tmp_path / "store")
    experiment = load_experiment("quickstart")
    cells = experiment.cells(quick=True)
    journal = execute(experiment, cells, Options(quick=True), FakeRunner(), place, Notes())
    for number, entry in enumerate(journal.entries):
        entry.seconds = 0.5 if entry.cell.label in CHEAPEST else float(9 - number)
    place.save(journal)
    return place


def call(
    monkeypatch: pytest.MonkeyPatch, store: Store, runner: FakeRunner, *more: str, jobs: str = "1"
) -> Result:
    monkeypatch.setattr(bench, "make_runner", lambda *_: runner)
    told = ["verify", "--store", str(store.root), "--jobs", jobs, *more]
    result = CliRunner(env={"COLUMNS": "80"}).invoke(app, told)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def files(root: Path) -> dict[str, tuple[int, bytes]]:
    """All that is in a directory: when it was written, and its bytes; but for a store's cache."""
    return {
        str(path.relative_to(root)): (
            path.lstat().st_mtime_ns,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in root.rglob("*")
        if path.relative_to(root).parts[0] != "index"
    }


def scratch(tmp_path: Path) -> list[Path]:
    return list((tmp_path / "cache" / "verify").glob("*"))


def test_a_sample_that_is_the_same_is_status_0_and_leaves_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before, runner = files(store.root), FakeRunner()
    result = call(monkeypatch, store, runner)
    assert result.exit_code == 0
    assert runner.measured == [*CHEAPEST, "ipsec aes-256-gcm:gcm software"]
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines[:3]] == ["same"] * 3
    assert lines[0].endswith(" OpenVPN none:none")
    assert re.match(rf"Run {store.journal().name}, 3 of 9 cells .*: 3 same\.$", lines[3])
    assert "byte for byte" in lines[4]
    assert f"{store.journal().name} again: 3 cells" in result.stderr
    assert "(expected: 0 s)" in result.stderr
    assert files(store.root) == before
    assert scratch(tmp_path) == []


def test_a_seed_chooses_others_and_always_the_same(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples = []
    for seed in ("1", "1", "2", "3", "4"):
        runner = FakeRunner()
        result = call(monkeypatch, store, runner, "--sample", "2", "--seed", seed)
        assert re.search(rf"2 of 9 cells .*seed {seed}\): 2 same", result.stdout)
        samples.append(tuple(runner.measured))
    assert samples[0] == samples[1]
    assert len(set(samples)) > 2


def rate_of(made: Made, value: float) -> Made:
    figures = tuple(
        figure.model_copy(update={"value": value}) if figure.metric == "throughput" else figure
        for figure in made.figures
    )
    return made._replace(figures=figures)


def renamed(figure: Figure) -> Figure:
    return figure.model_copy(update={"metric": "rtt_max"})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda m: rate_of(m, 4.25),
            r"file-transfer \d+ MiB throughput .* 4\.25 here$",
        ),
        (
            lambda m: m._replace(figures=m.figures[:-1]),
            r"packet-sizes .*frequency .* 0\.05 in the record",
        ),
        (
            lambda m: m._replace(figures=(renamed(m.figures[0]), *m.figures[1:])),
            r"ping 56 B rtt_mean .* missing here",
        ),
        (
            lambda m: m._replace(figures=(*m.figures, renamed(m.figures[0]))),
            r"ping 56 B rtt_max .* missing in the record",
        ),
        (lambda m: m._replace(figures=m.figures[::-1]), "order of the figures"),
        (
            lambda m: m._replace(proof={"tunnel_bytes": 124}),
            "counter tunnel_bytes .*123 .*124 ",
        ),
        (
            lambda m: m._replace(proof={}),
            "counter tunnel_bytes .*123 .*missing here",
        ),
        (
            lambda m: m._replace(trace="0" * 64),
            "digest of all frames",
        ),
    ],
)
def test_the_first_difference_is_named_and_what_was_measured_kept(
    store: Store,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    change: Callable[[Made], Made],
    said: str,
) -> None:
    before = files(store.root)
    result = call(monkeypatch, store, Other(change, "no tunnel software"), "--all")
    assert result.exit_code == 1
    first, *_ = result.stdout.splitlines()
    assert re.match("different +no tunnel: .*" + said, first)
    assert ": 8 same, 1 different." in result.stdout
    (kept,) = scratch(tmp_path)
    assert f"logs are in {kept}" in result.stdout
    assert len(Store(kept).records(Store(kept).journal())) == 9, "`show --store` can show it"
    assert files(store.root) == before


def test_another_build_verifies_nothing_and_is_no_failure(
    store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before, runner = files(store.root), FakeRunner()
    runner.qemu = "0123456789abcdef"
    result = call(monkeypatch, store, runner)
    assert result.exit_code == 2
    assert runner.measured == []
    first, *_, last = result.stdout.splitlines()
    assert first.startswith("not comparable OpenVPN none:none: qemu ")
    assert FakeRunner().qemu[:12] in first
    assert "0123456789ab" in first
    assert last.startswith("Nothing can")
    assert files(store.root) == before
    assert scratch(tmp_path) == []


class Half(Other):
    """Has another driver, say: one cell has other jobs."""

    def inputs(self, cell: Cell) -> Inputs:
        inputs = super().inputs(cell)
        if cell.label != CHEAPEST[1]:
            return inputs
        return inputs.model_copy(
            update={"versions": inputs.versions.model_copy(update={"jobs": "other"})}
        )


def test_cells_that_can_be_compared_are_though_others_cannot(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = call(monkeypatch, store, Half(lambda m: m), "--sample", "2")
    assert result.exit_code == 2
    told = [re.split(r" +(?=OpenVPN)", line)[0] for line in result.stdout.splitlines()[:2]]
    assert told == ["same", "not comparable"]
    assert "AES-256-GCM: jobs " in result.stdout.splitlines()[1]
    assert "Nothing can" not in result.stdout
    worse = call(monkeypatch, store, Half(lambda m: rate_of(m, 1), CHEAPEST[0]), "--sample", "2")
    assert worse.exit_code == 1


def test_a_cell_that_fails_keeps_its_logs_and_the_others_go_on(
    store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    result = call(monkeypatch, store, FakeRunner(fail=CHEAPEST[:1]))
    assert result.exit_code == 1
    first, *_ = result.stdout.splitlines()
    assert re.match("failed +OpenVPN none:none: Node `board` ", first)
    assert ": 2 same, 1 failed." in result.stdout
    (kept,) = scratch(tmp_path)
    assert [path.read_text() for path in kept.rglob("console")] == ["booting\n"]


def test_other_observations_of_the_same_figures_are_not_the_same(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Chatty(FakeRunner):
        def measure(self, cell: Cell, logs: Path, cancel: threading.Event) -> TopologyRun:
            run = super().measure(cell, logs, cancel)
            peer = replace(run.nodes["peer"], data={"one": b"more"})
            return replace(run, nodes=run.nodes | {"peer": peer})

    result = call(monkeypatch, store, Chatty(), "--sample", "1")
    assert result.exit_code == 1
    assert re.match("different +OpenVPN none:none: .*handed out", result.stdout)


def test_damage_is_told_before_anything_is_made_ready(
    store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    runner = FakeRunner()
    store.record_path(store.journal().entries[0].key).write_text("{")
    with pytest.raises(FiresteelError, match="damaged"):
        call(monkeypatch, store, runner)
    assert runner.prepared == 0
    assert scratch(tmp_path) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_it_and_leaves_store_and_cache_as_they_were(
    store: Store, tmp_path: Path, number: int
) -> None:
    before = files(store.root)
    arguments = ["verify", "--store", str(store.root), "--jobs", "1"]
    errors = signalled(tmp_path / "cache", "third cell", number, *arguments)
    assert re.match("firesteel: .* 2 of 3 cells ", errors.splitlines()[-1])
    assert files(store.root) == before
    assert scratch(tmp_path) == []
