# SPDX-License-Identifier: Apache-2.0
"""All protocols.  Nothing else lists them, or knows one by its name."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BeforeValidator

from firesteel.base.errors import FiresteelError
from firesteel.model.cell import NO_TUNNEL, Cell
from firesteel.protocols.between_hosts import NONE
from firesteel.protocols.crypto_api import CRYPTO_API
from firesteel.protocols.disk import DM_CRYPT, FSCRYPT
from firesteel.protocols.https import HTTPS, KTLS
from firesteel.protocols.ipsec import IKE, IPSEC, IPSEC_USER_SPACE
from firesteel.protocols.openssl import BARE_BOARD, OPENSSL
from firesteel.protocols.openvpn import (
    OPENVPN,
    OPENVPN_DCO,
    OPENVPN_DCO_BATCHES,
    OPENVPN_HYBRID,
    OPENVPN_HYBRID_P256,
    OPENVPN_TLS13,
)
from firesteel.protocols.protocol import Protocol
from firesteel.protocols.ssh import SSH, SSHD
from firesteel.protocols.web_servers import (
    HAPROXY,
    LIGHTTPD,
    LIGHTTPD_P256,
    NGINX,
    NGINX_HYBRID,
    NGINX_HYBRID_P256,
)
from firesteel.protocols.wireguard import WIREGUARD, WIREGUARD_GO

PROTOCOLS: tuple[Protocol, ...] = (
    NONE,
    OPENVPN,
    OPENVPN_DCO,
    OPENVPN_DCO_BATCHES,
    IPSEC,
    SSH,
    HTTPS,
    KTLS,
    NGINX,
    NGINX_HYBRID,
    NGINX_HYBRID_P256,
    HAPROXY,
    LIGHTTPD,
    LIGHTTPD_P256,
    OPENVPN_TLS13,
    OPENVPN_HYBRID,
    OPENVPN_HYBRID_P256,
    IKE,
    SSHD,
    OPENSSL,
    CRYPTO_API,
    DM_CRYPT,
    FSCRYPT,
    WIREGUARD,
    WIREGUARD_GO,
    IPSEC_USER_SPACE,
    BARE_BOARD,
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
