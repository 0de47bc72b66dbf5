# SPDX-License-Identifier: Apache-2.0
"""The same packages and recipe give the same image, driver and provider, to the last byte."""

from pathlib import Path

import pytest

from firesteel.build import driver, provider
from firesteel.build.cache import Cache
from firesteel.build.products import Products
from firesteel.build.progress import Runner

pytestmark = pytest.mark.thorough


def test_an_image_assembled_again_is_the_same(tmp_path: Path) -> None:
    products = Products()
    first = products.image()
    again = products.assemble_image(tmp_path)
    assert again.key == first.key
    for one, other in (
        (first.kernel, again.kernel),
        (first.initramfs, again.initramfs),
        (first.manifest, again.manifest),
    ):
        assert one.read_bytes() == other.read_bytes(), one.name


def test_driver_and_provider_built_again_elsewhere_are_the_same(tmp_path: Path) -> None:
    """Their bytes are among the inputs of records; of QEMU and image it is the hash of sources."""
    products = Products()
    cache, runner = Cache(tmp_path / "cache"), Runner(tmp_path / "logs")
    built = driver.make(cache, runner, products.packages(), products.build_root())
    assert built.read_bytes() == products.driver().read_bytes()
    again = provider.make(cache, runner, products.development(), products.build_root())
    first = products.provider()
    assert again.provider.read_bytes() == first.provider.read_bytes()
    assert again.library.read_bytes() == first.library.read_bytes()
    assert again.provider.parent.name == first.provider.parent.name, "the same key"
