# SPDX-License-Identifier: Apache-2.0
"""`firesteel scheduler`: hand cells of runs to workers."""

from typing import TYPE_CHECKING, Annotated

import typer

from firesteel.cli.machines import TlsCaOption, TlsCertOption, TlsKeyOption, run_until_told
from firesteel.machines.tls import Tls

if TYPE_CHECKING:
    from firesteel.machines.scheduler import Addresses


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("scheduler")(scheduler)


HostOption = Annotated[
    str,
    typer.Option(
        "--host",
        metavar="ADDRESS",
        help="The address or name of this machine at which others reach it; 0.0.0.0 is all.",
    ),
]

PortOption = Annotated[
    int,
    typer.Option(
        "--port", min=0, max=65535, metavar="PORT", help="Its port; 0 is any that is free."
    ),
]

DashboardOption = Annotated[
    int,
    typer.Option(
        "--dashboard-port",
        min=0,
        max=65535,
        metavar="PORT",
        help="The port of Dask's dashboard; another one is taken if it is in use.",
    ),
]


def scheduler(
    host: HostOption = "127.0.0.1",
    port: PortOption = 8786,
    dashboard_port: DashboardOption = 8787,
    tls_ca: TlsCaOption = None,
    tls_cert: TlsCertOption = None,
    tls_key: TlsKeyOption = None,
) -> None:
    """Hand cells of runs that are started with --on to workers, until Ctrl-C.

    Prints the address that `worker` and --on take. Without --host this machine alone reaches it.
    Whoever reaches it can run programs on its workers: docs/machines.md says how TLS prevents that.
    """
    from firesteel.machines.quiet import quiet

    quiet()
    from firesteel.machines.scheduler import Place, serve
    from firesteel.machines.security import security_of

    security = security_of(Tls(tls_ca, tls_cert, tls_key))
    run_until_told(serve(Place(host, port, dashboard_port), security, _tell))


def _tell(addresses: "Addresses") -> None:
    typer.echo(addresses.scheduler)
    if addresses.dashboard:
        typer.echo(f"Dask's dashboard: {addresses.dashboard}", err=True)
    typer.echo("Ctrl-C ends the scheduler.", err=True)
