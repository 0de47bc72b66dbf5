# SPDX-License-Identifier: Apache-2.0
"""A Dask scheduler, which hands tasks of clients to workers; and how it is reached: by its address,
with TLS by three files or Dask's own settings.
"""

import errno
import importlib.util
import logging
import resource
import socket
import ssl
import warnings
from collections.abc import Callable

from distributed import Scheduler
from distributed.comm.addressing import (
    get_address_host,
    parse_address,
    parse_host_port,
    unparse_host_port,
)
from distributed.comm.registry import get_backend
from distributed.comm.utils import get_tcp_server_address
from distributed.security import Security
from distributed.utils import format_dashboard_link

from firesteel.base.errors import FiresteelError, RequestError, reason_of, shortened
from firesteel.machines.task import Tls

LOOPBACK = "127.0.0.1"


async def serve(
    host: str, port: int, dashboard_port: int, security: Security, tell: Callable[[str, str], None]
) -> None:
    """Hands out tasks until cancelled, at that address or name of this machine; 0 is any port that
    is free.  When workers and clients may connect, `tell` is called with their address and the
    address of Dask's dashboard, which is empty if there is no dashboard.

    Raises `FiresteelError` when it cannot start, or a client ended it.

    The dashboard has no TLS, so a scheduler with TLS serves it only on this machine.
    """
    protocol = "tls" if security.require_encryption else "tcp"
    if protocol == "tls" and security.get_listen_args("scheduler")["ssl_context"] is None:
        raise RequestError("Encryption needs --tls-ca, --tls-cert and --tls-key.")
    _check_bindable(host, port)
    # As many files as the system lets this process have: each worker takes several.
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    shown = LOOPBACK if protocol == "tls" else host
    has_dashboard = importlib.util.find_spec("bokeh") is not None
    try:
        scheduler = Scheduler(
            host=f"{protocol}://{unparse_host_port(host)}",
            port=port,
            security=security,
            dashboard=has_dashboard,
            dashboard_address=unparse_host_port(shown, dashboard_port),
        )
        await scheduler
    except (OSError, RuntimeError) as error:
        raise _cannot_start(host, port, error.__cause__ or error) from None
    try:
        seen = LOOPBACK if protocol == "tls" else get_address_host(scheduler.address)
        _, found = get_tcp_server_address(scheduler.http_server)
        tell(scheduler.address, format_dashboard_link(seen, found) if has_dashboard else "")
        await scheduler.finished()
    finally:
        await scheduler.close()
    raise FiresteelError(f"A client ended the scheduler at {scheduler.address}.")


def _cannot_start(host: str, port: int, error: BaseException) -> FiresteelError:
    if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
        return FiresteelError(
            f"Port {port} of {host} is in use; --port takes another one, and 0 any that is free."
        )
    reason = reason_of(error) if isinstance(error, OSError | ValueError) else str(error)
    return FiresteelError(
        f"No scheduler can start at port {port} of `{host}`: {reason}; --host takes an "
        "address of this machine, or 0.0.0.0 for all."
    )


def _check_bindable(host: str, port: int) -> None:
    """Dask's own errors do not say which of its two ports they are about."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except (OSError, UnicodeError) as error:
        raise _cannot_start(host, port, error) from None


def quiet() -> None:
    """Keeps Dask's messages and warnings from standard error, in this whole process: they are for
    developers of Dask, and our sentences say the same for our users.
    """
    theirs = ("distributed", "tornado", "asyncio", "dask")
    for name in [*theirs, *logging.root.manager.loggerDict]:
        if name.split(".")[0] in theirs:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    for name in theirs:
        warnings.filterwarnings("ignore", module=name)


def security_of(tls: Tls) -> Security:
    """The security settings for Dask; without files Dask's own configuration counts.

    Raises `FiresteelError` when a file is missing or wrong.
    """
    files = {f"--{name.replace('_', '-')}": path for name, path in vars(tls).items()}
    given = {option: path for option, path in files.items() if path is not None}
    if not given:
        return Security()
    if missing := sorted(files.keys() - given.keys()):
        raise RequestError(f"TLS needs {', '.join(files)}; missing: {', '.join(missing)}.")
    ca, certificate, key = (str(path) for path in given.values())
    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(ca)
        context.load_cert_chain(certificate, key)
    except (OSError, ValueError) as error:  # Errors of TLS are among these.
        told = " ".join(f"{option} {path}" for option, path in given.items())
        raise FiresteelError(f"{told}: {reason_of(error)}; each is a file in PEM.") from None
    return Security(
        require_encryption=True,
        tls_ca_file=ca,
        tls_client_cert=certificate,
        tls_client_key=key,
        tls_worker_cert=certificate,
        tls_worker_key=key,
        tls_scheduler_cert=certificate,
        tls_scheduler_key=key,
    )


def address_of(text: str, security: Security) -> str:
    """An address in Dask's form, such as `tcp://HOST:8786`.

    Raises `RequestError` when it is none, or needs TLS files that were not given.

    Without a scheme it is `tls://` where encryption is required, else `tcp://`.
    """
    if "://" not in text:
        text = f"{'tls' if security.require_encryption else 'tcp'}://{text}"
    try:
        scheme, place = parse_address(text)
        get_backend(scheme)
        host, port = parse_host_port(place)
        if not host or not 0 < int(port) < 1 << 16:
            raise ValueError
    except ValueError:
        raise RequestError(
            f"`{shortened(text)}` is not an address of a Dask scheduler; allowed are HOST:PORT, "
            "tcp://HOST:PORT and tls://HOST:PORT."
        ) from None
    if scheme == "tls" and security.get_connection_args("client")["ssl_context"] is None:
        raise RequestError(f"{text} needs --tls-ca, --tls-cert and --tls-key.")
    return text


def no_answer(address: str, seconds: float) -> str:
    """What is said when nobody answers there."""
    return (
        f"No Dask scheduler answers at {address} within {seconds:g} s; start one with `firesteel "
        "machines`, or see that address, firewall and TLS files are right."
    )
