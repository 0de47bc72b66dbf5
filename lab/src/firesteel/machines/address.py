# SPDX-License-Identifier: Apache-2.0
"""Where a Dask scheduler is."""

from distributed.comm.addressing import parse_address, parse_host_port
from distributed.comm.registry import get_backend
from distributed.security import Security

from firesteel.base.errors import RequestError, shortened


def address_of(text: str, security: Security) -> str:
    """An address as Dask has them, such as `tcp://HOST:8786`.

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
            f"`{shortened(text)}` is no address of a Dask scheduler; allowed are HOST:PORT, "
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
