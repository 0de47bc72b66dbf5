# SPDX-License-Identifier: Apache-2.0
"""With DCO the kernel has OpenVPN's packets: its device is the proof, its module comes along."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from workloads.sites import file_cell, jobs_of, variables_of

from firesteel.architectures.registry import DEFAULT
from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.build.artifacts import DCO_MODULES, Artifact
from firesteel.model.cell import Cell, Implementation
from firesteel.protocols.openvpn import OPENVPN, OPENVPN_DCO, OPENVPN_DCO_BATCHES
from firesteel.protocols.protocol import Built
from firesteel.protocols.window import CellFailure

GCM = "aes-256-gcm:gcm"

DEVICE = """\
4: tun0: <POINTOPOINT,MULTICAST,NOARP,UP,LOWER_UP> mtu 1428 qdisc fq_codel
    link/none  promiscuity 0 minmtu 68 maxmtu 65463
    {kind} addrgenmode random numtxqueues 1
"""


def cell(suite: str = GCM, implementation: Implementation = "software") -> Cell:
    return file_cell("openvpn-dco", suite, "host-host", implementation)


@pytest.mark.parametrize("suite", OPENVPN_DCO.suites)
def test_both_ends_have_a_tunnel_with_the_suite(suite: str) -> None:
    for node, job in jobs_of(cell(suite)).items():
        assert variables_of(job)["TUNNEL"] == "openvpn-dco"
        assert variables_of(job)["KERNEL_SOFTWARE"] == "fastest"
        told = variables_of(job, "tunnel-0")
        assert told["OPENVPN_CIPHER"].lower() == suite.partition(":")[0], node
        assert {"/job/tunnel-openvpn.sh", "/job/tunnel-openvpn-dco.sh"} <= job.files.keys()


def test_each_has_its_module_and_no_other_protocol_has_one(tmp_path: Path) -> None:
    """OpenVPN uses it wherever it finds it."""
    for name in DCO_MODULES:
        (tmp_path / name).write_text(name)
    made = Artifact("openvpn-dco", tmp_path, "key", DEFAULT)
    built = cast(Built, SimpleNamespace(openvpn_dco=made))
    given = [
        each.programs(built)["/job/ovpn-dco-v2.ko"].content.decode()
        for each in (OPENVPN_DCO, OPENVPN_DCO_BATCHES)
    ]
    assert given == list(DCO_MODULES)
    assert OPENVPN.programs(built) == {}


def test_cores_do_no_chacha20() -> None:
    assert OPENVPN_DCO.suites_of("hardware") == (GCM,)
    with pytest.raises(FiresteelError, match=r"allowed are aes-256-gcm:gcm\."):
        OPENVPN_DCO.check_cell(cell("chacha20-poly1305:poly1305", "hardware"))


@pytest.mark.parametrize("section", ["", DEVICE.format(kind="tun type tun pi off")])
def test_a_tunnel_through_user_space_fails(section: str) -> None:
    with pytest.raises(CellFailure, match="the kernel does not have OpenVPN's packets"):
        OPENVPN_DCO.check_path(cell(), {"device": section})
    OPENVPN_DCO.check_path(cell(), {"device": DEVICE.format(kind="ovpn-dco")})


@pytest.mark.parametrize(
    ("bytes_on_the_wire", "fits"), [(100_000 + 100 * 66, True), (2_000_000, False)]
)
def test_the_wire_carries_the_tunnel_and_no_more(bytes_on_the_wire: int, fits: bool) -> None:
    proof = {
        "tunnel_tx_bytes": 100_000,
        "tunnel_tx_packets": 100,
        "wire_tx_bytes": bytes_on_the_wire,
        "wire_tx_frames": 110,
    }
    assert (OPENVPN_DCO.contradiction(proof, "tx") == "") is fits


def test_users_are_told_the_patch() -> None:
    setup = OPENVPN_DCO_BATCHES.setup(cell(implementation="hardware"), None)
    assert "docs/openvpn-dco.md" in setup.pages
    assert [step for step in setup.steps if "Packets in batches" in step.what]
    assert "## Packets in batches" in (CHECKOUT / "docs/openvpn-dco.md").read_text()


def test_users_are_told_the_module_and_the_mtu() -> None:
    setup = OPENVPN_DCO.setup(cell(implementation="hardware"), None)
    assert "docs/openvpn-dco.md" in setup.pages
    lines = [line for step in setup.steps for line in step.lines]
    assert {"modprobe ovpn-dco-v2", "data-ciphers AES-256-GCM", "tun-mtu 1428"} <= set(lines)
