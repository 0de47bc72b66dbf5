# SPDX-License-Identifier: Apache-2.0
"""How tests are dealt out to processes that run side by side: a plugin of pytest for `make test`.

Tests of one file stay together, as they share what is made for a file.  So do all tests of a part
that is compiled for its tests: its build directory belongs to one process.
"""

import sys

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

_COMPILED = ("model/tests", "lib/tests", "provider/tests", "frontends/wolfssl/tests")


def scope(nodeid: str) -> str:
    """What a test of that name stays together with."""
    file = nodeid.partition("::")[0]
    return next((part for part in _COMPILED if file.startswith(f"{part}/")), file)


class _Scheduling(LoadScopeScheduling):
    def _split_scope(self, nodeid: str) -> str:
        return scope(nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    """The scheduler that xdist uses."""
    return _Scheduling(config, log)


class _Told:
    """Names each failure when it happens: a run that is ended before its summary has told them."""

    def __init__(self, config: pytest.Config) -> None:
        self._terminal = config.pluginmanager.getplugin("terminalreporter")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and self._terminal:
            self._terminal.write_line(f"\nFailed ({report.when}): {report.nodeid}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says which profile of the cores driver and programs were tested on."""
    if cores := sys.modules.get("core_profile"):  # imported by the tests of those parts
        terminalreporter.write_line(f"Cores of driver and programs: profile {cores.profile()}")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Tells of failures where the tests are dealt out."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Told(config))
