# SPDX-License-Identifier: Apache-2.0
"""With DCO the kernel has OpenVPN's packets: its device is the proof, its module comes along."""

from pathlib import Path

import pytest
from made_supply import MadeSupply
from workloads.sites import file_cell, jobs_of, variables_of

from firesteel.base.checkout import CHECKOUT
from firesteel.build.artifacts import DCO_MODULES
from firesteel.protocols.openvpn import OPENVPN, OPENVPN_DCO, OPENVPN_DCO_BATCHES
from firesteel.protocols.window import CellFailure

DEVICE = (
    "4: tun0: <POINTOPOINT> mtu 1428\n    link/none  promiscuity 0\n    {} addrgenmode random\n"
)


@pytest.mark.parametrize("suite", OPENVPN_DCO.suites)
def test_both_ends_have_a_tunnel_with_the_suite(suite: str) -> None:
    for job in jobs_of(file_cell("openvpn-dco", suite, "host-host")).values():
        told = variables_of(job)
        assert (told["TUNNEL"], told["KERNEL_SOFTWARE"]) == ("openvpn-dco", "fastest")
        cipher = variables_of(job, "tunnel-0")["OPENVPN_CIPHER"]
        assert cipher.lower() == suite.partition(":")[0]
        assert {"/job/tunnel-openvpn.sh", "/job/tunnel-openvpn-dco.sh"} <= job.files.keys()
    assert OPENVPN_DCO.suites_of("hardware") == ("aes-256-gcm:gcm",)


def test_each_has_its_module_and_no_other_protocol_has_one(tmp_path: Path) -> None:
    """OpenVPN uses it wherever it finds it."""
    built = MadeSupply(tmp_path)
    both = [each.programs(built) for each in (OPENVPN_DCO, OPENVPN_DCO_BATCHES)]
    given = [files["/job/ovpn-dco-v2.ko"].content.decode() for files in both]
    assert given == [f"made openvpn-dco {name}\n" for name in DCO_MODULES]
    assert OPENVPN.programs(built) == {}


def test_a_tunnel_through_user_space_or_beside_the_wire_fails() -> None:
    of = file_cell("openvpn-dco", OPENVPN_DCO.suites[0], "host-host")
    OPENVPN_DCO.check_path(of, {"device": DEVICE.format("ovpn-dco")})
    for section in ("", DEVICE.format("tun type tun pi off")):
        with pytest.raises(CellFailure, match="the kernel does not have OpenVPN's packets"):
            OPENVPN_DCO.check_path(of, {"device": section})
    proof = {"tunnel_tx_bytes": 100_000, "tunnel_tx_packets": 100, "wire_tx_frames": 110}
    assert not OPENVPN_DCO.contradiction(proof | {"wire_tx_bytes": 100_000 + 100 * 66}, "tx")
    assert OPENVPN_DCO.contradiction(proof | {"wire_tx_bytes": 2_000_000}, "tx")


def test_users_are_told_module_patch_and_mtu() -> None:
    of = file_cell("openvpn-dco", OPENVPN_DCO.suites[0], "host-host", "hardware")
    setup = OPENVPN_DCO.setup(of, None)
    assert "docs/openvpn-dco.md" in setup.pages
    lines = [line for step in setup.steps for line in step.lines]
    assert {"modprobe ovpn-dco-v2", "data-ciphers AES-256-GCM", "tun-mtu 1428"} <= set(lines)
    of = file_cell("openvpn-dco-batches", OPENVPN_DCO.suites[0], "host-host", "hardware")
    steps = OPENVPN_DCO_BATCHES.setup(of, None).steps
    assert [step for step in steps if "Packets in batches" in step.what]
    assert "## Packets in batches" in (CHECKOUT / "docs/openvpn-dco.md").read_text()
