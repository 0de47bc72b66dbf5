# SPDX-License-Identifier: Apache-2.0
"""Sweeps of made-up figures, which follow from the board as a test says."""

from collections.abc import Sequence
from pathlib import Path

from fake_watcher import Notes
from made_sensitivity import BoardsRunner, Gain

from firesteel.analysis.results import Results, load_results
from firesteel.board.profile import Profile
from firesteel.campaign.run import Options, execute
from firesteel.campaign.standing import StandingRunner
from firesteel.experiment.collection import load
from firesteel.experiment.experiment import select
from firesteel.experiment.sweep import Method
from firesteel.experiment.vary_table import sweep_of_options
from firesteel.store.journal import Journal
from firesteel.store.store import Store

CLOCK = "cores.crypto0.timing.clock_hz"
REGISTER = "cores.crypto0.timing.register_ns"
ONLY = ("suite=aes-256-cbc:none",)


def by_clock(profile: Profile) -> float:
    """As fast as software where the cores have 100 MHz."""
    return (profile.cores[0].timing.used_clock_hz or 0) / 100e6


def by_both(profile: Profile) -> float:
    """The same where a register access takes 100 ns, and slower by as much as that takes longer."""
    return by_clock(profile) * 100 / profile.cores[0].timing.used_register_ns


def swept(
    root: Path,
    *vary: str,
    gain: Gain = by_clock,
    fail: Sequence[str] = (),
    method: Method | None = None,
    budget: int | None = None,
    only: Sequence[str] = ONLY,
) -> tuple[Journal, BoardsRunner, Store]:
    """A sweep of OpenVPN in the store there."""
    told = load("openvpn", sweep=sweep_of_options(vary, method, budget))
    cells = select(told.cells(True), only)
    inner = BoardsRunner(told.catalog, gain, fail)
    store, runner = Store(root), StandingRunner(inner, told.catalog)
    journal = execute(told, cells, Options(quick=True), runner, store, Notes())
    return journal, inner, store


def results_of(
    root: Path,
    *vary: str,
    gain: Gain = by_clock,
    fail: Sequence[str] = (),
    method: Method | None = None,
    budget: int | None = None,
    only: Sequence[str] = ONLY,
) -> Results:
    """What it gave."""
    journal, _, store = swept(
        root, *vary, gain=gain, fail=fail, method=method, budget=budget, only=only
    )
    return load_results(store, journal.name)
