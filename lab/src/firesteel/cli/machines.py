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
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from firesteel.base.errors import FiresteelError, RequestError
from firesteel.base.interrupts import SIGNALS
from firesteel.build.doctor import BEFORE_WORKING, lacks, this_machine
from firesteel.cli.application import command, refuse_options
from firesteel.cli.common import option
from firesteel.machines.task import Tls

if TYPE_CHECKING:
    from firesteel.machines.cluster import Cluster

TlsCaOption = Annotated[
    Path | None,
    option(
        "--tls-ca",
        "FILE",
        "Certificate of the authority that scheduler, workers and clients trust, in PEM.",
    ),
]

TlsCertOption = Annotated[
    Path | None, option("--tls-cert", "FILE", "Certificate of this side, in PEM.")
]

TlsKeyOption = Annotated[
    Path | None, option("--tls-key", "FILE", "Key of that certificate, in PEM.")
]

_PORT, _DASHBOARD, _PATIENCE = 8786, 8787, 60


def register(app: typer.Typer) -> None:
    """Adds the command."""
    usual = {"patience": _PATIENCE, "port": _PORT, "dashboard": _DASHBOARD}
    app.command("machines")(command(machines, **usual))


def machines(
    address: str | None = None,
    jobs: int | None = None,
    name: str | None = None,
    patience: int | None = None,
    host: str | None = None,
    port: int | None = None,
    dashboard_port: int | None = None,
    tls_ca: TlsCaOption = None,
    tls_cert: TlsCertOption = None,
    tls_key: TlsKeyOption = None,
) -> None:
    """Hand cells of runs that are started with --on to other machines, or be one of these.

    Without ADDRESS it is the scheduler, and prints the address that --on and the other machines
    take.  Whoever reaches it can run programs on these: docs/machines.md says how TLS prevents
    that.

    With ADDRESS it measures cells for that scheduler.  It needs neither root nor compilers: what
    boards are run with comes from the client, once, and is kept in the cache directory.

    Ctrl-C ends it; what a machine was measuring is handed to others.

    Options:
        address <ADDRESS>: Work for the Dask scheduler there, such as tcp://HOST:8786 [default: be
            the scheduler].
        jobs N 1..: With ADDRESS: number of cells at a time [default: one for each CPU, as memory
            allows].
        name NAME: With ADDRESS: what runs call this machine [default: its host name and the
            process].
        patience --wait SECONDS 1..: With ADDRESS: how long to wait for a scheduler that does not
            answer, or was lost [default: {patience}].
        host ADDRESS: The scheduler's address or name at which others reach it; 0.0.0.0 is all
            [default: 127.0.0.1, which only this machine reaches].
        port PORT 0..65535: The scheduler's port; 0 is any that is free [default: {port}].
        dashboard_port PORT 0..65535: The port of Dask's dashboard; another one is taken if it is in
            use [default: {dashboard}].
    """
    of_worker = {"--jobs": jobs, "--name": name, "--wait": patience}
    of_scheduler = {
        "--host": host,
        "--port": port is not None,
        "--dashboard-port": dashboard_port is not None,
    }
    tls = Tls(tls_ca, tls_cert, tls_key)
    if address is not None:
        refuse_options("is for the scheduler; leave out ADDRESS.", of_scheduler)
        _work(address, jobs, name, patience or _PATIENCE, tls)
        return
    refuse_options("is for a machine that works for a scheduler; name its ADDRESS.", of_worker)
    _schedule(
        host or "127.0.0.1",
        _PORT if port is None else port,
        _DASHBOARD if dashboard_port is None else dashboard_port,
        tls,
    )


def _schedule(host: str, port: int, dashboard_port: int, tls: Tls) -> None:
    from firesteel.machines.scheduler import quiet, security_of, serve

    quiet()
    run_until_told(serve(host, port, dashboard_port, security_of(tls), _tell))


def _tell(address: str, dashboard: str) -> None:
    typer.echo(address)
    if dashboard:
        typer.echo(f"Dask's dashboard: {dashboard}", err=True)
    typer.echo("Ctrl-C ends the scheduler.", err=True)


def _work(address: str, jobs: int | None, name: str | None, patience: int, tls: Tls) -> None:
    if found := lacks(this_machine(), BEFORE_WORKING):
        raise FiresteelError(found[0])
    from firesteel.machines.scheduler import address_of, quiet, security_of
    from firesteel.machines.worker import capacity_here, serve

    quiet()
    security = security_of(tls)
    work = serve(
        address_of(address, security),
        name or f"{socket.gethostname()}-{os.getpid()}",
        capacity_here(jobs),
        security,
        patience,
        partial(typer.echo, err=True),
    )
    run_until_told(work)


@contextmanager
def cluster_at(on: str | None, tls: Tls) -> Iterator[Cluster | None]:
    """The machines behind a scheduler, for the time of the `with` block; None if there is none.

    Raises `RequestError` for files of TLS without a scheduler.
    """
    if on is None:
        if tls != Tls():
            raise RequestError(
                "--tls-ca, --tls-cert and --tls-key are for a scheduler; --on says which."
            )
        yield None
        return
    from firesteel.machines.cluster import Cluster
    from firesteel.machines.scheduler import address_of, quiet, security_of

    quiet()
    security = security_of(tls)
    with Cluster(address_of(on, security), security) as cluster:
        yield cluster


def run_until_told(work: Coroutine[None, None, None]) -> None:
    """Runs what goes on for ever until a signal says that it is enough, and ends the command."""
    try:
        asyncio.run(_cancelled_by_signals(work))
    except asyncio.CancelledError:
        typer.echo("firesteel: stopped.", err=True)
        sys.exit(130)


async def _cancelled_by_signals(work: Coroutine[None, None, None]) -> None:
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    for number in SIGNALS:
        loop.add_signal_handler(number, task.cancel)
    await task
