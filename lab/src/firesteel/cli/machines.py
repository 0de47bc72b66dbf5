# SPDX-License-Identifier: Apache-2.0
"""`firesteel machines`: hand cells of runs to other machines, or be one of these; and how commands
reach them.

Dask is loaded when it is needed: that takes as long as all the rest.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import typer

from firesteel.base.errors import FiresteelError, RequestError
from firesteel.base.interrupts import SIGNALS
from firesteel.build.doctor import BEFORE_WORKING, lacks, this_machine
from firesteel.cli.application import command, refuse_options
from firesteel.machines.task import Tls

if TYPE_CHECKING:
    from firesteel.machines.cluster import Cluster

_PORT, _DASHBOARD, _PATIENCE = 8786, 8787, 60


@command("machines", patience=_PATIENCE, port=_PORT, dashboard=_DASHBOARD)
def machines(
    address: str | None = None,
    jobs: int | None = None,
    name: str | None = None,
    patience: int | None = None,
    host: str | None = None,
    port: int | None = None,
    dashboard_port: int | None = None,
    *,
    tls: Tls,
) -> None:
    """Distribute cells to other machines, or measure cells for a scheduler.

    Without ADDRESS, the command acts as the scheduler and prints the scheduler's address, which
    --on and the other machines need.  Anyone who can reach the scheduler can run programs on these
    machines; docs/machines.md explains how to prevent that with TLS.

    With ADDRESS, the command measures cells for the scheduler at this address.  The machine needs
    neither root nor compilers, because it receives the boards' programs and keeps them in its cache
    directory.

    Ctrl-C ends the command; other machines then measure the command's unfinished cells.
    """
    if address is None:
        given = {"--jobs": jobs, "--name": name, "--wait": patience}
        refuse_options("is for a machine that works for a scheduler; name its ADDRESS.", given)
        from firesteel.machines import scheduler

        scheduler.quiet()
        port = _PORT if port is None else port
        dashboard = _DASHBOARD if dashboard_port is None else dashboard_port
        security = scheduler.security_of(tls)
        _run(scheduler.serve(host or scheduler.LOOPBACK, port, dashboard, security, _tell))
        return
    asked = {"--port": port is not None, "--dashboard-port": dashboard_port is not None}
    refuse_options("is for the scheduler; leave out ADDRESS.", {"--host": host, **asked})
    if found := lacks(this_machine(), BEFORE_WORKING):
        raise FiresteelError(found[0])
    from firesteel.machines import worker
    from firesteel.machines.scheduler import address_of, quiet, security_of

    quiet()
    security, tell = security_of(tls), partial(typer.echo, err=True)
    place, room = address_of(address, security), worker.capacity_here(jobs)
    name = name or f"{socket.gethostname()}-{os.getpid()}"
    _run(worker.serve(place, name, room, security, patience or _PATIENCE, tell))


def _tell(address: str, dashboard: str) -> None:
    typer.echo(address)
    if dashboard:
        typer.echo(f"Dask's dashboard: {dashboard}", err=True)
    typer.echo("Ctrl-C ends the scheduler.", err=True)


@contextmanager
def cluster_at(on: str | None, tls: Tls) -> Iterator[Cluster | None]:
    """The machines behind a scheduler, for the time of the `with` block; None if there is none.

    Raises `RequestError` for files of TLS without a scheduler.
    """
    if on is None:
        if tls != Tls():
            raise RequestError(
                "--tls-ca, --tls-cert and --tls-key are for a scheduler; --on names it."
            )
        yield None
        return
    from firesteel.machines.cluster import Cluster
    from firesteel.machines.scheduler import address_of, quiet, security_of

    quiet()
    security = security_of(tls)
    with Cluster(address_of(on, security), security) as cluster:
        yield cluster


def _run(work: Coroutine[None, None, None]) -> None:
    """Runs what goes on for ever until a signal says that it is enough, and ends the command."""

    async def until_told() -> None:
        task = asyncio.ensure_future(work)
        for number in SIGNALS:
            asyncio.get_running_loop().add_signal_handler(number, task.cancel)
        await task

    try:
        asyncio.run(until_told())
    except asyncio.CancelledError:
        typer.echo("firesteel: stopped.", err=True)
        sys.exit(130)
