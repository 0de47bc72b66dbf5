# SPDX-License-Identifier: Apache-2.0
"""The sources are those of the very binaries, and a file of them is whole or not there."""

import tarfile
from pathlib import Path

import pytest

from firesteel.base.errors import FiresteelError
from firesteel.build import sources

SHOWN = """\
Package: busybox
Architecture: armhf
Version: 1:1.37.0-6+b2
Source: busybox (1:1.37.0-6)
Static-Built-Using: glibc (= 2.41-12), glibc (= 2.41-12)
Description: tiny utilities
 Source: is no field here

Package: curl
Version: 8.14.1-2
Architecture: armhf

Package: libcurl4t64
Source: curl
Version: 8.14.1-2
Architecture: armhf
"""


def test_the_source_of_each_binary() -> None:
    assert sources.sources_of(SHOWN) == {
        "busybox:armhf=1:1.37.0-6+b2": ["busybox=1:1.37.0-6", "glibc=2.41-12"],
        "curl:armhf=8.14.1-2": ["curl=8.14.1-2"],
        "libcurl4t64:armhf=8.14.1-2": ["curl=8.14.1-2"],
    }


def test_binaries_by_name() -> None:
    listed = "curl 8.14.1-2\nzlib1g 1:1.3\n"
    assert sources.binaries(listed, "armhf") == ["curl:armhf=8.14.1-2", "zlib1g:armhf=1:1.3"]
    assert sources.binaries(listed, "amd64", ["zlib1g"]) == ["zlib1g:amd64=1:1.3"]
    with pytest.raises(FiresteelError, match="build root has no nettle-dev:"):
        sources.binaries(listed, "amd64", ["curl", "nettle-dev"])


def test_sources_that_did_not_come(tmp_path: Path) -> None:
    told = (
        "Version: 1:1.3\n\nChecksums-Sha256:\n aa 1 zlib_1.3.tar.xz\n bb 2 zlib_1.3.diff\nFiles:\n"
    )
    (tmp_path / "zlib_1.3.dsc").write_text(told)
    (tmp_path / "zlib_1.3.tar.xz").touch()
    needed = ["curl=8.14.1-2", "zlib=1:1.3"]
    assert sources.incomplete(needed, tmp_path) == needed
    (tmp_path / "zlib_1.3.diff").touch()
    assert sources.incomplete(needed, tmp_path) == ["curl=8.14.1-2"]


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    top = tmp_path / "checkout"
    for name in ("driver/main.c", "dist/old", ".git/config", "lab/__pycache__/x.pyc", "firesteel"):
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(name)
    (top / "firesteel").chmod(0o755)
    monkeypatch.setattr(sources, "CHECKOUT", top)
    return top


def test_a_file_of_all(checkout: Path, tmp_path: Path) -> None:
    for name in ("debian/SOURCES", "debian/curl.dsc", "qemu/qemu.dsc"):
        (checkout.parent / name).parent.mkdir(exist_ok=True)
        (checkout.parent / name).write_text(name)
    path = sources.write(tmp_path, tmp_path / "debian", tmp_path / "qemu")
    with tarfile.open(path) as archive:
        modes = {entry.name: entry.mode for entry in archive}
    assert modes == {
        "firesteel/driver/main.c": 0o644,
        "firesteel/firesteel": 0o755,
        "debian/SOURCES": 0o644,
        "debian/curl.dsc": 0o644,
        "debian/qemu.dsc": 0o644,
    }
    before = path.read_bytes()
    (tmp_path / "debian/curl.dsc").touch()
    assert sources.write(tmp_path, tmp_path / "debian", tmp_path / "qemu") == path
    assert path.read_bytes() == before


def test_nothing_is_left_of_a_failure(checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "qemu").mkdir()
    assert checkout.exists()
    with pytest.raises(FileNotFoundError):
        sources.write(tmp_path, tmp_path / "none", tmp_path / "qemu")
    assert not list(tmp_path.glob("*.tar*"))
