# SPDX-License-Identifier: Apache-2.0
"""All protocols.  Nothing else lists them, or knows one by its name."""

from typing import TYPE_CHECKING, Literal

from firesteel.base.errors import FiresteelError
from firesteel.model.cell import NO_TUNNEL, Cell
from firesteel.protocols.bare_board import BARE_BOARD
from firesteel.protocols.crypto_api import CRYPTO_API
from firesteel.protocols.dm_crypt import DM_CRYPT
from firesteel.protocols.fscrypt import FSCRYPT
from firesteel.protocols.haproxy import HAPROXY
from firesteel.protocols.https import HTTPS
from firesteel.protocols.ike import IKE
from firesteel.protocols.ipsec import IPSEC, IPSEC_USER_SPACE
from firesteel.protocols.ktls import KTLS
from firesteel.protocols.lighttpd import LIGHTTPD, LIGHTTPD_P256
from firesteel.protocols.nginx import NGINX, NGINX_HYBRID, NGINX_HYBRID_P256
from firesteel.protocols.none import NONE
from firesteel.protocols.openssl import OPENSSL
from firesteel.protocols.openvpn import OPENVPN, OPENVPN_HYBRID, OPENVPN_HYBRID_P256, OPENVPN_TLS13
from firesteel.protocols.openvpn_dco import OPENVPN_DCO, OPENVPN_DCO_BATCHES
from firesteel.protocols.protocol import Protocol
from firesteel.protocols.ssh import SSH
from firesteel.protocols.sshd import SSHD
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
