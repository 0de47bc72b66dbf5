# SPDX-License-Identifier: Apache-2.0
"""OpenVPN between two network namespaces: pings and files through the tunnel, with new keys, with
cores that end, and with forged packets.
"""

import contextlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from scenes import content, faults, process, relay, stage
from scenes.cells import Cells
from scenes.errors import SceneError
from scenes.pki import Authority, Identity
from scenes.side import CONFIGURATIONS, Side, pair

_SIZE = 3_000_000
_PORT = 1194
_WEB_PORT = 8080
_RENEW_S = 3
_UP = "Initialization Sequence Completed"

_READY = CONFIGURATIONS / "openvpn"
_CONTROL = 4
"""Opcode of packets with TLS: P_CONTROL_V1.  Behind it and the session are acknowledgements, with
the other's session if there are any, then a number and the payload (OpenVPN's ssl_pkt.h)."""

_SESSION = 9
_DATA = (6, 9)
"""Opcodes of packets with data: P_DATA_V1 and P_DATA_V2."""

_FORGED_OF = 50
_GOES_AT = 1000
_NO_SIZE = "0 bits X25519"

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
        for failing in faults.sides(f"openvpn-{mode}", _GOES_AT):
            cell = f"OpenVPN, {mode}.conf, {failing.said}"
            with cells.cell(cell, failing.ours, failing.theirs, *kinds):
                _go_on(mode, failing.here, failing.there, failing.theirs)
        _forge(cells, mode, kinds)
    _plain_x25519(cells)


def hello(name: str, side: Side, theirs: Side) -> bytes:
    """The client's first record of TLS, to a server on `theirs`, without a tunnel."""
    directory, packets = Path("/tmp") / name, _Hello()
    authority, port = Authority(directory, theirs), process.free_port()
    with relay.datagrams(packets, ("127.0.0.1", port)) as way:
        ends = {
            "server": (theirs, f"tls-server\ndh none\nlocal 127.0.0.1\nport {port}"),
            "client": (side, f"tls-client\nnobind\nremote 127.0.0.1 {way}"),
        }
        with contextlib.ExitStack() as stack:
            for end, (of, role) in ends.items():
                made = authority.identity(end, "ec")
                ready = f"config {_READY}/firesteel-gcm.conf\n" if of.provider else ""
                text = f"{ready}dev null\n{role}\n{_identified(authority, made)}"
                (directory / f"{end}.conf").write_text(text)
                running = stack.enter_context(_end(directory, end, of, ""))
            running.wait_until(packets.whole, "sends no ClientHello")
    return packets.record


class _Hello:
    """Gathers the client's control packets, whose payload is TLS's."""

    def __init__(self) -> None:
        self._payloads: dict[int, bytes] = {}

    def __call__(self, packet: bytes, is_client: bool) -> bytes:
        if is_client and packet[0] >> 3 == _CONTROL:
            acknowledged = packet[_SESSION]
            at = _SESSION + 1 + (4 * acknowledged + 8 if acknowledged else 0)
            self._payloads[int.from_bytes(packet[at : at + 4])] = packet[at + 4 :]
        return packet

    @property
    def record(self) -> bytes:
        """What has come, in order."""
        return b"".join(self._payloads[number] for number in sorted(self._payloads))

    def whole(self) -> bool:
        """Whether a first record is in it."""
        record = self.record
        return len(record) >= 5 and len(record) >= 5 + int.from_bytes(record[3:5])


def _converse(mode: str, cipher: str, here: Side, there: Side, theirs: Side) -> None:
    with _tunnel(mode, here, there, theirs) as tunnel:
        ping = ["ping", "-c", "3", "-i", "0.2", "-s", "1300", _TUNNEL["left"]]
        process.run(theirs, ping, space="right")
        tunnel.send_both_ways()
        # With new keys, which come meanwhile, too
        tunnel.server.wait_until(
            _said(tunnel.server, "Outgoing Data Channel", 2), "no new keys come"
        )
        tunnel.send("left", "right")
        if cipher not in tunnel.server.whole_log:
            raise SceneError(f"{cipher} is not what was agreed on")


def _go_on(mode: str, here: Side, there: Side, theirs: Side) -> None:
    """Files come as if nothing was: no packet is refused, and the connection is the first one."""
    with _tunnel(mode, here, there, theirs) as tunnel:
        tunnel.send_both_ways()
        for end in (tunnel.server, tunnel.client):
            if _refusals(end) or end.whole_log.count(_UP) != 1:
                raise SceneError(f"{end.name} has lost something")


def _forge(cells: Cells, mode: str, kinds: tuple[str, ...]) -> None:
    """Packets are changed on the way: both ends refuse them in the same words, and TCP goes on."""
    for name in ("server", "client"):
        ours, theirs = pair(f"{mode}-forged-{name}")
        here, there = (ours, theirs) if name == "server" else (theirs, ours)
        cell = f"OpenVPN, {mode}.conf, forged packets, {name} ours"
        forger = _Forger()
        with (
            cells.cell(cell, ours, theirs, *kinds),
            relay.datagrams(forger, (_ENDS["left"], _PORT), _ENDS["left"], "left") as port,
            _tunnel(mode, here, there, theirs, port=port) as tunnel,
        ):
            tunnel.send_both_ways()
            said = [_refusals(end) for end in (tunnel.server, tunnel.client)]
            if not said[0] or said[0] != said[1]:
                raise SceneError(f"of {forger.forged} forged packets the ends say {said}")


class _Forger:
    """Changes one data packet in `_FORGED_OF`."""

    def __init__(self) -> None:
        self.forged = 0
        self._packets = 0

    def __call__(self, packet: bytes, _is_client: bool) -> bytes:
        self._packets += packet[0] >> 3 in _DATA
        if packet[0] >> 3 not in _DATA or self._packets % _FORGED_OF:
            return packet
        self.forged += 1
        return relay.spoilt(packet)


def _plain_x25519(cells: Cells) -> None:
    """Both ends agree on X25519, and tell the size of the key that has come from the other."""
    for name in ("server", "client"):
        ours, theirs = pair(f"openvpn-x25519-{name}")
        here, there = (ours, theirs) if name == "server" else (theirs, ours)
        cell = f"OpenVPN, X25519 alone, {name} ours"
        with (
            cells.cell(cell, ours, theirs, "gcm", later="x25519"),
            _tunnel("firesteel-gcm", here, there, theirs, "tls-groups X25519") as tunnel,
        ):
            tunnel.send_both_ways()
            for end in (tunnel.server, tunnel.client):
                if "X25519" not in end.whole_log or _NO_SIZE in end.whole_log:
                    raise SceneError(f"{end.name} has no X25519, or a key without a size")


@dataclass(frozen=True)
class _Tunnel:
    """Both ends of a tunnel that is up, and a file."""

    directory: Path
    digest: str
    server: process.Server
    client: process.Server
    theirs: Side

    def send_both_ways(self) -> None:
        """The file, one way and then the other."""
        self.send("left", "right")
        self.send("right", "left")

    def send(self, source: str, target: str) -> None:
        """The file, in the clear but for the tunnel."""
        command = ["python3", "-u", "-m", "http.server", "--bind", _TUNNEL[source], str(_WEB_PORT)]
        command += ["--directory", str(self.directory)]
        name = f"{self.directory.name}-web"
        with process.server(name, self.theirs, command, source) as web:
            url = f"http://{_TUNNEL[source]}:{_WEB_PORT}/sent"
            fetch = ["curl", "--disable", "--silent", "--show-error", "--fail", "--max-time", "50"]
            web.wait_until(_said(web, "Serving HTTP"), "does not begin")
            got = process.run(self.theirs, [*fetch, url], space=target)
            content.check(got, self.digest, f"from {source} to {target}")


@contextlib.contextmanager
def _tunnel(
    mode: str, here: Side, there: Side, theirs: Side, options: str = "", port: int = _PORT
) -> Iterator[_Tunnel]:
    """The server is `here`; the client has `options`, too, and goes to `port`."""
    directory = Path("/tmp") / f"openvpn-{here.name}"
    authority = Authority(directory, theirs)
    for name, more in (("left", ""), ("right", options)):
        text = _configuration(authority, name, mode, port)
        (directory / f"{name}.conf").write_text(f"{text}{more}\n")
    digest = content.make(directory / "sent", _SIZE)
    with (
        _end(directory, "left", here, "left") as server,
        _end(directory, "right", there, "right") as client,
    ):
        for end in (server, client):
            end.wait_until(_said(end, _UP), "no tunnel comes")
        yield _Tunnel(directory, digest, server, client, theirs)


def _identified(authority: Authority, own: Identity) -> str:
    return f"ca {authority.certificate}\ncert {own.certificate}\nkey {own.key}"


def _configuration(authority: Authority, name: str, mode: str, port: int) -> str:
    other = "right" if name == "left" else "left"
    role = "tls-server\ndh none" if name == "left" else f"tls-client\nremote {_ENDS[other]} {port}"
    return f"""
config {_READY}/{mode}.conf
dev tun
proto udp
local {_ENDS[name]}
port {_PORT}
ifconfig {_TUNNEL[name]} {_TUNNEL[other]}
{role}
{_identified(authority, authority.identity(name, "ec"))}
reneg-sec {_RENEW_S}
verb 4
user nobody
group nogroup
persist-key
persist-tun
"""


@contextlib.contextmanager
def _end(directory: Path, name: str, side: Side, space: str) -> Iterator[process.Server]:
    command = ["openvpn", "--config", str(directory / f"{name}.conf")]
    with process.server(f"{directory.name}-{name}", side, command, space) as openvpn:
        yield openvpn


def _refusals(end: process.Server) -> set[str]:
    """What it says of packets that are not genuine."""
    return set(re.findall(r"(?:Authenticate/|AEAD )Decrypt.* error: [\w ]+", end.whole_log))


def _said(end: process.Server, text: str, times: int = 1) -> Callable[[], bool]:
    return lambda: end.whole_log.count(text) >= times
