# SPDX-License-Identifier: Apache-2.0
"""`firesteel provider`: what programs have from the OpenSSL provider."""

import re
from pathlib import Path

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from firesteel.base.errors import FiresteelError, shortened
from firesteel.cli.application import command
from firesteel.protocols.provider_statistics import (
    Statistics,
    StatisticsError,
    Work,
    is_running,
    program,
)

_DIRECTORY = Path("/run/firesteel")

_NUMBERS = re.compile(r"\d+")
"""In the name of a file, one of which is the process: the setting `statistics` has it as %p."""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("provider")(command(provider))


def provider(
    pid: int | None = None,
    directory: Path = _DIRECTORY,
) -> None:
    """Say what the cores did for programs that use OpenSSL, what software did, and why.

    Needs the provider's setting `statistics = /run/firesteel/%p`.  A process includes its
    children.

    Options:
        pid <PID>: Process ID [default: all running processes].
        directory DIR: Directory of the files that the provider's setting `statistics` names.
    """
    found, unread = _read_all(directory)
    if pid is None:
        shown = [(path, each) for path, each in found if is_running(each.process, path)]
        remarks = [*unread.values()] + [
            f"{path}: left out, because process {each.process} has ended; you may remove the file."
            for path, each in found
            if (path, each) not in shown
        ]
    else:
        shown = [(path, each) for path, each in found if each.process == pid]
        remarks = [told for path, told in unread.items() if str(pid) in _NUMBERS.findall(path.name)]
        if not all(is_running(pid, path) for path, _ in shown):
            remarks.append(f"Process {pid} has ended.")
    for remark in remarks:
        typer.echo(f"firesteel: {remark}", err=True)
    if not shown:
        who = "a running process" if pid is None else f"process {pid}"
        raise FiresteelError(
            f"There are no statistics of {who} in {shortened(directory)}; set the provider's "
            f"`statistics` to the files' path, for example {_DIRECTORY}/%p."
        )
    _show([each for _, each in shown])


def _read_all(directory: Path) -> tuple[list[tuple[Path, Statistics]], dict[Path, str]]:
    """The files that can be read, by process; and what is wrong with each of the others."""
    try:
        paths = sorted(path for path in directory.iterdir() if path.is_file())
    except FileNotFoundError:
        paths = []
    except OSError as error:
        raise FiresteelError(f"{shortened(directory)} cannot be read: {error.strerror}.") from None
    found = []
    unread = {}
    for path in paths:
        try:
            found.append((path, Statistics.read(path)))
        except StatisticsError as error:
            unread[path] = str(error)
    return sorted(found, key=lambda pair: pair[1].process), unread


def _show(all_of_them: list[Statistics]) -> None:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in ("process", "work"):
        table.add_column(name, no_wrap=True)
    for name in ("by the core", "KiB", "by software"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("why")
    for each in all_of_them:
        for row in _rows(each):
            table.add_row(*map(escape, row))
    Console().print(table)


def _rows(statistics: Statistics) -> list[list[str]]:
    """A row a kind of work of which there is something to say; at least one."""
    name = f"{statistics.process} {program(statistics.process)}".strip()
    told = [work for work in statistics.works if work.hardware or work.software]
    withheld = [work.name for work in statistics.works if work.break_even is None]
    rows = [_row(work) for work in told]
    if statistics.reason:
        rows.append(["all", "", "", "", statistics.reason])
    elif withheld:
        names = ", ".join(withheld)
        rows.append(["others", "", "", "", f"never faster on the core, or switched off: {names}"])
    if not rows:
        rows.append(["all", "", "", "", "no requests yet"])
    return [[name if index == 0 else "", *row] for index, row in enumerate(rows)]


def _row(work: Work) -> list[str]:
    kib = f"{work.hardware_bytes / 1024:,.0f}"
    return [work.name, f"{work.hardware:,}", kib, f"{work.software:,}", work.why]
