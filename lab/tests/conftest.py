# SPDX-License-Identifier: Apache-2.0
"""What holds for every test."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from pathlib import Path

    from commands import Lab
    from made_runs import Rendered

# How long an example takes says how busy the machine is.
settings.register_profile("any-machine", deadline=None)
settings.load_profile("any-machine")


@pytest.fixture(autouse=True)
def as_at_a_terminal() -> Iterator[None]:
    """Ctrl-C interrupts the test, and no test leaves it otherwise.

    A shell starts what it runs in the background with Ctrl-C ignored, and Python leaves it so.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.fixture(autouse=True, scope="session")
def made_up_figures() -> Iterator[None]:
    """Observations may have figures that a test made up."""
    from made_up import MadeUp

    from firesteel.store.record import use, used

    before = used()
    use(MadeUp())
    yield
    use(before)


@pytest.fixture(autouse=True, scope="session")
def no_spread() -> Iterator[None]:
    """What a test makes up does not depend on how far recorded figures differ between seeds: it is
    exact, unless it says how far it may be off.
    """
    from firesteel.judge import intervals, spread

    with_kinds = intervals._with_kinds

    def exact(samples: pl.DataFrame) -> pl.DataFrame:
        found = with_kinds(samples)
        if spread.load_spread():
            return found
        return found.with_columns(pl.col("_of_kind", "_wide").fill_null(0.0))

    with pytest.MonkeyPatch.context() as context:
        context.setattr(spread, "load_spread", lambda: None)
        context.setattr(intervals, "_with_kinds", exact)
        yield


@pytest.fixture(scope="session")
def thousand_cells(tmp_path_factory: pytest.TempPathFactory) -> Rendered:
    """The report of a thousand cells, made once for all tests that look at it."""
    import made_runs  # Loads most of the lab, slowly.

    return made_runs.rendered(made_runs.many(tmp_path_factory.mktemp("thousand")))


@pytest.fixture
def lab(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Lab:
    """The command line on an empty store."""
    import commands  # Loads all commands, slowly.

    return commands.Lab(tmp_path, monkeypatch)
