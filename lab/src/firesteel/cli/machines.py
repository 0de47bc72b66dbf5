# SPDX-License-Identifier: Apache-2.0
"""Options of commands that use other machines or are one of them, and the connection to these.

Dask is loaded when it is needed: that takes as long as all the rest.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from firesteel.base.errors import RequestError
from firesteel.base.interrupts import SIGNALS
from firesteel.machines.tls import Tls

if TYPE_CHECKING:
    from firesteel.machines.cluster import Cluster

OnOption = Annotated[
    str | None,
    typer.Option(
        "--on",
        metavar="ADDRESS",
        help="Measure on the machines that work for the Dask scheduler at that address, such as "
        "tcp://HOST:8786.",
        show_default=False,
    ),
]

TlsCaOption = Annotated[
    Path | None,
    typer.Option(
        "--tls-ca",
        metavar="FILE",
        help="Certificate of the authority that scheduler, workers and clients trust, in PEM.",
        show_default=False,
    ),
]

TlsCertOption = Annotated[
    Path | None,
    typer.Option(
        "--tls-cert", metavar="FILE", help="Certificate of this side, in PEM.", show_default=False
    ),
]

TlsKeyOption = Annotated[
    Path | None,
    typer.Option(
        "--tls-key", metavar="FILE", help="Key of that certificate, in PEM.", show_default=False
    ),
]


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
    from firesteel.machines.quiet import quiet

    quiet()
    from firesteel.machines.cluster import Cluster
    from firesteel.machines.security import address_of, security_of

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
