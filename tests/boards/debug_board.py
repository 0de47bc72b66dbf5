# SPDX-License-Identifier: Apache-2.0
"""What boards with the debug kernel are made of.  What is missing is built first."""

from pathlib import Path

from guest_module import build_module

from firesteel.base.checkout import BOARD
from firesteel.boards.command import BoardProducts
from firesteel.build.products import Products

TIMEOUT = 1800
"""Wall seconds for one run; the kernel is many times slower than the image's own."""


def debug_boards() -> BoardProducts:
    """QEMU, and the image with the debug kernel."""
    products = Products()
    image = products.debug_image()
    return BoardProducts(
        products.emulator(), image.kernel, image.initramfs, BOARD / "debug-kernel/cmdline"
    )


def debug_module(name: str, source: Path, directory: Path) -> bytes:
    """The module of a name from the sources in a directory, built in the empty `directory`."""
    products = Products()
    return build_module(products, name, source, directory, products.debug_kernel().headers)
