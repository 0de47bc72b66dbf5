# SPDX-License-Identifier: Apache-2.0
"""OpenVPN with data channel offload (DCO): the program makes the tunnel and agrees on keys, and the
kernel encrypts packets and sends them, by the module `ovpn-dco-v2`: Debian's, which has one packet
under way, or the same with a patch of ours, by which it has several.
"""

import re
from collections.abc import Mapping

from firesteel.board.job import JobFile
from firesteel.board.profile import Profile
from firesteel.build.artifacts import DCO_MODULES
from firesteel.model.cell import Cell
from firesteel.protocols.between_hosts import Growth, beside_the_tunnel
from firesteel.protocols.failure import CellFailure
from firesteel.protocols.openvpn import OpenVpn
from firesteel.protocols.protocol import Built
from firesteel.protocols.setup import Setup, Step, by_driver

_MODULE = "/job/ovpn-dco-v2.ko"

_KIND = re.compile(r"^\s+ovpn-dco\b", re.MULTILINE)
"""What `ip -details link` says of a device that the module has made."""

_MOST_ADDED = 14 + 20 + 8 + 4 + 4 + 16
"""The most bytes that it adds to a packet on the wire: Ethernet, outer IPv4 and UDP headers, opcode
with peer, packet number, tag (`struct` and comment of ovpn_aead_encrypt in the module)."""


class _OpenVpnDco(OpenVpn):
    name = "openvpn-dco"
    title = "OpenVPN with DCO"
    aliases: tuple[str, ...] = ("dco", "ovpn-dco")
    suites = ("aes-256-gcm:gcm", "chacha20-poly1305:poly1305")
    variants = ()
    by_provider = False
    asks_kernel = True
    handshakes = None
    scripts = ("tunnel-openvpn.sh", "tunnel-openvpn-dco.sh")

    def script(self, cell: Cell) -> str:
        del cell
        return "openvpn-dco"

    def programs(self, built: Built) -> dict[str, JobFile]:
        return {_MODULE: JobFile((built.openvpn_dco.directory / DCO_MODULES[0]).read_bytes())}

    def check_path(self, cell: Cell, sections: Mapping[str, str]) -> None:
        """OpenVPN goes on without the kernel if that refuses."""
        if not _KIND.search(sections.get("device", "")):
            raise CellFailure(f"Cell {cell.label}: the kernel does not have OpenVPN's packets.")

    def further_counts(self, growth: Growth) -> dict[str, int]:
        """None: UDP does not count packets that the module takes."""
        del growth
        return {}

    def contradiction(self, proof: Mapping[str, int], way: str) -> str:
        return beside_the_tunnel(proof, way, _MOST_ADDED)

    def setup(self, cell: Cell, board: Profile | None) -> Setup:
        del board
        return by_driver(
            cell,
            "docs/openvpn-dco.md",
            self._module_step(),
            Step(
                "Add this to the configuration of both ends, which must not say `disable-dco`:",
                ("data-ciphers AES-256-GCM", "tun-mtu 1428"),
            ),
        )

    def _module_step(self) -> Step:
        return Step(
            "Install the module, from Debian's package, and load it:",
            ("apt install openvpn-dco-dkms", "modprobe ovpn-dco-v2"),
        )


class _OpenVpnDcoBatches(_OpenVpnDco):
    """With the patch."""

    name = "openvpn-dco-batches"
    title = "OpenVPN with DCO in batches"
    aliases = ()

    def programs(self, built: Built) -> dict[str, JobFile]:
        return {_MODULE: JobFile((built.openvpn_dco.directory / DCO_MODULES[1]).read_bytes())}

    def _module_step(self) -> Step:
        return Step(
            "Install the module, from Debian's package, and patch it as the page says under "
            "“Packets in batches”:",
            ("apt install openvpn-dco-dkms",),
        )


OPENVPN_DCO = _OpenVpnDco()
OPENVPN_DCO_BATCHES = _OpenVpnDcoBatches()
