# SPDX-License-Identifier: Apache-2.0
"""How a Dask scheduler is reached: its address, and TLS with three files or Dask's own settings."""

import ssl
from pathlib import Path

from distributed.comm.addressing import parse_address, parse_host_port
from distributed.comm.registry import get_backend
from distributed.security import Security

from firesteel.base.errors import FiresteelError, RequestError, reason_of, shortened
from firesteel.machines.tls import Tls


def security_of(tls: Tls) -> Security:
    """What Dask is told; without files Dask's own configuration counts.

    Raises `FiresteelError` when a file is missing or wrong.
    """
    files = {
        "--tls-ca": tls.authority,
        "--tls-cert": tls.certificate,
        "--tls-key": tls.key,
    }
    given = {option: path for option, path in files.items() if path is not None}
    if not given:
        return Security()
    if missing := sorted(files.keys() - given.keys()):
        raise RequestError(f"TLS needs {', '.join(files)}; missing: {', '.join(missing)}.")
    for option, path in given.items():
        _check_readable(option, path)
    _check_pair(tls)
    ca, certificate, key = (str(path) for path in given.values())
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


def _check_readable(option: str, path: Path) -> None:
    try:
        path.read_bytes()
    except (OSError, ValueError) as error:
        raise FiresteelError(f"{option} {path}: {reason_of(error)}.") from None


def _check_pair(tls: Tls) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.load_verify_locations(str(tls.authority))
    except ssl.SSLError:
        raise FiresteelError(f"--tls-ca {tls.authority}: no certificate in PEM.") from None
    try:
        context.load_cert_chain(str(tls.certificate), str(tls.key))
    except ssl.SSLError:
        raise FiresteelError(
            f"--tls-cert {tls.certificate} and --tls-key {tls.key}: not a certificate in PEM with "
            "its key."
        ) from None


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
