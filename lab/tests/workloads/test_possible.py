# SPDX-License-Identifier: Apache-2.0
"""A cell that its boards cannot do is refused before anything is built or boots."""

import pytest
from workloads import recorded_crypto, recorded_disk
from workloads import recorded_runs as recorded
from workloads.made_handshakes import cell as handshakes_cell
from workloads.made_programs import speed_cell

from firesteel.base.errors import FiresteelError
from firesteel.board.catalog import Catalog
from firesteel.board.cores import Cores
from firesteel.board.profile import Profile, load_profile
from firesteel.build.products import Products
from firesteel.campaign.board_runner import BoardRunner
from firesteel.model.cell import Cell
from firesteel.protocols.site import Site, site_of
from firesteel.workloads.cells import cell_jobs

ENGINES = {"aes": False, "hash": False, "pk": False}


def board(*engines: str) -> Profile:
    """A board with cores that have these engines."""
    told = ENGINES | dict.fromkeys(engines, True)
    cores = (Cores.model_validate({"name": "crypto0", **told}),) if engines else ()
    return load_profile("socrates").model_copy(update={"cores": cores})


def refused(cell: Cell, profile: Profile) -> str:
    """Why the cell cannot be measured with that board; nothing if it can."""
    cell = cell.model_copy(update={"profiles": cell.profiles | {cell.measured: "socrates"}})
    site = site_of(cell, Catalog())
    try:
        cell_jobs(cell, Site(site.topology, {**site.profiles, cell.measured: profile}))
    except FiresteelError as error:
        return str(error)
    return ""


def hardware(cell: Cell, **update: str) -> Cell:
    return cell.model_copy(
        update={"implementation": "hardware", "completion": "adaptive", **update}
    )


PK, AES, HASH = "public-key core (`pk`)", "AES core (`aes`)", "hash core (`hash`)"
HASHES = hardware(recorded_crypto.cell("software"), cipher="none", mac="sha256")


@pytest.mark.parametrize(
    ("cell", "enough", "too_little", "missing"),
    [
        (handshakes_cell("hardware"), ("pk",), ("aes", "hash"), PK),
        (handshakes_cell("hardware", "nginx"), ("aes", "pk"), ("aes",), PK),
        (hardware(recorded.cell("ipsec")), ("aes",), ("hash", "pk"), AES),
        (hardware(recorded.cell("openvpn")), ("hash",), ("pk",), f"{AES} and no {HASH}"),
        (hardware(recorded_crypto.cell("software")), ("aes",), ("hash",), AES),
        (HASHES, ("hash",), ("aes", "pk"), HASH),
        (hardware(recorded_disk.cell()), ("aes",), ("hash",), AES),
        (speed_cell(), ("aes",), ("pk",), AES),
        (hardware(recorded.cell("ipsec")), ("aes",), (), "cores"),
    ],
    ids=lambda value: value.label if isinstance(value, Cell) else None,
)
def test_hardware_needs_the_cores_of_its_suite(
    cell: Cell, enough: tuple[str, ...], too_little: tuple[str, ...], missing: str
) -> None:
    assert not refused(cell, board(*enough))
    said = refused(cell, board(*too_little))
    assert "`socrates`" in said
    assert f"`{cell.measured}`" in said
    assert f"has no {missing}" in said
    assert "\n" not in said
    software = {"implementation": "software", "completion": None}
    assert not refused(cell.model_copy(update=software), board(*too_little))


def test_nothing_is_built_for_what_cannot_be(monkeypatch: pytest.MonkeyPatch) -> None:
    def build(_: Products) -> None:
        raise AssertionError("QEMU was built")

    monkeypatch.setattr(Products, "qemu", build)
    cell = handshakes_cell("hardware", profiles={"board": "peer", "peer": "peer"})
    with pytest.raises(FiresteelError, match="`peer` .*`board` has no cores"):
        BoardRunner(Catalog()).prepare([handshakes_cell(), cell])
    three = handshakes_cell(topology="three-hosts-gateway-host", measured="host-1")
    profiles = dict.fromkeys(("host-1", "host-2", "host-3", "gateway", "host-b"), "peer")
    with pytest.raises(FiresteelError, match="between two hosts"):
        BoardRunner(Catalog()).prepare([three.model_copy(update={"profiles": profiles})])
