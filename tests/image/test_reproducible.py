# SPDX-License-Identifier: Apache-2.0
"""The same packages and recipe give the same image, driver and provider, to the last byte."""

from collections.abc import Callable
from pathlib import Path

import pytest

from firesteel.build.artifacts import What
from firesteel.build.cache import Cache, cache_directory
from firesteel.build.products import Products


class _Anew(Cache):
    """The usual cache, which builds products of one kind once more, in an empty directory."""

    def __init__(self, kind: str, directory: Path) -> None:
        super().__init__(cache_directory())
        self._kind = kind
        self._elsewhere = Cache(directory)

    def product(self, kind: str, key: str, build: Callable[[Path], None]) -> Path:
        if kind == self._kind:
            return self._elsewhere.product(kind, key, build)
        return super().product(kind, key, build)


pytestmark = pytest.mark.thorough


def test_an_image_assembled_again_is_the_same(tmp_path: Path) -> None:
    products = Products()
    first = products.image()
    again = Products(cache=_Anew("image", tmp_path)).image()
    assert again.key == first.key
    for one, other in (
        (first.kernel, again.kernel),
        (first.initramfs, again.initramfs),
        (first.manifest, again.manifest),
    ):
        assert one.read_bytes() == other.read_bytes(), one.name


@pytest.mark.parametrize("what", ["driver", "provider"])
def test_what_is_built_again_elsewhere_is_the_same(what: What, tmp_path: Path) -> None:
    """Its bytes are among the inputs of records; of QEMU and image it is the hash of sources."""
    first = Products().artifact(what)
    again = Products(cache=_Anew(what, tmp_path)).artifact(what)
    assert again.key == first.key
    assert again.directory != first.directory
    for name in first.names:
        assert (again.directory / name).read_bytes() == (first.directory / name).read_bytes()
