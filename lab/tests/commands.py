# SPDX-License-Identifier: Apache-2.0
"""The command line in this process, and runs that it makes with made-up figures."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from fake_runner import FakeRunner
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
    result = CliRunner().invoke(app, arguments)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


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
        context.setattr("firesteel.report.write.write_report", lambda *_: store)
        context.setattr(bench, "make_runner", make)
        invoke("run", experiment, "--quick", "--store", str(store), *more)
    return Store(store).journal().name
