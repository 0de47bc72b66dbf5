# SPDX-License-Identifier: Apache-2.0
"""Products that travel are the same where they arrive, or are not taken."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from made_supply import MadeSupply

from firesteel.architectures import DEFAULT
from firesteel.base.errors import FiresteelError
from firesteel.build import artifacts
from firesteel.build.artifacts import (
    ALL,
    Artifact,
    ArtifactSource,
    Brought,
    files_of,
    gather,
)
from firesteel.build.products import Products, artifact_source


@pytest.fixture
def supply(tmp_path: Path) -> MadeSupply:
    return MadeSupply(tmp_path / "built")


def bring(directory: Path, gathered: Sequence[Artifact], name: str = DEFAULT.name) -> Brought:
    """What was gathered, brought to a directory."""
    for place, content, program in files_of({name: gathered}):
        path = directory / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(0o755 if program else 0o644)
    return Brought(directory, DEFAULT)


def test_what_arrives_is_what_was_built(supply: MadeSupply, tmp_path: Path) -> None:
    there = bring(tmp_path / "there", gather(supply))
    assert (there.artifact("qemu").key, there.artifact("qemu").version) == ("qemu-key", "1:10.0")
    assert (there.image().key, there.image().kernel_key) == ("image-key", "made image kernel.key\n")
    assert os.access(there.emulator(), os.X_OK)
    assert not os.access(there.driver(), os.X_OK)
    for what in ALL:
        assert _contents(there, what) == _contents(supply, what), what
    both = (each.artifact("provider").by_guest_path().keys() for each in (there, supply))
    assert len(set(map(frozenset, both))) == 1
    further = bring(tmp_path / "further", gather(there))
    assert further.driver().read_bytes() == supply.driver().read_bytes()
    assert [further.artifact(what).key for what in ALL] == [f"{what}-key" for what in ALL]


def _contents(source: ArtifactSource, what: artifacts.What) -> tuple[str, dict[str, bytes]]:
    found = source.artifact(what)
    return found.key, {name: (found.directory / name).read_bytes() for name in found.names}


def test_each_travels_once(supply: MadeSupply) -> None:
    gathered = gather(supply)
    one = {name for name, *_ in files_of({"armhf": gathered})}
    names = [name for name, *_ in files_of({"armhf": gathered, "other": gathered})]
    assert sorted(names) == sorted(one)


def test_what_was_not_brought(supply: MadeSupply, tmp_path: Path) -> None:
    some = bring(tmp_path / "some", gather(supply, ["qemu", "image"]))
    with pytest.raises(FiresteelError, match=r"libcrypto is not among .*\(qemu, image\)"):
        some.artifact("libcrypto")
    with pytest.raises(FiresteelError, match="for armhf were brought; there are those for: other"):
        bring(tmp_path / "other", [], "other")


def test_a_bundle_takes_what_it_brought(
    supply: MadeSupply, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(artifacts, "BROUGHT", tmp_path / "products")
    assert isinstance(artifact_source(), Products)
    artifacts.refuse_in_bundle("build")
    bring(tmp_path / "products", gather(supply))
    assert artifact_source().image().key == "image-key"
    with pytest.raises(FiresteelError, match="`firesteel build` needs a checkout"):
        artifacts.refuse_in_bundle("build")
