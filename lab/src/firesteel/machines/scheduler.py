# SPDX-License-Identifier: Apache-2.0
"""A Dask scheduler, which hands tasks of clients to workers."""

import errno
import importlib.util
import resource
import socket
from collections.abc import Callable
from dataclasses import dataclass

from distributed import Scheduler
from distributed.comm.addressing import get_address_host, unparse_host_port
from distributed.comm.utils import get_tcp_server_address
from distributed.security import Security
from distributed.utils import format_dashboard_link

from firesteel.base.errors import FiresteelError, RequestError, reason_of

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Place:
    """Where a scheduler listens: an address or name of this machine, its port, and the port of
    Dask's dashboard; 0 is any that is free.
    """

    host: str
    port: int
    dashboard: int


@dataclass(frozen=True)
class Addresses:
    """What workers and clients take, and Dask's dashboard; empty if there is none."""

    scheduler: str
    dashboard: str


async def serve(place: Place, security: Security, tell: Callable[[Addresses], None]) -> None:
    """Hands out tasks until cancelled; `tell` is called once workers and clients may come.

    Raises `FiresteelError` when it cannot start, or a client ended it.

    The dashboard knows no certificates: a scheduler with TLS has it for this machine alone.
    """
    protocol = "tls" if security.require_encryption else "tcp"
    if protocol == "tls" and security.get_listen_args("scheduler")["ssl_context"] is None:
        raise RequestError("Encryption needs --tls-ca, --tls-cert and --tls-key.")
    _check_bindable(place)
    _allow_many_connections()
    shown = LOOPBACK if protocol == "tls" else place.host
    has_dashboard = importlib.util.find_spec("bokeh") is not None
    try:
        scheduler = Scheduler(
            host=f"{protocol}://{unparse_host_port(place.host)}",
            port=place.port,
            security=security,
            dashboard=has_dashboard,
            dashboard_address=unparse_host_port(shown, place.dashboard),
        )
        await scheduler
    except (OSError, RuntimeError) as error:
        raise _cannot_start(place, error.__cause__ or error) from None
    try:
        host = LOOPBACK if protocol == "tls" else get_address_host(scheduler.address)
        _, port = get_tcp_server_address(scheduler.http_server)
        link = format_dashboard_link(host, port) if has_dashboard else ""
        tell(Addresses(scheduler.address, link))
        await scheduler.finished()
    finally:
        await scheduler.close()
    raise FiresteelError(f"A client ended the scheduler at {scheduler.address}.")


def _check_bindable(place: Place) -> None:
    """Dask's own errors do not say which of its two ports they are about."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            place.host, place.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except (OSError, UnicodeError) as error:
        raise _cannot_start(place, error) from None


def _cannot_start(place: Place, error: BaseException) -> FiresteelError:
    number = error.errno if isinstance(error, OSError) else None
    if number == errno.EADDRINUSE:
        return FiresteelError(
            f"Port {place.port} of {place.host} is in use; --port takes another one, and 0 any "
            "that is free."
        )
    if isinstance(error, socket.gaierror | UnicodeError) or number == errno.EADDRNOTAVAIL:
        return FiresteelError(
            f"`{place.host}` is no address of this machine; --host takes one, or 0.0.0.0 for all."
        )
    reason = reason_of(error) if isinstance(error, OSError | ValueError) else str(error)
    return FiresteelError(f"No scheduler can start at port {place.port} of {place.host}: {reason}.")


def _allow_many_connections() -> None:
    """As many files as the system lets this process have: each worker takes several."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
