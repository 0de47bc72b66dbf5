# SPDX-License-Identifier: Apache-2.0
"""Telling a person how far a long step is, and running the commands that take long.

On a terminal one live line a step (what, how far, how long so far); elsewhere a plain line at the
start, one every so often, and one at the end.  The commands' own output goes to a log file, whose
last lines are shown when a command fails.
"""

import collections
import contextlib
import errno
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypedDict

from rich.console import Console
from rich.progress import TaskID

from firesteel.base.errors import FiresteelError
from firesteel.build import privilege
from firesteel.build.live_lines import LiveLines
from firesteel.model import names

_PLAIN_INTERVAL_S = 15.0
_LOG_LINES_SHOWN = 15
_NO_SPACE = os.strerror(errno.ENOSPC)
_NINJA = re.compile(r"^\[(\d+)/(\d+)\]")
_MMDEBSTRAP = re.compile(r"^I: (?!automatically|running|skipping|success)(.+?)\.*$")


class _Piped(TypedDict):
    """How commands are connected: no input, all output to us as text."""

    stdin: int
    stdout: int
    stderr: int
    text: Literal[True]
    errors: str


_PIPED: _Piped = {
    "stdin": subprocess.DEVNULL,
    "stdout": subprocess.PIPE,
    "stderr": subprocess.STDOUT,
    "text": True,
    "errors": "replace",
}


@dataclass(frozen=True)
class Report:
    """What one line of a command's output says about how far it is."""

    done: int | None = None
    total: int | None = None
    phase: str | None = None


def read_report(line: str) -> Report | None:
    """Ninja's `[done/total]` or mmdebstrap's `I: phase...`; nothing for other lines."""
    if match := _NINJA.match(line):
        return Report(done=int(match[1]), total=int(match[2]))
    if match := _MMDEBSTRAP.match(line):
        return Report(phase=match[1])
    return None


class Step:
    """One long step under way; a context manager that shows itself on `console`."""

    def __init__(self, lines: LiveLines, what: str) -> None:
        self._console = lines.console
        self._lines = lines
        self._what = what
        self._start = self._told = time.monotonic()
        self._report = Report()
        self._line: TaskID | None = None

    def __enter__(self) -> "Step":
        if self._console.is_terminal:
            self._line = self._lines.add(self._what)
        else:
            self._print(f"{self._what} ...")
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if self._line is not None:
            self._lines.remove(self._line)
        outcome = "done in" if kind is None else "stopped after"
        self._print(f"{self._what}: {outcome} {names.duration(time.monotonic() - self._start)}")

    def update(self, report: Report) -> None:
        """Show how far the step is."""
        self._report = report
        if self._line is not None:
            self._lines.update(self._line, report.done, report.total, self._far())
        elif time.monotonic() - self._told >= _PLAIN_INTERVAL_S:
            self._told = time.monotonic()
            took = names.duration(self._told - self._start)
            self._print(f"{self._what}: {self._far()} after {took}")

    def _far(self) -> str:
        if self._report.total:
            return f"{self._report.done} of {self._report.total}"
        return self._report.phase or ""

    def _print(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)


class Runner:
    """Runs long commands with progress on `console` (standard error unless told otherwise)."""

    def __init__(self, log_directory: Path, console: Console | None = None) -> None:
        self.console = console or Console(stderr=True)
        self._lines = LiveLines(self.console)
        self._logs = log_directory
        self._told_sudo = False
        self._running: list[Callable[[], None]] = []  # How to kill each command that runs.
        self._stopped = False

    def step(self, what: str) -> Step:
        """A step to be shown while the `with` block runs."""
        return Step(self._lines, what)

    def tell(self, text: str) -> None:
        """Print one line for the person who waits."""
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def stop(self) -> None:
        """Kill all commands that other threads run here, and refuse further ones; they raise."""
        self._stopped = True
        for kill in list(self._running):
            kill()

    def run(
        self,
        what: str,
        command: list[str],
        environment: Mapping[str, str] | None = None,
        directory: Path | None = None,
    ) -> None:
        """Run `command` as the calling user in `directory`, with `environment` added to ours.

        Its output goes to a log named after `what`.  `FiresteelError` with the log's last lines
        when it fails; when we are interrupted, nothing of it is left running.
        """
        process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", *command],
            **_PIPED,
            env={**os.environ, **(environment or {})},
            cwd=directory,
            start_new_session=True,
        )
        self._follow(what, process, lambda: _kill_session(process))

    def run_apart(self, what: str, command: list[str]) -> None:
        """Run `command` as root in a namespace of its own; otherwise as `run`."""
        self._get_root_rights()
        process = subprocess.Popen(privilege.namespace_command(command), **_PIPED)
        self._follow(what, process, lambda: privilege.kill_namespace(process))

    def _follow(self, what: str, process: subprocess.Popen[str], kill: Callable[[], None]) -> None:
        """Log and show the output of `process` to its end; `kill` it when we are interrupted."""
        tail: collections.deque[str] = collections.deque(maxlen=_LOG_LINES_SHOWN)
        output = process.stdout
        assert output is not None
        self._running.append(kill)
        try:
            log = self._log_path(what)
            with self.step(what) as step, log.open("w") as file, output:
                if self._stopped:
                    raise FiresteelError(f"{what} was stopped.")
                for line in output:
                    file.write(line)
                    tail.append(line.rstrip())
                    if report := read_report(line):
                        step.update(report)
                status = process.wait()
        except BaseException:
            kill()
            raise
        finally:
            self._running.remove(kill)
        if status != 0:
            if any(_NO_SPACE in line for line in tail):
                raise FiresteelError(
                    f"{what} failed because a disk is full; free space below {self._logs.parent} "
                    f"and in the directory for temporary files; the whole log is in {log}."
                )
            shown = "\n".join(f"    {line}" for line in tail)
            raise FiresteelError(
                f"{what} failed with status {status}; the whole log is in {log}; it ends with:\n"
                f"{shown}"
            )

    def _log_path(self, what: str) -> Path:
        self._logs.mkdir(parents=True, exist_ok=True)
        return self._logs / (re.sub(r"[^a-z0-9]+", "-", what.lower()).strip("-") + ".log")

    def _get_root_rights(self) -> None:
        """Let sudo ask for its password before a live line covers the prompt."""
        if privilege.is_root():
            return
        if not self._told_sudo:
            self._told_sudo = True
            self.tell("Making file trees and entering the build root need root: sudo runs them.")
        privilege.authenticate()


def at_once(runner: Runner, *works: Callable[[], object]) -> None:
    """Do all of these at once, each in a thread of its own, with commands run by `runner`.

    When one fails, or we are interrupted, the commands of the others are killed, no further ones
    begin, and that error is raised.
    """
    with ThreadPoolExecutor(len(works)) as threads:
        try:
            for each in as_completed([threads.submit(work) for work in works]):
                each.result()
        except BaseException:
            runner.stop()
            raise


def _kill_session(process: subprocess.Popen[str]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
