# SPDX-License-Identifier: Apache-2.0
"""Ready-made configurations leave each program its own groups for the key exchange.

Each program is asked with the provider and its ready-made file, and without both.
"""

import contextlib
import socket
import struct
import threading
from collections.abc import Iterator

from scenes import haproxy, nginx, openssh, openvpn, process, stage, web
from scenes.cells import Cells
from scenes.errors import SceneError
from scenes.side import Side, pair

_GROUPS = (
    "X25519MLKEM768",
    "SecP256r1MLKEM768",
    "SecP384r1MLKEM1024",
    "MLKEM768",
    "X25519",
    "X448",
    "P-256",
    "P-384",
    "P-521",
    "ffdhe2048",
    "ffdhe3072",
)
"""As OpenSSL calls them.  One that a release does not know is offered by nobody."""

_HYBRID = "X25519MLKEM768"
_HYBRID_NUMBER = "11ec"
"""In a ClientHello (IANA's registry of TLS's groups)."""

_HYBRIDS_SINCE = (3, 5)
"""OpenSSL that has the hybrid, and prefers it."""

_RECORD_HEAD = 5
_SUPPORTED_GROUPS = 10
"""The extension of a ClientHello (RFC 8446, 4.2.7)."""


def play(cells: Cells) -> None:
    """The scene."""
    ours, theirs = pair("groups")
    with cells.cell("nginx takes the groups that it takes by itself", ours, None):
        _compare(*(_of_nginx(side, theirs) for side in (ours, theirs)), hybrid=_HYBRID)
    with cells.cell("HAProxy takes the groups that it takes by itself", ours, None):
        _compare(*(_of_haproxy(side, theirs) for side in (ours, theirs)))
    with cells.cell("curl offers the groups that it offers by itself", ours, None):
        _compare(*(_of_curl(side, theirs) for side in (ours, theirs)))
    with cells.cell("OpenVPN offers the groups that it offers by itself", ours, None):
        _compare(*(_of_openvpn(side, theirs) for side in (ours, theirs)), hybrid=_HYBRID_NUMBER)
    for program in ("ssh", "sshd"):
        with cells.cell(f"{program} has the key exchanges that it has by itself", ours, None):
            _compare(*(openssh.exchanges(program, side, theirs) for side in (ours, theirs)))
    with cells.cell("nginx and curl with groups of their own", ours, theirs, "gcm", later="x25519"):
        _converse(ours, theirs)


def _compare(ours: list[str], theirs: list[str], *, hybrid: str = "") -> None:
    if not theirs or ours != theirs:
        raise SceneError(f"{ours} with the provider, {theirs} without")
    if hybrid and stage.openssl_version() >= _HYBRIDS_SINCE and hybrid not in ours:
        raise SceneError(f"{hybrid} is not among {ours}")


# ---- servers ----


def _of_nginx(side: Side, theirs: Side) -> list[str]:
    site = web.make_site(f"groups-nginx-{side.name}", side, theirs)
    with _serving(site, side, [*nginx.start(site), "-g", "daemon off;"], site.port):
        return _taken(site.port, theirs)


def _of_haproxy(side: Side, theirs: Side) -> list[str]:
    """Its site need not be there for a handshake."""
    site = web.make_site(f"groups-haproxy-{side.name}", theirs, theirs)
    port = process.free_port()
    with _serving(site, side, [*haproxy.start(site, side, port), "-db"], port):
        return _taken(port, theirs)


@contextlib.contextmanager
def _serving(site: web.Site, side: Side, command: list[str], port: int) -> Iterator[None]:
    with process.server(site.directory.name, side, command) as server:
        server.wait_until(process.listening(port), "does not listen")
        yield


def _taken(port: int, theirs: Side) -> list[str]:
    """The groups with which a server shakes hands."""
    return [each for each in _GROUPS if web.shakes_hands(theirs, port, "-tls1_3", "-groups", each)]


# ---- clients ----


def _of_curl(side: Side, theirs: Side) -> list[str]:
    """The numbers of the groups in its ClientHello, in order."""
    authority = web.make_site(f"groups-curl-{side.name}", theirs, theirs).authority
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(process.TIMEOUT_S)
        port = listener.getsockname()[1]
        hellos: list[bytes] = []
        answering = threading.Thread(target=_hang_up, args=(listener, hellos))
        answering.start()
        with contextlib.suppress(SceneError):
            web.curl(side, f"https://127.0.0.1:{port}/", authority=authority)
        answering.join(process.TIMEOUT_S)
    if not hellos:
        raise SceneError("curl does not call")
    return _groups_in(hellos[0])


def _hang_up(listener: socket.socket, hellos: list[bytes]) -> None:
    """Keeps the first record of whoever calls, who gets no answer."""
    with contextlib.suppress(TimeoutError):
        connection, _ = listener.accept()
        with connection, connection.makefile("rb") as stream:
            head = stream.read(_RECORD_HEAD)
            hellos.append(stream.read(struct.unpack(">H", head[3:5])[0]))


def _of_openvpn(side: Side, theirs: Side) -> list[str]:
    """The same of OpenVPN's client, whose messages of TLS are in packets."""
    hello = openvpn.hello(f"groups-openvpn-{side.name}", side, theirs)
    return _groups_in(hello[_RECORD_HEAD:])


def _groups_in(hello: bytes) -> list[str]:
    """The named groups of a ClientHello, in hexadecimal."""
    at = 4 + 2 + 32  # the head of the message, version and random bytes
    at += 1 + hello[at]  # session
    at += 2 + struct.unpack_from(">H", hello, at)[0]  # suites
    at += 1 + hello[at]  # compression
    at += 2
    while at < len(hello):
        kind, size = struct.unpack_from(">HH", hello, at)
        at += 4
        if kind == _SUPPORTED_GROUPS:
            return [
                f"{group:04x}" for (group,) in struct.iter_unpack(">H", hello[at + 2 : at + size])
            ]
        at += size
    raise SceneError("a ClientHello offers no groups")


# ---- together ----


def _converse(ours: Side, theirs: Side) -> None:
    """Cores do the classical half of a hybrid, where there is one."""
    hybrid = ["--curves", _HYBRID] if stage.openssl_version() >= _HYBRIDS_SINCE else []
    site = web.make_site("groups-together", ours, theirs)
    command = [*nginx.start(site), "-g", "daemon off;"]
    with _serving(site, ours, command, site.port):
        web.fetch(theirs, site, "--tlsv1.3", *hybrid)
