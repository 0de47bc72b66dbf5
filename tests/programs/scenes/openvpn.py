# SPDX-License-Identifier: Apache-2.0
"""OpenVPN between two network namespaces: pings and files through the tunnel, with new keys."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

from scenes import content, process, stage
from scenes.cells import Cells
from scenes.errors import SceneError
from scenes.pki import Authority
from scenes.side import CONFIGURATIONS, Side, pair

_SIZE = 3_000_000
_PORT = 1194
_WEB_PORT = 8080
_RENEW_S = 3

_ENDS = {"left": "10.9.0.1", "right": "10.9.0.2"}
_TUNNEL = {"left": "10.8.0.1", "right": "10.8.0.2"}
"""The server is on the left."""

_MODES = {
    # Ready-made file → what cores do for it; and the cipher that is then reported
    "firesteel-cbc": (("cbc", "hmac"), "AES-256-CBC"),
    "firesteel-gcm": (("gcm",), "AES-256-GCM"),
}


def play(cells: Cells) -> None:
    """The scene."""
    stage.wire("left", "right")
    for mode, (kinds, cipher) in _MODES.items():
        for name in ("server", "client"):
            ours, theirs = pair(f"{mode}-{name}")
            here, there = (ours, theirs) if name == "server" else (theirs, ours)
            cell = f"OpenVPN, {mode}.conf, {name} ours"
            with cells.cell(cell, ours, theirs, *kinds, later="ecdsa"):
                _converse(mode, cipher, here, there, theirs)


def _converse(mode: str, cipher: str, here: Side, there: Side, theirs: Side) -> None:
    directory = Path("/tmp") / f"openvpn-{here.name}"
    authority = Authority(directory, theirs)
    for name in _ENDS:
        authority.identity(name, "ec")
        (directory / f"{name}.conf").write_text(_configuration(directory, name, mode))
    digest = content.make(directory / "sent", _SIZE)
    with _end(directory, "left", here) as server, _end(directory, "right", there) as client:
        for end in (server, client):
            end.wait_until(_said(end, "Initialization Sequence Completed"), "no tunnel comes")
        ping = ["ping", "-c", "3", "-i", "0.2", "-s", "1300", _TUNNEL["left"]]
        process.run(theirs, ping, space="right")
        for source, target in (("left", "right"), ("right", "left")):
            _send(directory, digest, theirs, source, target)
        # With new keys, which come meanwhile, too
        server.wait_until(_said(server, "Outgoing Data Channel", 2), "no new keys come")
        _send(directory, digest, theirs, "left", "right")
        if cipher not in server.whole_log:
            raise SceneError(f"{cipher} is not what was agreed on")


def _configuration(directory: Path, name: str, mode: str) -> str:
    other = "right" if name == "left" else "left"
    role = "tls-server\ndh none" if name == "left" else f"tls-client\nremote {_ENDS[other]} {_PORT}"
    return f"""
config {CONFIGURATIONS}/openvpn/{mode}.conf
dev tun
proto udp
local {_ENDS[name]}
port {_PORT}
ifconfig {_TUNNEL[name]} {_TUNNEL[other]}
{role}
ca {directory}/authority.crt
cert {directory}/{name}.crt
key {directory}/{name}.key
reneg-sec {_RENEW_S}
verb 4
user nobody
group nogroup
persist-key
persist-tun
"""


@contextlib.contextmanager
def _end(directory: Path, name: str, side: Side) -> Iterator[process.Server]:
    command = ["openvpn", "--config", str(directory / f"{name}.conf")]
    with process.server(f"{directory.name}-{name}", side, command, name) as openvpn:
        yield openvpn


def _send(directory: Path, digest: str, theirs: Side, source: str, target: str) -> None:
    """A file through the tunnel, in the clear but for it."""
    command = ["python3", "-u", "-m", "http.server", "--bind", _TUNNEL[source], str(_WEB_PORT)]
    command += ["--directory", str(directory)]
    with process.server(f"{directory.name}-web", theirs, command, source) as web:
        url = f"http://{_TUNNEL[source]}:{_WEB_PORT}/sent"
        fetch = ["curl", "--disable", "--silent", "--show-error", "--fail", "--max-time", "50"]
        web.wait_until(_said(web, "Serving HTTP"), "does not begin")
        got = process.run(theirs, [*fetch, url], space=target)
        content.check(got, digest, f"from {source} to {target}")


def _said(end: process.Server, text: str, times: int = 1) -> Callable[[], bool]:
    return lambda: end.whole_log.count(text) >= times
