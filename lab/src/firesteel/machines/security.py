# SPDX-License-Identifier: Apache-2.0
"""How the wire is protected: TLS with three files, or Dask's own settings."""

import ssl
from pathlib import Path

from distributed.security import Security

from firesteel.base.errors import FiresteelError, RequestError, reason_of
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
