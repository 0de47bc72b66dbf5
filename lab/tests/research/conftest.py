# SPDX-License-Identifier: Apache-2.0
"""The made-up study beside those of the checkout, and a store of runs beside both."""

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_runner import FakeRunner
from fake_watcher import Notes
from typer.testing import CliRunner

from firesteel import cli
from firesteel.base.checkout import CHECKOUT
from firesteel.boards.profile import Clock
from firesteel.judge import study as studies
from firesteel.judge.study import Study
from firesteel.run.experiment.collection import load
from firesteel.run.loop import Options, execute
from firesteel.store.store import Store
from research import fidelity, fit

MADE = Path(__file__).parents[1] / "made_studies" / "somebody2001"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The study's folder, beside those of the checkout."""
    published = tmp_path / "published"
    shutil.copytree(CHECKOUT / "published", published)
    shutil.copytree(MADE, published / MADE.name)
    monkeypatch.setattr(studies, "STUDIES", published)
    return published / MADE.name


@pytest.fixture
def study(folder: Path) -> Study:
    (found,) = (each for each in studies.load_studies() if each.folder == folder)
    return found


@pytest.fixture(scope="package")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Quick runs on both clocks, with figures so many times as large as usual; and one that says
    that it is not quick.
    """
    place = Store(tmp_path_factory.mktemp("runs"))
    factors = {"gateways-flat": 1.5, "gateways-again": 1.1}
    runs = ("gateways-cycles", "three-hosts-flat", "ipsec-flat", "ipsec-cycles")
    for name in (*factors, *runs):
        clock: Clock = "flat" if name.endswith("-flat") else "cycles"
        factor = factors.get(name, 1.0)
        loaded = load(name.rpartition("-")[0])
        cells = [
            cell
            for cell in loaded.cells(quick=True)
            if cell.protocol in ("none", "ipsec") and not cell.link
        ]
        runner = FakeRunner(clock=clock)
        runner.factor = factor
        runner.boards = hashlib.sha256(f"{clock} {factor}".encode()).hexdigest()
        execute(loaded, cells, Options(quick=True), runner, place, Notes())
        place.save(place.journal().model_copy(update={"name": name}))
    flat = place.journal("gateways-flat")
    for name, quick in (("gateways", True), ("gateways-whole", False)):
        place.save(flat.model_copy(update={"name": name, "quick": quick}))
    return place


@pytest.fixture
def told(store: Store) -> Callable[..., str]:
    """What a command of the lab or of research says of a run, with its options."""
    own = {"fit": fit.app, "fidelity": fidelity.app}

    def say(command: str, *arguments: str) -> str:
        words = [*arguments, "--store", str(store.root)]
        app = own.get(command)
        result = CliRunner().invoke(app or cli.app, words if app else [command, *words])
        if result.exception:
            raise result.exception
        return result.stdout

    return say
