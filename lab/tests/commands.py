# SPDX-License-Identifier: Apache-2.0
"""The command line in this process, and runs that it makes with made-up figures."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fake_runner import FakeRunner
from made_sensitivity import BoardsRunner, Gain
from typer.testing import CliRunner, Result

from firesteel.cli import app, bench
from firesteel.store.store import Store


def invoke(*arguments: str) -> Result:
    result = CliRunner().invoke(app, arguments)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def call(monkeypatch: pytest.MonkeyPatch, *arguments: str, fail: Sequence[str] = ()) -> Result:
    monkeypatch.setattr(bench, "make_runner", lambda *_: FakeRunner(fail=fail))
    monkeypatch.setenv("COLUMNS", "80")
    return invoke(*arguments)


@dataclass(frozen=True)
class Lab:
    """The command line on a store of its own."""

    store: Path
    patch: pytest.MonkeyPatch

    def __call__(
        self, *words: str, fail: Sequence[str] = (), gain: Gain | None = None, columns: int = 80
    ) -> Result:
        """What a command does, which measures made-up boards, or such as hardware gains so much on
        as follows from the board.
        """
        self.patch.setenv("COLUMNS", str(columns))
        self.patch.setattr(
            bench,
            "make_runner",
            lambda catalog, *_: (
                BoardsRunner(catalog, gain, fail) if gain else FakeRunner(fail=fail)
            ),
        )
        return invoke(*words, "--store", str(self.store))


def measure(
    monkeypatch: pytest.MonkeyPatch,
    store: Path,
    *more: str,
    experiment: str = "quickstart",
    **runner: Any,
) -> str:
    """The name of a new run of quick sizes, with a runner that has these attributes."""

    def make(*_: object) -> FakeRunner:
        made = FakeRunner(fail=runner.get("fail", ()))
        for name, value in runner.items():
            setattr(made, name, value)
        return made

    monkeypatch.setenv("COLUMNS", "80")
    with monkeypatch.context() as context:
        context.setattr("firesteel.show.report.write.write_report", lambda *_: store)
        context.setattr(bench, "make_runner", make)
        invoke("run", experiment, "--quick", "--store", str(store), *more)
    return Store(store).journal().name
