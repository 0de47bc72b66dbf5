# SPDX-License-Identifier: Apache-2.0
"""strongSwan between two network namespaces: IKE, new keys, and data by the plugin kernel-libipsec.

With that plugin ESP is charon's own work, so it comes to OpenSSL, and the kernel needs no IPsec.
"""

import contextlib
import socket
from collections.abc import Iterator
from pathlib import Path

from scenes import process, relay, stage
from scenes.cells import Cells
from scenes.errors import SceneError
from scenes.pki import Authority
from scenes.side import CONFIGURATIONS, Side, pair

_ENDS = {"left": "10.9.0.1", "right": "10.9.0.2"}
_NETS = {"left": "10.1.0.1", "right": "10.2.0.1"}
"""What is behind each end: an address of its own."""

_MODES = {
    "cbc": (("aes256-sha256-ecp256", "aes256-sha256"), ("cbc", "digest"), "AES_CBC-256"),
    "gcm": (("aes256gcm16-prfsha256-ecp256", "aes256gcm16"), ("gcm", "digest"), "AES_GCM_16-256"),
}
"""What they propose, for IKE and data; what cores do; and how it is reported."""


_IKE_PORT = 500
_IKE_HEAD = 28
_PAYLOAD_HEAD = 4
_GROUP = 4
"""The type of transforms that are groups for the key exchange."""


def play(cells: Cells) -> None:
    """The scene."""
    stage.wire(*_ENDS)
    for name, address in _NETS.items():
        stage.do("ip", "-n", name, "address", "add", f"{address}/32", "dev", "lo")
    for mode, (proposals, kinds, reported) in _MODES.items():
        for role in ("responder", "initiator"):
            ours, theirs = pair(f"strongswan-{mode}-{role}")
            left, right = (ours, theirs) if role == "responder" else (theirs, ours)
            cell = f"strongSwan, {mode}, {role} ours"
            with cells.cell(cell, ours, theirs, *kinds, later="ecdh ecdsa"):
                _converse(ours.name, proposals, reported, left, right, theirs)
    ours, theirs = pair("strongswan-groups")
    with cells.cell("strongSwan offers the groups that it offers by itself", ours, None):
        offers = [_offer(side, theirs) for side in (ours, theirs)]
        if not offers[1] or offers[0] != offers[1]:
            raise SceneError(f"{offers[0]} with the provider, {offers[1]} without")


def _converse(
    name: str, proposals: tuple[str, str], reported: str, left: Side, right: Side, theirs: Side
) -> None:
    """The initiator is on the right."""
    directory = Path("/tmp") / name
    authority = Authority(directory, theirs)
    for end, side in (("left", left), ("right", right)):
        _write(directory / end, end, side, authority, proposals)
    with _charon(directory / "left", left) as one, _charon(directory / "right", right) as other:
        for end, charon in (("left", one), ("right", other)):
            charon.wait_until((directory / end / "vici").exists, "does not begin")
            _swanctl(theirs, directory / end, "--load-all", "--noprompt")
        _swanctl(theirs, directory / "right", "--initiate", "--child", "data", "--timeout", "20")
        _ping(theirs)
        _renew(theirs, directory / "right", "--child", "data")
        _renew(theirs, directory / "right", "--ike", "peer")
        _ping(theirs)
        said = _swanctl(theirs, directory / "left", "--list-sas")
        if f"  {reported}/" not in said or f"ESP:{reported}" not in said:
            raise SceneError(f"{reported} is not what IKE and data have: {said}")


def _offer(side: Side, theirs: Side) -> list[int]:
    """The numbers of the groups in an initiator's first message, which gets no answer."""
    directory = Path("/tmp") / f"offer-{side.name}"
    place = directory / "right"
    _write(place, "right", side, Authority(directory, theirs), ("default", "default"))
    with relay.socket_in("left", socket.SOCK_DGRAM) as peer, _charon(place, side) as charon:
        peer.settimeout(process.TIMEOUT_S)
        peer.bind((_ENDS["left"], _IKE_PORT))
        charon.wait_until((place / "vici").exists, "does not begin")
        _swanctl(theirs, place, "--load-all", "--noprompt")
        with contextlib.suppress(SceneError):
            _swanctl(theirs, place, "--initiate", "--child", "data", "--timeout", "1")
        return list(_groups_in(peer.recv(65_536)))


def _groups_in(message: bytes) -> Iterator[int]:
    """The groups of all proposals, in order (RFC 7296, 3.1 to 3.3.2)."""
    at = _IKE_HEAD + _PAYLOAD_HEAD
    proposing = True
    while proposing:
        proposing, transforms = message[at] != 0, message[at + 7]
        at += 8 + message[at + 6]
        for _ in range(transforms):
            if message[at + 4] == _GROUP:
                yield int.from_bytes(message[at + 6 : at + 8])
            at += int.from_bytes(message[at + 2 : at + 4])


def _write(
    place: Path, name: str, side: Side, authority: Authority, proposals: tuple[str, str]
) -> None:
    for directory in ("x509", "x509ca", "private"):
        (place / directory).mkdir(parents=True)
    identity = authority.identity(name, "ec", name)
    (place / "x509/own.pem").write_bytes(identity.certificate.read_bytes())
    (place / "private/own.pem").write_bytes(identity.key.read_bytes())
    (place / "x509ca/authority.pem").write_bytes(authority.certificate.read_bytes())
    (place / "strongswan.conf").write_text(_strongswan_conf(place, side))
    (place / "swanctl.conf").write_text(_swanctl_conf(name, side, proposals))


def _strongswan_conf(place: Path, side: Side) -> str:
    return f"""
charon {{
    load_modular = yes
    plugins {{
        include /etc/strongswan.d/charon/*.conf
        kernel-libipsec {{
            load = yes
        }}
        bypass-lan {{
            load = no
        }}
        vici {{
            socket = unix://{place}/vici
        }}
    }}
    filelog {{
        stderr {{
            default = 1
        }}
    }}
}}
{f"include {CONFIGURATIONS}/strongswan/firesteel.conf" if side.provider else ""}
"""


def _swanctl_conf(name: str, side: Side, proposals: tuple[str, str]) -> str:
    other = "right" if name == "left" else "left"
    included, peer, child = "", "", ""
    asked = (f"version = 2\nproposals = {proposals[0]}", f"esp_proposals = {proposals[1]}")
    if side.provider:
        included = f"include {CONFIGURATIONS}/strongswan/swanctl.conf"
        peer, child, asked = " : firesteel", " : firesteel-child", ("", "")
    return f"""
{included}
connections {{
    peer{peer} {{
        {asked[0]}
        local_addrs = {_ENDS[name]}
        remote_addrs = {_ENDS[other]}
        local {{
            auth = pubkey
            certs = own.pem
            id = {name}
        }}
        remote {{
            auth = pubkey
            id = {other}
        }}
        children {{
            data{child} {{
                {asked[1]}
                local_ts = {_NETS[name]}/32
                remote_ts = {_NETS[other]}/32
            }}
        }}
    }}
}}
"""


@contextlib.contextmanager
def _charon(place: Path, side: Side) -> Iterator[process.Server]:
    # Its process number goes to /run, which both ends would share
    script = "mount -t tmpfs tmpfs /run && exec /usr/lib/ipsec/charon"
    command = ["env", f"STRONGSWAN_CONF={place}/strongswan.conf"]
    command += ["unshare", "--mount", "sh", "-c", script]
    name = f"{place.parent.name}-{place.name}"
    with process.server(name, side, command, place.name) as charon:
        yield charon


def _swanctl(theirs: Side, place: Path, *words: str) -> str:
    command = ["env", f"SWANCTL_DIR={place}", f"STRONGSWAN_CONF={place}/strongswan.conf"]
    command += ["swanctl", *words, "--uri", f"unix://{place}/vici"]
    return process.run(theirs, command).decode()


def _renew(theirs: Side, place: Path, what: str, name: str) -> None:
    said = _swanctl(theirs, place, "--rekey", what, name)
    if "rekey completed successfully" not in said:
        raise SceneError(f"new keys for {what} {name}: {said}")


def _ping(theirs: Side) -> None:
    """With large packets through the tunnel."""
    ping = ["ping", "-c", "20", "-i", "0.01", "-W", "5", "-s", "1200", "-I", _NETS["right"]]
    process.run(theirs, [*ping, _NETS["left"]], space="right")
