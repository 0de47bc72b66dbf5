# SPDX-License-Identifier: Apache-2.0
"""The driver is compiled against the newest kernel that the mirror has, without a warning."""

import re
import shutil
from pathlib import Path

import pytest

from firesteel.base.checkout import DRIVER
from firesteel.base.errors import FiresteelError
from firesteel.build.buildroot import Room, module_script
from firesteel.build.debian import Mirror, apt_within, extract, find_mirror
from firesteel.build.products import Products, lay_out_driver

SUITE = "sid"
"""The Debian suite whose kernel is the newest that is meant for users."""

_HEADERS = "/firesteel/headers"
_FLAVOUR = "armmp"
"""Debian's kernel for boards, as `linux-headers-armmp`."""


@pytest.fixture(scope="module")
def archive() -> Mirror:
    try:
        return find_mirror(SUITE)
    except FiresteelError as error:
        pytest.skip(f"there is no kernel newer than the boards' to build for: {error}")


def build_driver(directory: Path, mirror: Mirror, source: Path = DRIVER) -> str:
    """Build the driver in `source` in the empty `directory`; returns the kernel's release.

    `FiresteelError` if it does not compile, or if the compiler warns.
    """
    products = Products()
    headers, work = directory / "headers", directory / "work"
    for each in (headers, work):
        each.mkdir()
    release = _fetch_headers(products, directory, headers, mirror)
    lay_out_driver(work, source)
    # These headers name the compiler that they come with, and where they are installed.  Theirs
    # knows an attribute of theirs that the build root's does not.
    command = ["/firesteel/module.sh", _HEADERS, "/firesteel/work/driver", "W=1"]
    command += [f"KBUILD_OUTPUT={_HEADERS}/usr/src/linux-headers-{release}"]
    command += [f"CC={products.architecture.toolchain.triplet}-gcc"]
    command += ["KCFLAGS=-Werror -Wno-attributes"]
    with module_script(products.architecture) as script:
        readable = {_HEADERS: headers, "/firesteel/module.sh": script}
        room = Room({"/firesteel/work": work}, readable)
        what = f"Building the driver for Linux {release}"
        products.build_root().run(products.runner, what, command, room)
    return release


def _fetch_headers(products: Products, directory: Path, tree: Path, mirror: Mirror) -> str:
    """Extract the headers of the suite's kernel into `tree`; returns the kernel's release."""
    packages, guest = directory / "packages", products.architecture.name
    packages.mkdir()
    with apt_within(directory, products.runner, f"amd64 {guest}", mirror) as apt:
        text = apt.show([f"linux-headers-{_FLAVOUR}:{guest}"])
        found = re.search(rf"linux-headers-(\d\S*-{_FLAVOUR})\b", text)
        assert found, "the suite's headers name no kernel to build for"
        release, base = found[1], found[1].removesuffix(f"-{_FLAVOUR}")
        names = [
            f"linux-headers-{release}:{guest}",
            f"linux-headers-{base}-common",
            f"linux-kbuild-{base}:amd64",
        ]
        apt.download("the newest kernel's headers", names, packages)
    extract(packages, tree)
    return release


def test_it_builds(archive: Mirror, tmp_path: Path) -> None:
    release = build_driver(tmp_path, archive)
    # else it would be the boards' own, against which every build is
    assert tuple(map(int, release.split("-")[0].split("+")[0].split(".")[:2])) > (6, 12)


def test_warnings_end_the_build(archive: Mirror, tmp_path: Path) -> None:
    spoilt = shutil.copytree(DRIVER, tmp_path / "driver")
    (spoilt / "cost.c").write_text(
        (spoilt / "cost.c").read_text() + "\nint firesteel_undeclared(void)\n{\n\treturn 0;\n}\n"
    )
    work = tmp_path / "work"
    work.mkdir()
    with pytest.raises(FiresteelError, match="no previous prototype"):
        build_driver(work, archive, spoilt)
