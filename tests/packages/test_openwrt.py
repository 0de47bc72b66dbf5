# SPDX-License-Identifier: Apache-2.0
"""The OpenWrt feed, whose Makefile make reads with stand-ins for OpenWrt's own files."""

import re
import subprocess
from pathlib import Path

import pytest

from firesteel import __version__
from firesteel.base.checkout import CHECKOUT
from tools.packages import PACKAGING

_MAKEFILE = PACKAGING / "openwrt/libs/firesteel/Makefile"

_STAND_IN = """
INSTALL_DIR := install -d -m 0755
INSTALL_BIN := install -m 0755
INSTALL_CONF := install -m 0600
CP := cp -fpR
define BuildPackage
all: $(1)
$(1):
	$$(call Package/$(1)/install,$(OUTPUT)/$(1))
endef
define KernelPackage
endef
"""
"""Each package is a target that installs it below OUTPUT."""

_INCLUDED = ("rules.mk", "kernel.mk", "package.mk", "meson.mk")


def _installed(directory: Path) -> None:
    """Files named as those that meson installs: Debian's packages have them all."""
    for path in (PACKAGING / "debian").glob("*.install"):
        for line in path.read_text().splitlines():
            name = line.split()[0]
            if name.startswith("usr/") and "share" not in name:
                # A folder is there with a file, and a pattern as the one file that it fits
                name = name.replace("/lib/*/", "/lib/").replace(".so.*", ".so.0")
                file = directory / (f"{name}/some.h" if "/include/" in name else name)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.touch()


@pytest.fixture
def output(tmp_path: Path) -> Path:
    """All packages, a folder each."""
    include, installed, output = (tmp_path / name for name in ("include", "installed", "output"))
    include.mkdir()
    for name in _INCLUDED:
        (include / name).write_text(_STAND_IN if name == "package.mk" else "")
    _installed(installed)
    given = {
        "TOPDIR": include,
        "INCLUDE_DIR": include,
        "PKG_INSTALL_DIR": installed,
        "PKG_BUILD_DIR": CHECKOUT,
        "OUTPUT": output,
    }
    command = ["make", "-f", str(_MAKEFILE), *(f"{name}={path}" for name, path in given.items())]
    done = subprocess.run([*command, "all"], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return output


def test_packages_have_all_files_once(output: Path) -> None:
    found = {
        f"/{path.relative_to(folder)}": folder.name
        for folder in output.iterdir()
        for path in folder.rglob("*")
        if path.is_file()
    }
    assert found == {
        "/usr/lib/libfiresteel.so.0": "libfiresteel",
        "/etc/ssl/firesteel.cnf": "libopenssl-firesteel",
        "/usr/bin/firesteel-provider": "libopenssl-firesteel",
        "/usr/lib/ossl-modules/firesteel.so": "libopenssl-firesteel",
        "/usr/bin/firesteel-selftest": "firesteel-selftest",
    }


def test_the_feed_is_of_the_version_and_names_what_is_there() -> None:
    text = _MAKEFILE.read_text()
    assert re.findall(r"^PKG_VERSION:=(.*)$", text, re.MULTILINE) == [__version__]
    (licences,) = re.findall(r"^PKG_LICENSE_FILES:=(.*)$", text, re.MULTILINE)
    assert [name for name in licences.split() if not (CHECKOUT / name).is_file()] == []
    page = (PACKAGING / "openwrt/README.md").read_text()
    built = re.findall(r"call (Build|Kernel)Package,(\S+?)\)", text)
    names = {f"kmod-{name}" if kind == "Kernel" else name for kind, name in built}
    assert names == set(re.findall(r"^\| `(\S+)`", page, re.MULTILINE))
