# SPDX-License-Identifier: Apache-2.0
"""`firesteel console` and `provider`: a shell on a board, and what programs on a real one have from
the OpenSSL provider.
"""

import re
import sys
from pathlib import Path

import typer
from rich.console import Console
from rich.markup import escape

from firesteel.base.errors import FiresteelError, shortened
from firesteel.boards.catalog import Catalog
from firesteel.boards.command import BoardProducts
from firesteel.boards.console import open_console
from firesteel.boards.profile import DEFAULT_BOARD, profile_names
from firesteel.boards.topology import topology_names
from firesteel.build.products import artifact_source
from firesteel.cli.application import command
from firesteel.cli.common import table
from firesteel.protocols.kernel import driver_files
from firesteel.protocols.provider_statistics import (
    Statistics,
    StatisticsError,
    is_running,
    program,
)
from firesteel.protocols.user_space import console_files


@command(
    "console",
    default=DEFAULT_BOARD,
    boards=", ".join(profile_names()),
    topologies=", ".join(topology_names()),
)
def console(board: str | None = None, topology: str | None = None) -> None:
    """Open a shell on a board.

    If the board has cores, the driver and the provider are loaded.  The board runs in real time, at
    the speed of the emulation, so do not measure on it.  To stop the board, exit the shell or press
    Ctrl-A x.
    """
    if not sys.stdin.isatty():
        raise FiresteelError("`firesteel console` needs a terminal as its standard input.")
    catalog, here = Catalog(), Path.cwd()
    wiring = catalog.topology(catalog.find_topology(topology, here)) if topology else None
    names = {"board": DEFAULT_BOARD}
    if wiring is not None:
        names = {node: each.profile for node, each in wiring.nodes.items()}
    if board:
        names[next(iter(names))] = board
    found = {node: catalog.find_profile(name, here) for node, name in names.items()}
    profiles = {node: catalog.profile(name) for node, name in found.items()}
    boards, files = {}, {}
    for node, profile in profiles.items():
        products = artifact_source(profile.architecture)
        boards[node] = BoardProducts.of(products)
        if profile.cores:  # Nothing is built for a board without.
            driver = driver_files(products.driver().read_bytes())
            files[node] = console_files(profile, driver, products.artifact("provider"))
    status = open_console(boards, profiles, wiring, files)
    if status:
        raise FiresteelError(f"QEMU ended with status {status}; its own message is above.")


_DIRECTORY = Path("/run/firesteel")

_NUMBERS = re.compile(r"\d+")
"""In the name of a file, one of which is the process: the setting `statistics` has it as %p."""


@command("provider")
def provider(pid: int | None = None, directory: Path = _DIRECTORY) -> None:
    """Show which work the cores did for programs that use OpenSSL, and why software did the rest.

    The command requires the provider's setting `statistics = /run/firesteel/%p`.  The work of a
    process includes the work of its children.
    """
    found, remarks = _read_all(directory, pid)
    shown = []
    for path, each in found:
        if is_running(each.process, path):
            shown.append(each)
        elif pid is None:
            told = f"left out, because process {each.process} has ended; you may remove the file."
            remarks.append(f"{path}: {told}")
        else:
            shown.append(each)
            remarks.append(f"Process {pid} has ended.")
    for remark in dict.fromkeys(remarks):
        typer.echo(f"firesteel: {remark}", err=True)
    if not shown:
        who = "a running process" if pid is None else f"process {pid}"
        raise FiresteelError(
            f"There are no statistics of {who} in {shortened(directory)}; set the provider's "
            f"`statistics` to the files' path, for example {_DIRECTORY}/%p."
        )
    numbers = ("by the core", "KiB", "by software")
    made = table("process", "work", *numbers, "why", numbers=numbers)
    for each in shown:
        for row in _rows(each):
            made.add_row(*map(escape, row))
    Console().print(made)


def _read_all(directory: Path, pid: int | None) -> tuple[list[tuple[Path, Statistics]], list[str]]:
    """The files, or those of one process, by process; and what is wrong with others."""
    try:
        paths = sorted(path for path in directory.iterdir() if path.is_file())
    except FileNotFoundError:
        paths = []
    except OSError as error:
        raise FiresteelError(f"{shortened(directory)} cannot be read: {error.strerror}.") from None
    found, unread = [], []
    for path in paths:
        try:
            if (read := Statistics.read(path)).process == pid or pid is None:
                found.append((path, read))
        except StatisticsError as error:
            if pid is None or str(pid) in _NUMBERS.findall(path.name):
                unread.append(str(error))
    return sorted(found, key=lambda pair: pair[1].process), unread


def _rows(statistics: Statistics) -> list[list[str]]:
    """A row a kind of work of which there is something to say; at least one."""
    name = f"{statistics.process} {program(statistics.process)}".strip()
    rows = [
        [
            *(work.name, f"{work.hardware:,}", f"{work.hardware_bytes / 1024:,.0f}"),
            *(f"{work.software:,}", work.why),
        ]
        for work in statistics.works
        if work.hardware or work.software
    ]
    withheld = [work.name for work in statistics.works if work.break_even is None]
    if statistics.reason:
        rows.append(["all", "", "", "", statistics.reason])
    elif withheld:
        names = ", ".join(withheld)
        rows.append(["others", "", "", "", f"never faster on the core, or switched off: {names}"])
    elif not rows:
        rows.append(["all", "", "", "", "no requests yet"])
    return [[name if index == 0 else "", *row] for index, row in enumerate(rows)]
