# SPDX-License-Identifier: Apache-2.0
"""`firesteel worker`: work for a Dask scheduler."""

import os
import socket
from functools import partial
from typing import Annotated

import typer

from firesteel.base.errors import FiresteelError
from firesteel.build.doctor import BEFORE_WORKING, lacks, this_machine
from firesteel.cli.machines import TlsCaOption, TlsCertOption, TlsKeyOption, run_until_told
from firesteel.machines.tls import Tls


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("worker")(worker)


JobsOption = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        min=1,
        metavar="N",
        help="Number of cells at a time [default: one for each CPU, as memory allows].",
    ),
]

NameOption = Annotated[
    str | None,
    typer.Option(
        "--name",
        help="What runs call this machine [default: its host name and the process].",
        show_default=False,
    ),
]

PatienceOption = Annotated[
    int,
    typer.Option(
        "--wait",
        min=1,
        metavar="SECONDS",
        help="How long to wait for a scheduler that does not answer, or was lost.",
    ),
]


def worker(
    address: Annotated[
        str,
        typer.Argument(
            metavar="ADDRESS", help="Where the Dask scheduler is, such as tcp://HOST:8786."
        ),
    ],
    jobs: JobsOption = None,
    name: NameOption = None,
    patience: PatienceOption = 60,
    tls_ca: TlsCaOption = None,
    tls_cert: TlsCertOption = None,
    tls_key: TlsKeyOption = None,
) -> None:
    """Measure cells of runs on other machines that are started with --on ADDRESS.

    Ctrl-C ends it; what it was measuring is handed to other workers.  It needs neither root nor
    compilers: what boards are run with comes from the client, once, and is kept in the cache
    directory.
    """
    if found := lacks(this_machine(), BEFORE_WORKING):
        raise FiresteelError(found[0])
    from firesteel.machines.quiet import quiet

    quiet()
    from firesteel.machines.security import address_of, security_of
    from firesteel.machines.worker import capacity_here, serve

    security = security_of(Tls(tls_ca, tls_cert, tls_key))
    work = serve(
        address_of(address, security),
        name or f"{socket.gethostname()}-{os.getpid()}",
        capacity_here(jobs),
        security,
        patience,
        partial(typer.echo, err=True),
    )
    run_until_told(work)
