# SPDX-License-Identifier: Apache-2.0
"""All protocols.  Nothing else lists them, or knows one by its name."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BeforeValidator

from firesteel.base.errors import FiresteelError
from firesteel.model.cell import NO_TUNNEL, Cell
from firesteel.protocols import (
    between_hosts,
    crypto_api,
    disk,
    https,
    ipsec,
    openssl,
    openvpn,
    ssh,
    wireguard,
)
from firesteel.protocols.protocol import Protocol

PROTOCOLS: tuple[Protocol, ...] = (
    between_hosts.NONE,
    openvpn.OPENVPN,
    openvpn.OPENVPN_DCO,
    openvpn.OPENVPN_DCO_BATCHES,
    ipsec.IPSEC,
    ssh.SSH,
    https.HTTPS,
    https.KTLS,
    *https.WEB_SERVERS,
    *openvpn.OPENVPN_TODAY,
    ipsec.IKE,
    ssh.SSHD,
    openssl.OPENSSL,
    crypto_api.CRYPTO_API,
    disk.DM_CRYPT,
    disk.FSCRYPT,
    wireguard.WIREGUARD,
    wireguard.WIREGUARD_GO,
    ipsec.IPSEC_USER_SPACE,
    openssl.BARE_BOARD,
)

_BY_NAME = {protocol.name: protocol for protocol in PROTOCOLS}

ALIASES = {alias: protocol.name for protocol in PROTOCOLS for alias in protocol.aliases}
"""What people call some protocols."""

if TYPE_CHECKING:
    ProtocolName = str
else:
    ProtocolName = Literal[tuple(_BY_NAME)]
"""In a file: one of the names."""


def find(name: str) -> Protocol | None:
    """The protocol of that name, if it is one."""
    return _BY_NAME.get(name)


def protocol_named(name: str) -> Protocol:
    """The protocol of that name; `FiresteelError` when there is none."""
    if name not in _BY_NAME:
        known = ", ".join(each for each in _BY_NAME if each != NO_TUNNEL)
        raise FiresteelError(f"The protocol `{name}` is unknown; allowed are {known}.")
    return _BY_NAME[name]


def protocol_of(cell: Cell) -> Protocol:
    """The cell's protocol; `FiresteelError` when it is unknown."""
    return protocol_named(cell.protocol)


_ALL = tuple(dict.fromkeys(suite for protocol in PROTOCOLS for suite in protocol.suites))


def whole(text: str, suites: Iterable[str] = _ALL) -> str:
    """The suite of `suites` that a text names; the text where it is none of them, or several."""
    if ":" in text:
        return text
    found = [suite for suite in suites if f"none:{text}" == suite or suite.startswith(f"{text}:")]
    return found[0] if len(found) == 1 else text


def _whole(value: object) -> object:
    return whole(value) if isinstance(value, str) else value


Suite = Annotated[str, BeforeValidator(_whole)]
"""In a file."""
