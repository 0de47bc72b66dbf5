# SPDX-License-Identifier: Apache-2.0
"""The settings of a node's job scripts: shell variables, and the tunnel programs' files."""

from collections.abc import Mapping

from firesteel.base.errors import FiresteelError
from firesteel.board.job import JobFile
from firesteel.board.network import addresses
from firesteel.board.plan import Plan
from firesteel.board.profile import Profile
from firesteel.board.topology import Topology
from firesteel.board.tunnels import Tunnel
from firesteel.model.cell import Cell, Habit
from firesteel.protocols import pki, ssh, user_space
from firesteel.protocols.kernel import driver_module, kernel_software
from firesteel.protocols.secrets import derive, seeded
from firesteel.protocols.site import Site, start_offset
from firesteel.protocols.variables import settings_file
from firesteel.workloads.transfer import FILES_BY, STEADY

_FIRST_ORDERS_PORT = 7000
_KEY_BYTES = 32

_OPENVPN: Mapping[tuple[str, str], tuple[str, str]] = {
    ("none", "none"): ("none", "none"),
    ("aes-256-cbc", "none"): ("AES-256-CBC", "none"),
    ("aes-256-cbc", "sha256"): ("AES-256-CBC", "SHA256"),
    ("aes-256-gcm", "gcm"): ("AES-256-GCM", "SHA256"),
}
"""--data-ciphers and --auth; with GCM the latter counts for the handshake's packets alone."""

_ESP_MANUAL = {("none", "none"): "ecb(cipher_null)", ("aes-256-cbc", "none"): "cbc(aes)"}
"""The kernel's name of the cipher where keys are set by hand, as IKEv2 refuses these."""

_ESP_IKE = {("aes-256-cbc", "sha256"): "aes256-sha256", ("aes-256-gcm", "gcm"): "aes256gcm16"}
"""strongSwan's ESP proposals: HMAC-SHA-256 cut to 128 bits, or GCM with a 16-byte ICV."""

_OF_MEASURED: Mapping[Habit, bool] = {
    "openvpn-buffers": True,
    "no-neon": True,
    "no-gro": True,
    "slow-tun": False,
    "af-alg": True,
    "core-only": True,
}
"""Whose habits they are: the measured node's, or all others'."""

_CHILD = """\
# SPDX-License-Identifier: Apache-2.0
connections {{
	tunnel {{
		version = 2
		local_addrs = {here}
		remote_addrs = {there}
		proposals = aes256-sha256-ecp256
		local {{
			auth = pubkey
			certs = node.pem
		}}
		remote {{
			auth = pubkey
			id = "{peer}"
		}}
		children {{
			tunnel {{
				mode = tunnel
				local_ts = {network_here}
				remote_ts = {network_there}
				esp_proposals = {proposal}
			}}
		}}
	}}
}}
"""


_TUNNELS: Mapping[str, Mapping[tuple[str, str], str]] = {
    "none": {("none", "none"): "none"},
    "ssh": dict.fromkeys(ssh.ALGORITHMS, "none"),
    "openvpn": dict.fromkeys(_OPENVPN, "openvpn"),
    "ipsec": dict.fromkeys(_ESP_MANUAL, "esp-manual") | dict.fromkeys(_ESP_IKE, "esp-ike"),
}
"""Which script sets a tunnel up, by protocol and suite."""


def settings(cell: Cell, site: Site, plan: Plan, node: str) -> JobFile:
    """The file `/job/settings` of a node; board/jobs/run.sh says what each variable means."""
    topology, profile = site.topology, site.measured(cell)
    others = [name for name in topology.nodes if name != plan.client]
    ports = {name: _FIRST_ORDERS_PORT + topology.index(name) for name in others}
    variables: dict[str, str] = {
        "PART": {plan.client: "client", plan.server: "server"}.get(node, "none"),
        "CLIENT": addresses(topology)[plan.client],
        "ORDERS_PORT": str(ports.get(node, "")),
        "ORDERS_PORTS": " ".join(str(port) for port in ports.values()),
        "TARGET": plan.target,
        "PING_SIZES": " ".join(str(size) for size in cell.ping.sizes) if cell.ping else "",
        "PING_COUNT": str(cell.ping.count) if cell.ping else "0",
        "TRANSFER_SIZES": " ".join(map(str, cell.transfer.sizes)) if cell.transfer else "",
        "STEADY": str(STEADY),
        "TRANSFER": FILES_BY[cell.protocol],
        "TUNNEL": "none",
        "AS_IN_2015": " ".join(_habits(cell, node)),
        **_kernel_software(cell, node),
        **start_offset(cell),
        **user_space.NONE,
    }
    if node == cell.measured and cell.implementation == "hardware":
        variables |= _cores(cell, profile)
    if cell.protocol == "ssh":
        variables |= ssh.variables(cell)
    if tunnel := plan.tunnel(node):
        variables |= _tunnel_variables(cell, topology, tunnel, node)
    return settings_file(variables)


def _cores(cell: Cell, profile: Profile) -> dict[str, str]:
    """How the measured node has the cores: by the provider, or by the kernel's driver."""
    if user_space.reached(cell) or user_space.through_kernel(cell):
        variables = user_space.variables(cell, profile)
    else:
        variables = {"DRIVER": driver_module(cell)}
    if "core-only" in (cell.as_in_2015 or ()):
        variables["DRIVER"] += " minimum=0"
    return variables


def _kernel_software(cell: Cell, node: str) -> dict[str, str]:
    """Peers always have the fastest, so that they hinder nobody; who has a habit without NEON code
    has none.
    """
    if cell.protocol != "ipsec" or "no-neon" in _habits(cell, node):
        return {"KERNEL_SOFTWARE": ""}
    fastest = cell.model_copy(update={"implementation": "software"})
    return kernel_software(cell if node == cell.measured else fastest)


def _habits(cell: Cell, node: str) -> list[str]:
    """Those of the cell's habits that are this node's."""
    of_measured = {habit: _OF_MEASURED[habit] for habit in cell.as_in_2015 or ()}
    return [habit for habit, its in of_measured.items() if its == (node == cell.measured)]


def tunnel_files(cell: Cell, plan: Plan, node: str) -> dict[str, JobFile]:
    """Certificates and configuration of a node where the tunnel ends, by guest path."""
    ends = plan.end(node)
    kind = tunnel_kind(cell)
    engine = user_space.engine_files(cell) if node == cell.measured else {}
    if cell.protocol == "ssh":
        return engine | ssh.files(plan.client, plan.server, plan.target, node, cell.seed)
    if ends is None or kind not in ("openvpn", "esp-ike"):
        return engine
    identity = pki.identity(node, seed=cell.seed)
    files = engine | {
        "/job/ca.pem": JobFile(identity.authority),
        "/job/node.pem": JobFile(identity.certificate),
        "/job/node.key": JobFile(identity.key, 0o600),
    }
    if kind == "esp-ike":
        here, there = ends
        text = _CHILD.format(
            here=here.here,
            there=there.here,
            peer=pki.distinguished_name(there.node),
            network_here=",".join(here.networks),
            network_there=",".join(there.networks),
            proposal=_ESP_IKE[cell.cipher, cell.mac],
        )
        files["/job/swanctl.conf"] = JobFile(text.encode())
    return files


def tunnel_kind(cell: Cell) -> str:
    """Which of board/jobs/tunnel-*.sh sets the cell's tunnel up; `none` without a tunnel.

    Raises `FiresteelError` when the protocol is none of these, or does not go with the cipher and
    MAC.
    """
    if cell.protocol not in _TUNNELS:
        raise FiresteelError(
            f"Cell {cell.label}: nothing sets up the protocol `{cell.protocol}`; allowed are "
            f"{', '.join(_TUNNELS)}."
        )
    known = _TUNNELS[cell.protocol]
    suite = (cell.cipher, cell.mac)
    if suite not in known:
        raise _unknown_suite(cell, list(known))
    return known[suite]


def _unknown_suite(cell: Cell, known: list[tuple[str, str]]) -> FiresteelError:
    allowed = ", ".join(f"{cipher}:{mac}" for cipher, mac in known)
    protocol = "no tunnel" if cell.protocol == "none" else cell.protocol
    return FiresteelError(
        f"Cell {cell.label}: {protocol} does not go with {cell.cipher}:{cell.mac};"
        f" allowed are {allowed}."
    )


def _tunnel_variables(cell: Cell, topology: Topology, tunnel: Tunnel, node: str) -> dict[str, str]:
    asks = node == tunnel.near.node
    here, there = (tunnel.near, tunnel.far) if asks else (tunnel.far, tunnel.near)
    kind = tunnel_kind(cell)
    variables = {
        "TUNNEL": kind,
        "TUNNEL_ROLE": "client" if asks else "server",
        "TUNNEL_HERE": here.here,
        "TUNNEL_THERE": there.here,
        "INSIDE_HERE": here.inside,
        "INSIDE_THERE": there.inside,
    }
    if kind == "openvpn":
        cipher, auth = _OPENVPN[cell.cipher, cell.mac]
        variables["OPENVPN_CIPHER"], variables["OPENVPN_AUTH"] = cipher, auth
        variables["PEER_NAME"] = there.node
        variables["TUNNEL_ROUTES"] = "" if there.is_alone else " ".join(there.networks)
        return variables
    variables["NETWORK_HERE"] = " ".join(here.networks)
    variables["NETWORK_THERE"] = " ".join(there.networks)
    if not tunnel.joins_neighbours:
        variables["INSIDE_HERE"] = here.inside if here.is_alone else ""
        del variables["INSIDE_THERE"]
        variables["NEXT_HOP"] = here.hop
    if kind == "esp-manual":
        cipher = _ESP_MANUAL[cell.cipher, cell.mac]
        variables["ESP_CIPHER"] = cipher
        for name, end in (("HERE", here), ("THERE", there)):
            key = derive(seeded(f"esp to {end.node}", cell.seed), _KEY_BYTES).hex()
            variables[f"KEY_{name}"] = "0x" + key if cell.cipher != "none" else ""
            variables[f"SPI_{name}"] = hex(0x1000 + topology.index(end.node))
    return variables
