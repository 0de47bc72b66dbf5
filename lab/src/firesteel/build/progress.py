# SPDX-License-Identifier: Apache-2.0
"""Telling a person how far a long step is, and running the commands that take long.

On a terminal each step has one live line with name, progress and duration.  Elsewhere there is a
plain line at the start, one every so often, and one at the end.  The commands' own output goes to a
log file, whose last lines are shown when a command fails.
"""

import collections
import contextlib
import errno
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from firesteel.base.errors import FiresteelError
from firesteel.build import privilege
from firesteel.model import names

_PLAIN_INTERVAL_S = 15.0
_LOG_LINES_SHOWN = 15
_NO_SPACE = os.strerror(errno.ENOSPC)
_NINJA = re.compile(r"^\[(\d+)/(\d+)\]")
_MMDEBSTRAP = re.compile(r"^I: (?!automatically|running|skipping|success)(.+?)\.*$")


@dataclass(frozen=True)
class Report:
    """What one line of a command's output says about how far it is."""

    done: int | None = None
    total: int | None = None
    phase: str = ""

    @property
    def far(self) -> str:
        """The same in words."""
        return f"{self.done} of {self.total}" if self.total else self.phase


def read_report(line: str) -> Report | None:
    """Ninja's `[done/total]` or mmdebstrap's `I: phase...`; nothing for other lines."""
    if match := _NINJA.match(line):
        return Report(done=int(match[1]), total=int(match[2]))
    if match := _MMDEBSTRAP.match(line):
        return Report(phase=match[1])
    return None


class Runner:
    """Runs long commands with progress on `console` (by default standard error)."""

    def __init__(self, log_directory: Path, console: Console | None = None) -> None:
        self.console = console or Console(stderr=True)
        self._lines = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[far]}", markup=False),
            TimeElapsedColumn(),
            console=self.console,
            transient=True,
        )
        self._lock = threading.Lock()
        self._logs = log_directory
        self._told_sudo = False
        self._running: list[Callable[[], None]] = []  # How to kill each command that runs.
        self._stopped = False

    @contextlib.contextmanager
    def step(self, what: str) -> Iterator[Callable[[Report], None]]:
        """Show a step while the `with` block runs, which calls what it is given to say how far the
        step is.
        """
        start = told = time.monotonic()
        line: TaskID | None = None
        if self.console.is_terminal:
            with self._lock:
                self._lines.start()
                line = self._lines.add_task(what, total=None, far="")
        else:
            self.tell(f"{what} ...")

        def update(report: Report) -> None:
            nonlocal told
            if line is not None:
                done, total = report.done, report.total
                self._lines.update(line, completed=done, total=total, far=report.far)
            elif time.monotonic() - told >= _PLAIN_INTERVAL_S:
                told = time.monotonic()
                self.tell(f"{what}: {report.far} after {names.duration(told - start)}")

        outcome = "stopped after"
        try:
            yield update
            outcome = "done in"
        finally:
            if line is not None:
                with self._lock:
                    self._lines.remove_task(line)
                    if not self._lines.task_ids:
                        self._lines.stop()
            self.tell(f"{what}: {outcome} {names.duration(time.monotonic() - start)}")

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
        process = _start(["setpriv", "--pdeathsig", "KILL", *command], environment, directory)
        self._follow(what, process, lambda: _kill_session(process))

    def run_apart(self, what: str, command: list[str]) -> None:
        """Run `command` as root in a separate namespace; otherwise like `run`."""
        if not privilege.is_root():
            if not self._told_sudo:
                self._told_sudo = True
                self.tell("Making file trees and entering the build root need root: sudo does it.")
            privilege.authenticate()  # Before a live line covers the prompt.
        process = _start(privilege.namespace_command(command), session=False)
        self._follow(what, process, lambda: privilege.kill_namespace(process))

    def _follow(self, what: str, process: subprocess.Popen[str], kill: Callable[[], None]) -> None:
        """Log and show the output of `process` to its end; `kill` it when we are interrupted."""
        tail: collections.deque[str] = collections.deque(maxlen=_LOG_LINES_SHOWN)
        output = process.stdout
        assert output is not None
        self._running.append(kill)
        try:
            self._logs.mkdir(parents=True, exist_ok=True)
            log = self._logs / (re.sub(r"[^a-z0-9]+", "-", what.lower()).strip("-") + ".log")
            with self.step(what) as update, log.open("w") as file, output:
                if self._stopped:
                    raise FiresteelError(f"{what} was stopped.")
                for line in output:
                    file.write(line)
                    tail.append(line.rstrip())
                    if report := read_report(line):
                        update(report)
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


def at_once(runner: Runner, *works: Callable[[], object]) -> None:
    """Do all of these at once, each in a separate thread, with commands run by `runner`.

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


def _start(
    command: list[str],
    environment: Mapping[str, str] | None = None,
    directory: Path | None = None,
    *,
    session: bool = True,
) -> subprocess.Popen[str]:
    """Start a command without input, with all its output to us; in a `session` of its own."""
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env={**os.environ, **(environment or {})},
        cwd=directory,
        start_new_session=session,
    )


def _kill_session(process: subprocess.Popen[str]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
