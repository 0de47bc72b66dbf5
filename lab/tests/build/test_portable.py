# SPDX-License-Identifier: Apache-2.0
"""Products that travel are the same where they arrive, or are not taken."""

import os
from pathlib import Path

import pytest
from made_supply import MadeSupply

from firesteel.architectures.registry import DEFAULT
from firesteel.base.errors import FiresteelError
from firesteel.build import supplied as where
from firesteel.build.cache import key_of
from firesteel.build.depot import FILE, LIST, Depot
from firesteel.build.portable import ALL, Portable, gather, together
from firesteel.build.products import Products


@pytest.fixture
def supply(tmp_path: Path) -> MadeSupply:
    return MadeSupply(tmp_path / "built")


@pytest.fixture
def portable(supply: MadeSupply) -> Portable:
    return together({DEFAULT.name: gather(supply)})


def test_what_arrives_is_what_was_built(supply: MadeSupply, tmp_path: Path) -> None:
    gathered = gather(supply)
    sent = together({DEFAULT.name: gathered})
    depot = Depot(tmp_path / "depot")
    depot.take(gathered)
    depot.write(sent)
    assert depot.read() == sent
    there = depot.supply(depot.read(), DEFAULT)
    assert (there.qemu().key, there.qemu().version) == ("qemu-key", "1:10.0")
    assert (there.image().key, there.image().kernel_key) == ("image-key", "made image kernel.key\n")
    assert os.access(there.emulator(), os.X_OK)
    assert not os.access(there.driver(), os.X_OK)
    for mine, theirs in (
        (supply.emulator(), there.emulator()),
        (supply.image().initramfs, there.image().initramfs),
        (supply.driver(), there.driver()),
        (supply.kernel_layout(), there.kernel_layout()),
        (supply.provider().library, there.provider().library),
        (supply.openssh().directory / "sshd", there.openssh().directory / "sshd"),
        (supply.libcrypto(), there.libcrypto()),
    ):
        assert (mine.name, mine.read_bytes()) == (theirs.name, theirs.read_bytes())
    assert there.provider().libraries == DEFAULT.libraries


def test_they_travel_on_from_where_they_arrived(supply: MadeSupply, tmp_path: Path) -> None:
    gathered = gather(supply)
    sent = together({DEFAULT.name: gathered})
    depot = Depot(tmp_path / "depot")
    depot.take(gathered)
    again = together({DEFAULT.name: gather(depot.supply(sent, DEFAULT))})
    assert depot.missing(again) == []
    keys = {each.kind: each.key for each in again.products}
    assert (keys["qemu"], keys["image"]) == ("qemu-key", "image-key")


def test_each_travels_once(supply: MadeSupply, tmp_path: Path) -> None:
    gathered = gather(supply)
    sent = together({DEFAULT.name: gathered, "other": gathered})
    depot = Depot(tmp_path)
    assert [each.kind for each in depot.missing(sent)] == list(ALL)
    depot.take(each for each in gathered if each.product.kind != "image")
    assert [each.kind for each in depot.missing(sent)] == ["image"]


def test_other_content_is_another_product(supply: MadeSupply, tmp_path: Path) -> None:
    depot = Depot(tmp_path / "depot")
    depot.take(gather(supply))
    other = gather(MadeSupply(tmp_path / "other", "other"), ["driver"])
    missing = depot.missing(together({DEFAULT.name: other}))
    assert [each.key for each in missing] == [key_of({"kind": "driver"})]


def test_a_file_that_was_changed_on_the_way(portable: Portable, tmp_path: Path) -> None:
    depot = Depot(tmp_path / "depot")
    product = next(each for each in portable.products if each.kind == "provider")
    with pytest.raises(FiresteelError, match=r"provider .*firesteel\.so did not arrive .*send it"):
        depot.add(product, lambda _: b"something else")
    assert product in depot.missing(portable)
    assert list((tmp_path / "depot" / "provider").iterdir()) == []


@pytest.mark.parametrize("name", ["../qemu", "/etc/passwd", ".hidden", "a/b", ""])
def test_a_name_that_leads_elsewhere(portable: Portable, name: str, tmp_path: Path) -> None:
    depot = Depot(tmp_path)
    depot.write(portable)
    text = (tmp_path / LIST).read_text()
    content = portable.model_dump(mode="json")
    content["architectures"][DEFAULT.name][0]["files"] = {
        name: {"sha256": "0" * 64, "size": 1, "executable": True}
    }
    with pytest.raises(FiresteelError, match="list of products is damaged"):
        FILE.validate(content, Portable, "there")
    (tmp_path / LIST).write_text(text.replace('"size": ', '"size": 1'))
    with pytest.raises(FiresteelError, match="digest does not match"):
        depot.read()


def test_what_was_not_brought(supply: MadeSupply, tmp_path: Path) -> None:
    depot = Depot(tmp_path)
    with pytest.raises(FiresteelError, match=r"products\.json is missing"):
        depot.read()
    some = together({DEFAULT.name: gather(supply, ["qemu", "image"])})
    with pytest.raises(FiresteelError, match=r"libcrypto is not among .*\(qemu, image\)"):
        depot.supply(some, DEFAULT).libcrypto()
    with pytest.raises(FiresteelError, match="for armhf were brought; there are those for: other"):
        depot.supply(together({"other": []}), DEFAULT)


def test_a_bundle_takes_what_it_brought(
    supply: MadeSupply, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(where, "BROUGHT", tmp_path / "products")
    assert isinstance(where.supplied(), Products)
    where.refuse_in_bundle("build")
    depot, gathered = Depot(tmp_path / "products"), gather(supply)
    depot.take(gathered)
    depot.write(together({DEFAULT.name: gathered}))
    assert where.supplied().image().key == "image-key"
    with pytest.raises(FiresteelError, match="`firesteel build` needs a checkout"):
        where.refuse_in_bundle("build")
