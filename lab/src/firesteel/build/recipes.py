# SPDX-License-Identifier: Apache-2.0
"""Sources and recipes of the checkout that go into products: the place where a script in the build
root finds each, and its place here.
"""

import shutil
from pathlib import Path

from firesteel.base.checkout import (
    BOARD,
    CHECKOUT,
    DRIVER,
    FRONT_ENDS,
    LIBRARY,
    MODEL,
    PROBE_HEADER,
    SILEX,
)

PROJECT = ("VERSION", "meson.build", "meson_options.txt")
"""What builds the library and all that stands on it, at the top of the checkout."""


def lay_out_driver(work: Path, source: Path = DRIVER) -> None:
    """A copy of the driver's sources, because Kbuild writes next to them."""
    shutil.copytree(source, work / "driver")
    shutil.copytree(SILEX, work / "silex")


def qemu_recipe() -> dict[str, Path]:
    """Sources of QEMU in addition to Debian's: the place where build.sh finds each, and its place
    here.
    """
    directory = BOARD / "qemu"
    parts = {name: directory / name for name in ("build.sh", "patches", "targets")}
    for path in (directory / "devices").iterdir():
        if path.name != "layers.txt":  # says what may call what, and is no part of the emulator
            parts[f"devices/{path.name}"] = path
    parts[PROBE_HEADER.name] = PROBE_HEADER
    for folder, pattern in ((SILEX, "*.h"), (MODEL, "*.[ch]")):
        parts |= {f"{folder.name}/{path.name}": path for path in folder.glob(pattern)}
    return parts


def common() -> dict[str, Path]:
    """Shared sources and recipes of provider and front ends: the place where the scripts find each,
    and its place here.
    """
    folder = FRONT_ENDS / "common"
    shared = {f"frontends/common/{path.name}": path for path in folder.glob("*.[ch]")}
    return shared | {name: CHECKOUT / name for name in PROJECT}


def with_library() -> dict[str, Path]:
    """`common`, with libfiresteel: its sources, its own small program, and what is installed with
    it.
    """
    parts = (
        common() | own_sources(LIBRARY) | {f"silex/{path.name}": path for path in SILEX.glob("*.h")}
    )
    return parts | {
        f"lib/{name}": LIBRARY / name for name in ("include", "man", "tests/test-bare.c")
    }


def own_sources(folder: Path) -> dict[str, Path]:
    """The files of a compiled part's own folder."""
    kept = [*folder.glob("*.[ch]"), *folder.glob("meson*"), *folder.glob("*.map")]
    name = folder.relative_to(CHECKOUT)
    return {f"{name}/{path.name}": path for path in kept}
