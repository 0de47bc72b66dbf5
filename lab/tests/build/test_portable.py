# SPDX-License-Identifier: Apache-2.0
"""Products that travel are the same where they arrive, or are not taken."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from made_supply import MadeSupply

from firesteel.architectures.registry import DEFAULT
from firesteel.base.errors import FiresteelError
from firesteel.build import supplied as where
from firesteel.build.brought import Brought, brought
from firesteel.build.portable import FILE, LIST, Gathered, Portable, files_of, gather
from firesteel.build.products import Products
from firesteel.build.supply import Supply


@pytest.fixture
def supply(tmp_path: Path) -> MadeSupply:
    return MadeSupply(tmp_path / "built")


def bring(directory: Path, gathered: Sequence[Gathered], name: str = DEFAULT.name) -> Brought:
    """What was gathered, brought to a directory."""
    for place, content, program in files_of({name: gathered}):
        path = directory / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(0o755 if program else 0o644)
    return brought(directory, DEFAULT)


def test_what_arrives_is_what_was_built(supply: MadeSupply, tmp_path: Path) -> None:
    there = bring(tmp_path / "there", gather(supply))
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
        (supply.openvpn_dco().module_in_batches, there.openvpn_dco().module_in_batches),
        (supply.libcrypto(), there.libcrypto()),
        *zip(_overlaid(supply), _overlaid(there), strict=True),
    ):
        assert (mine.name, mine.read_bytes()) == (theirs.name, theirs.read_bytes())
    assert there.provider().libraries == DEFAULT.libraries


def _overlaid(supply: Supply) -> list[Path]:
    programs = supply.lighttpd().by_guest_path() | supply.wolfssl_front_end().by_guest_path()
    return list(programs.values())


def test_they_travel_on_from_where_they_arrived(supply: MadeSupply, tmp_path: Path) -> None:
    first = bring(tmp_path / "first", gather(supply))
    second = bring(tmp_path / "second", gather(first))
    assert (second.qemu().key, second.image().key) == ("qemu-key", "image-key")
    assert second.driver().read_bytes() == supply.driver().read_bytes()


def test_each_travels_once(supply: MadeSupply) -> None:
    gathered = gather(supply)
    one = {name for name, *_ in files_of({"armhf": gathered})}
    names = [name for name, *_ in files_of({"armhf": gathered, "other": gathered})]
    assert sorted(names) == sorted(one)


def test_other_content_is_another_product(supply: MadeSupply, tmp_path: Path) -> None:
    (one,) = gather(supply, ["driver"])
    (other,) = gather(MadeSupply(tmp_path / "other", "other"), ["driver"])
    assert one.product.key == other.product.key
    assert one.product.address != other.product.address


@pytest.mark.parametrize("name", ["../qemu", "/etc/passwd", ".hidden", "a/b", ""])
def test_a_name_that_leads_elsewhere(supply: MadeSupply, name: str) -> None:
    (driver,) = gather(supply, ["driver"])
    content = Portable(architectures={DEFAULT.name: (driver.product,)}).model_dump(mode="json")
    (told,) = content["architectures"][DEFAULT.name][0]["files"].values()
    content["architectures"][DEFAULT.name][0]["files"] = {name: told}
    with pytest.raises(FiresteelError, match="list of products is damaged"):
        FILE.validate(content, Portable, "there")


def test_a_damaged_list(supply: MadeSupply, tmp_path: Path) -> None:
    with pytest.raises(FiresteelError, match=r"products\.json is missing; unpack the bundle again"):
        brought(tmp_path, DEFAULT)
    bring(tmp_path, gather(supply))
    text = (tmp_path / LIST).read_text()
    (tmp_path / LIST).write_text(text.replace('"size": ', '"size": 1'))
    with pytest.raises(FiresteelError, match="digest does not match"):
        brought(tmp_path, DEFAULT)


def test_what_was_not_brought(supply: MadeSupply, tmp_path: Path) -> None:
    some = bring(tmp_path / "some", gather(supply, ["qemu", "image"]))
    with pytest.raises(FiresteelError, match=r"libcrypto is not among .*\(qemu, image\)"):
        some.libcrypto()
    with pytest.raises(FiresteelError, match="for armhf were brought; there are those for: other"):
        bring(tmp_path / "other", [], "other")


def test_a_bundle_takes_what_it_brought(
    supply: MadeSupply, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(where, "BROUGHT", tmp_path / "products")
    assert isinstance(where.supplied(), Products)
    where.refuse_in_bundle("build")
    bring(tmp_path / "products", gather(supply))
    assert where.supplied().image().key == "image-key"
    with pytest.raises(FiresteelError, match="`firesteel build` needs a checkout"):
        where.refuse_in_bundle("build")
