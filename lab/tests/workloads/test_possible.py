# SPDX-License-Identifier: Apache-2.0
"""A cell that its boards cannot do is refused before anything is built or boots."""

from pathlib import Path

import pytest
from workloads import recorded_crypto, recorded_disk
from workloads import recorded_runs as recorded
from workloads.made_handshakes import cell as handshakes_cell
from workloads.made_programs import speed_cell

from firesteel.architectures import DEFAULT
from firesteel.base.errors import FiresteelError
from firesteel.boards.catalog import Catalog
from firesteel.boards.cores import Cores
from firesteel.boards.profile import Profile, load_profile
from firesteel.build.artifacts import Artifact, ArtifactSource, What
from firesteel.build.products import Products
from firesteel.model.cell import Cell
from firesteel.protocols.site import Site, site_of
from firesteel.run.board_runner import BoardRunner
from firesteel.workloads.cells import cell_jobs, with_modules


def refused(cell: Cell, *engines: str) -> str:
    """Why a board whose cores have these engines cannot do the cell; nothing if it can."""
    told = {"name": "crypto0", "aes": False, "hash": False, "pk": False}
    cores = (Cores.model_validate(told | dict.fromkeys(engines, True)),) if engines else ()
    profile: Profile = load_profile("socrates").model_copy(update={"cores": cores})
    cell = cell.model_copy(update={"profiles": cell.profiles | {cell.measured: "socrates"}})
    site = site_of(cell, Catalog())
    try:
        cell_jobs(cell, Site(site.topology, {**site.profiles, cell.measured: profile}))
    except FiresteelError as error:
        return str(error)
    return ""


def hardware(cell: Cell, **update: str) -> Cell:
    told = {"implementation": "hardware", "completion": "adaptive", **update}
    return cell.model_copy(update=told)


PK, AES, HASH = "public-key core (`pk`)", "AES core (`aes`)", "hash core (`hash`)"
CRYPTO = hardware(recorded_crypto.cell("software"))


@pytest.mark.parametrize(
    ("cell", "enough", "too_little", "missing"),
    [
        (handshakes_cell("hardware"), ("pk",), ("aes", "hash"), PK),
        (handshakes_cell("hardware", "nginx"), ("aes", "pk"), ("aes",), PK),
        (hardware(recorded.cell("ipsec")), ("aes",), ("hash", "pk"), AES),
        (hardware(recorded.cell("openvpn")), ("hash",), ("pk",), f"{AES} and no {HASH}"),
        (CRYPTO, ("aes",), ("hash",), AES),
        (hardware(CRYPTO, cipher="none", mac="sha256"), ("hash",), ("aes", "pk"), HASH),
        (hardware(recorded_disk.cell()), ("aes",), ("hash",), AES),
        (speed_cell(), ("aes",), ("pk",), AES),
        (hardware(recorded.cell("ipsec")), ("aes",), (), "cores"),
    ],
    ids=lambda value: value.label if isinstance(value, Cell) else None,
)
def test_hardware_needs_the_cores_of_its_suite(
    cell: Cell, enough: tuple[str, ...], too_little: tuple[str, ...], missing: str
) -> None:
    assert not refused(cell, *enough)
    said = refused(cell, *too_little)
    assert f"`socrates` of node `{cell.measured}` has no {missing}" in said
    software = {"implementation": "software", "completion": None}
    assert not refused(cell.model_copy(update=software), *too_little)


def test_nothing_is_built_for_what_cannot_be(monkeypatch: pytest.MonkeyPatch) -> None:
    def build(_: Products) -> None:
        raise AssertionError("QEMU was built")

    monkeypatch.setattr(Products, "_qemu", build)
    cell = handshakes_cell("hardware", profiles={"board": "peer", "peer": "peer"})
    with pytest.raises(FiresteelError, match="`peer` .*`board` has no cores"):
        BoardRunner(Catalog()).prepare([handshakes_cell(), cell])


def test_storage_must_have_room() -> None:
    cell = recorded_disk.cell()
    board = load_profile("socrates-sd")
    assert board.storage is not None
    small = board.model_copy(update={"storage": board.storage.model_copy(update={"mebibytes": 1})})
    site = site_of(cell, Catalog())
    assert cell_jobs(cell, Site(site.topology, {cell.measured: board}))
    with pytest.raises(FiresteelError, match=r"has 1 MiB; at least \d+ MiB are needed"):
        cell_jobs(cell, Site(site.topology, {cell.measured: small}))


def test_a_board_with_storage_brings_what_the_image_lacks(tmp_path: Path) -> None:
    (tmp_path / "virtio_blk.ko").write_bytes(b"module")

    class Built(ArtifactSource):
        def find(self, what: What) -> Artifact:
            return Artifact(what, tmp_path, "key", self.architecture)

    cell = recorded_disk.cell()
    jobs = cell_jobs(cell, site_of(cell, Catalog()))
    built = {cell.measured: Built(DEFAULT)}
    for board, more in (("socrates", 0), ("socrates-sd", 3)):
        made = with_modules(jobs, {cell.measured: load_profile(board)}, built)[cell.measured]
        usual = jobs[cell.measured].files
        assert len(made.files) - len(usual) == more
        assert made.files["/job/run"].content.endswith(usual["/job/run"].content)
        assert (made.files["/job/run"] == usual["/job/run"]) == (not more)
