# SPDX-License-Identifier: Apache-2.0
"""The same packages and recipe give the same image, to the last byte."""

from pathlib import Path

from firesteel.build.products import Products


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
