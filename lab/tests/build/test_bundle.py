# SPDX-License-Identifier: Apache-2.0
"""A bundle is one file that Python runs, or refuses in one sentence; the sources go with it."""

import os
import platform
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from made_supply import MadeSupply

from firesteel import __version__
from firesteel.architectures import DEFAULT
from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError, StoreError
from firesteel.build import bundle, launcher
from firesteel.build.artifacts import gather

PYTHON = f"{sys.version_info[0]}.{sys.version_info[1]}"

LAB = """
import os, sys
import packaged
print(sys.argv[1:], packaged.__doc__, os.path.dirname(packaged.__file__))
assert not [path for path in sys.path if "site-packages" in path or path == ""]
"""


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One whose lab prints its arguments."""
    top = tmp_path / "checkout"
    (top / "lab/src/firesteel").mkdir(parents=True)
    (top / "lab/src/firesteel/__main__.py").write_text(LAB)
    (top / "lab/src/firesteel/__pycache__").mkdir()
    (top / "lab/src/firesteel/__pycache__/main.pyc").write_text("")
    (top / "board").mkdir()
    (top / "board/run.sh").write_text("exit\n")
    (top / "board/run.sh").chmod(0o755)
    (top / "LICENSES").mkdir()
    (top / "LICENSES/Any.txt").write_text("do as you like\n")
    monkeypatch.setattr(bundle, "CHECKOUT", top)
    monkeypatch.setattr(bundle, "BROUGHT", top / "products")
    monkeypatch.setattr(bundle, "PARTS", ("LICENSES", "board", "lab/src"))
    return top


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    path = tmp_path / "packaged-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("packaged.py", '"""as packed"""')
        archive.writestr("packaged-1.data/scripts/packaged", "")
        archive.writestr("packaged-1.data/purelib/besides.py", "")
    return path


def write(checkout: Path, wheel: Path, *pythons: str) -> Path:
    path = checkout.parent / bundle.file_name(pythons)
    gathered = {DEFAULT.name: gather(MadeSupply(checkout.parent / "built"))}
    bundle.write(path, gathered, {python: [wheel] for python in pythons})
    return path


@pytest.fixture
def made(checkout: Path, wheel: Path) -> Path:
    return write(checkout, wheel, PYTHON)


def run(path: Path, cache: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    environment = os.environ | {"FIRESTEEL_CACHE": str(cache)}
    return subprocess.run(
        [sys.executable, str(path), *words],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_it_runs_as_it_is(made: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    for told in ("firesteel: unpacking the bundle into ", ""):
        done = run(made, cache, "run", "--quick")
        assert done.returncode == 0, done.stderr
        (place,) = (cache / "bundle").glob(f"*-py{PYTHON}")
        assert done.stdout == f"['run', '--quick'] as packed {place}/python\n"
        assert done.stderr.startswith(told)
        assert bool(told) == bool(done.stderr)
    assert os.access(place / "board/run.sh", os.X_OK)
    assert not os.access(place / "LICENSES/Any.txt", os.X_OK)
    assert (place / "products/products.json").exists()
    (emulator,) = (place / "products/qemu").rglob("qemu-system-arm")
    assert os.access(emulator, os.X_OK)
    assert sorted(path.name for path in (place / "python").glob("*.py")) == [
        "besides.py",
        "packaged.py",
    ]
    assert not (place / "lab/src/firesteel/__pycache__/main.pyc").exists()


def test_the_same_inputs_give_the_same_bytes(made: Path, checkout: Path, wheel: Path) -> None:
    assert made.name == f"firesteel-{__version__}-py{PYTHON}-x86_64.pyz"
    assert os.access(made, os.X_OK)
    before = made.read_bytes()
    for path in checkout.rglob("*"):
        os.utime(path, (1, 1))
    assert write(checkout, wheel, PYTHON).read_bytes() == before


def refused(bundle: Path, cache: Path) -> str:
    """The sentence with which it ends."""
    done = run(bundle, cache)
    assert done.returncode == 1
    *_, last = done.stderr.splitlines()
    assert last.startswith("firesteel: ")
    assert "Traceback" not in done.stderr
    return last.removeprefix("firesteel: ")


def test_another_python(checkout: Path, wheel: Path, tmp_path: Path) -> None:
    made = write(checkout, wheel, "3.5", "3.6")
    told = f"this is Python {PYTHON}; the bundle has packages for Python 3.5, 3.6."
    assert refused(made, tmp_path / "cache") == told
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("spoilt", [b"do as you like", b"as packed", b'"wheels": {'])
def test_a_damaged_bundle(made: Path, spoilt: bytes, tmp_path: Path) -> None:
    """In a file of the lab, in a package, in the list; what is not compressed shows where."""
    with zipfile.ZipFile(made) as archive:
        content = {each.filename: archive.read(each) for each in archive.infolist()}
    with zipfile.ZipFile(made, "w") as archive:
        for name, text in content.items():
            archive.writestr(name, text)
    assert spoilt in made.read_bytes()
    made.write_bytes(made.read_bytes().replace(spoilt, spoilt.upper()))
    assert refused(made, tmp_path / "cache").startswith("this bundle is damaged (")
    left = (tmp_path / "cache").rglob("*")
    assert [path.suffix for path in left if path.is_file()] in ([], [".lock"])


def test_what_a_stopped_one_left_is_not_used(made: Path, tmp_path: Path) -> None:
    assert run(made, tmp_path / "cache").returncode == 0
    (place,) = (tmp_path / "cache/bundle").glob(f"*-py{PYTHON}")
    partial = place.with_name(place.name + ".partial")
    place.rename(partial)
    (partial / "python/packaged.py").write_text("raise SystemExit('half')")
    assert run(made, tmp_path / "cache").returncode == 0
    assert not partial.exists()


def test_a_cache_that_cannot_be_written(made: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    told = refused(made, tmp_path / "cache")
    assert told.startswith(f"the bundle cannot be unpacked into {tmp_path}/cache/bundle/")
    assert "FIRESTEEL_CACHE" in told


def test_two_first_calls_at_once(made: Path, tmp_path: Path) -> None:
    environment = os.environ | {"FIRESTEEL_CACHE": str(tmp_path / "cache")}
    both = [
        subprocess.Popen(
            [sys.executable, str(made)], env=environment, stderr=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    told = [each.communicate(timeout=60)[1] for each in both]
    assert [each.returncode for each in both] == [0, 0]
    assert sum("unpacking the bundle" in each for each in told) == 1


def test_another_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    launcher.check_machine([2, 28])
    for library in ("glibc 2.27", "", None):
        with monkeypatch.context() as context:
            context.setattr(os, "confstr", lambda _, library=library: library)
            with pytest.raises(launcher.RefusedError, match=r"needs glibc 2\.28 or newer\.$"):
                launcher.check_machine([2, 28])
    with monkeypatch.context() as context:
        context.setattr(launcher, "CPP_LIBRARY", "libnot-here.so.6")
        with pytest.raises(
            launcher.RefusedError, match=r"no libnot-here\.so\.6, which NumPy needs"
        ):
            launcher.check_machine([2, 28])
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    with pytest.raises(launcher.RefusedError, match=r"Linux aarch64; allowed is Linux x86_64"):
        launcher.check_machine([2, 28])


def test_no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("FIRESTEEL_CACHE", raising=False)
    monkeypatch.setattr(Path, "home", home)
    with pytest.raises(launcher.RefusedError, match="neither FIRESTEEL_CACHE nor HOME"):
        launcher.cache_directory()


def test_what_travels() -> None:
    names = {path.relative_to(CHECKOUT).as_posix() for path in bundle.checkout_files()}
    for name in (
        "LICENSES/GPL-2.0-or-later.txt",
        "board/profiles/socrates.toml",
        "docs/fidelity.md",
        "driver/main.c",
        "experiments/thesis.toml",
        "lab/src/firesteel/show/report/report.html.j2",
        "recorded/runs.toml",
    ):
        assert name in names
    assert not [name for name in names if "/tests/" in name or "__pycache__" in name]


LOCKED = """\
# Made by hand.
always==1.0 \\
    --hash=sha256:aa \\
    --hash=sha256:bb
old==2.0 ; python_full_version < '3.12' \\
    --hash=sha256:cc
old==3.0 ; python_full_version >= '3.12' \\
    --hash=sha256:dd
elsewhere==4.0 ; sys_platform == 'win32' \\
    --hash=sha256:ee
"""


@pytest.mark.parametrize(
    ("python", "version", "digest"), [("3.11", "2.0", "cc"), ("3.12", "3.0", "dd")]
)
def test_lines_that_count(python: str, version: str, digest: str) -> None:
    assert bundle.requirements_for(python, LOCKED) == (
        "always==1.0 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\n"
        f"old=={version} \\\n    --hash=sha256:{digest}\n"
    )


def test_the_versions_are_those_of_the_environment() -> None:
    script = (CHECKOUT / "scripts/venv.sh").read_text()
    (said,) = re.findall(r"if version not in \((.*)\):", script)
    assert said == ", ".join(f'"{python}"' for python in bundle.PYTHONS)
    for python in bundle.PYTHONS:
        bundle.check_python(python)
    with pytest.raises(FiresteelError, match=r"^Python 3\.9: allowed are 3\.11, 3\.12, 3\.13\.$"):
        bundle.check_python("3.9")


# ---- sources ----

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
    assert bundle.sources_of(SHOWN) == {
        "busybox:armhf=1:1.37.0-6+b2": ["busybox=1:1.37.0-6", "glibc=2.41-12"],
        "curl:armhf=8.14.1-2": ["curl=8.14.1-2"],
        "libcurl4t64:armhf=8.14.1-2": ["curl=8.14.1-2"],
    }
    listed = "curl 8.14.1-2\nzlib1g 1:1.3\n"
    assert bundle.binaries(listed, "armhf") == ["curl:armhf=8.14.1-2", "zlib1g:armhf=1:1.3"]
    assert bundle.binaries(listed, "amd64", ["zlib1g"]) == ["zlib1g:amd64=1:1.3"]
    with pytest.raises(FiresteelError, match="build root has no nettle-dev:"):
        bundle.binaries(listed, "amd64", ["curl", "nettle-dev"])


def test_sources_that_did_not_come(tmp_path: Path) -> None:
    told = (
        "Version: 1:1.3\n\nChecksums-Sha256:\n aa 1 zlib_1.3.tar.xz\n bb 2 zlib_1.3.diff\nFiles:\n"
    )
    (tmp_path / "zlib_1.3.dsc").write_text(told)
    (tmp_path / "zlib_1.3.tar.xz").touch()
    needed = ["curl=8.14.1-2", "zlib=1:1.3"]
    assert bundle.incomplete(needed, tmp_path) == needed
    (tmp_path / "zlib_1.3.diff").touch()
    assert bundle.incomplete(needed, tmp_path) == ["curl=8.14.1-2"]


def test_a_file_of_all_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    top = tmp_path / "checkout"
    ours = ("driver/main.c", "dist/old", ".git/config", "lab/__pycache__/x.pyc", "firesteel")
    theirs = ("debian/SOURCES", "debian/curl.dsc", "qemu/qemu.dsc")
    for path in (*(top / name for name in ours), *(tmp_path / name for name in theirs)):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(path.name)
    (top / "firesteel").chmod(0o755)
    monkeypatch.setattr(bundle, "CHECKOUT", top)
    with pytest.raises(StoreError, match="cannot be written: No such file"):
        bundle.write_sources(tmp_path, tmp_path / "none", tmp_path / "qemu")
    assert not list(tmp_path.glob("*.tar*")) + list(tmp_path.glob(".*"))
    path = bundle.write_sources(tmp_path, tmp_path / "debian", tmp_path / "qemu")
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
    assert bundle.write_sources(tmp_path, tmp_path / "debian", tmp_path / "qemu") == path
    assert path.read_bytes() == before
