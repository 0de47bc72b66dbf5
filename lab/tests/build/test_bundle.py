# SPDX-License-Identifier: Apache-2.0
"""A bundle is one file that Python runs and pip installs, or refuses in one sentence."""

import base64
import hashlib
import os
import platform
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from made_supply import MadeSupply

from firesteel import __version__
from firesteel.architectures.registry import DEFAULT
from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
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


def test_pip_installs_it(made: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--target"]
    command += [str(site), "--disable-pip-version-check", str(made)]
    subprocess.run(command, check=True)
    environment = os.environ | {"PYTHONPATH": str(site), "FIRESTEEL_CACHE": str(tmp_path / "cache")}
    told = subprocess.run(
        [str(site / "bin/firesteel"), "list"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert told.stdout.startswith("['list'] as packed ")


def test_it_is_a_wheel(made: Path) -> None:
    tag = PYTHON.replace(".", "")
    assert made.name == f"firesteel-{__version__}-cp{tag}-none-manylinux_2_28_x86_64.whl"
    with zipfile.ZipFile(made) as archive:
        (record,) = (name for name in archive.namelist() if name.endswith("/RECORD"))
        lines = archive.read(record).decode().splitlines()
        assert len(lines) == len(archive.namelist())
        for line in lines:
            name, digest, size = line.split(",")
            if name != record:
                content = archive.read(name)
                hashed = base64.urlsafe_b64encode(hashlib.sha256(content).digest())
                assert digest == "sha256=" + hashed.decode().rstrip("=")
                assert int(size) == len(content)
        assert archive.read(f"firesteel-{__version__}.dist-info/licenses/Any.txt")


def test_the_same_inputs_give_the_same_bytes(made: Path, checkout: Path, wheel: Path) -> None:
    before = made.read_bytes()
    for path in checkout.rglob("*"):
        os.utime(path, (1, 1))
    assert write(checkout, wheel, PYTHON).read_bytes() == before


def test_another_python(checkout: Path, wheel: Path, tmp_path: Path) -> None:
    made = write(checkout, wheel, "3.5", "3.6")
    assert "-cp35.cp36-none-" in made.name
    done = run(made, tmp_path / "cache")
    assert done.returncode == 1
    assert done.stderr == (
        f"firesteel: this is Python {PYTHON}; the bundle has packages for Python 3.5, 3.6.\n"
    )
    assert not (tmp_path / "cache").exists()


def spoil(path: Path, name: str) -> None:
    """Write the zip file anew, with another content of one file."""
    with zipfile.ZipFile(path) as archive:
        content = {each: archive.read(each) for each in archive.namelist()}
    content[f"firesteel_bundle/{name}"] = b"spoilt"
    with zipfile.ZipFile(path, "w") as archive:
        for each, text in content.items():
            archive.writestr(each, text)


@pytest.mark.parametrize("name", ["firesteel.zip", "packaged-1-py3-none-any.whl"])
def test_a_damaged_bundle(made: Path, name: str, tmp_path: Path) -> None:
    spoil(made, name)
    done = run(made, tmp_path / "cache")
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last == (
        f"firesteel: this bundle is damaged ({name} has another hash); copy or download it again."
    )
    assert [path.suffix for path in (tmp_path / "cache/bundle").iterdir()] == [".lock"]


def test_a_list_that_is_damaged(made: Path, tmp_path: Path) -> None:
    spoil(made, "contents.json")
    done = run(made, tmp_path / "cache")
    assert done.returncode == 1
    assert done.stderr.startswith("firesteel: this bundle is damaged (contents.json: Expecting")
    assert done.stderr.count("\n") == 1


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
    done = run(made, tmp_path / "cache")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert f"cannot be unpacked into {tmp_path}/cache/bundle/" in done.stderr
    assert "FIRESTEEL_CACHE" in done.stderr


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


def test_a_disk_that_is_full(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRESTEEL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(launcher, "_SPARE", 1 << 60)
    with zipfile.ZipFile(made) as archive:
        archive.extractall(tmp_path / "installed")
    source = launcher.Source(tmp_path / "installed/firesteel_bundle")
    with pytest.raises(launcher.RefusedError, match=r"No space left on device; free some"):
        launcher.place_of(source)


@pytest.mark.parametrize("library", ["glibc 2.27", "", None])
def test_another_c_library(library: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    launcher.check_machine([2, 28])
    monkeypatch.setattr(os, "confstr", lambda _: library)
    with pytest.raises(launcher.RefusedError, match=r"needs glibc 2\.28 or newer\.$"):
        launcher.check_machine([2, 28])


def test_another_machine(monkeypatch: pytest.MonkeyPatch) -> None:
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
        "lab/src/firesteel/report/report.html.j2",
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


@pytest.mark.parametrize("python", bundle.PYTHONS)
def test_each_package_of_the_lock_file_counts_once(python: str) -> None:
    text = bundle.requirements_for(python, bundle.REQUIREMENTS.read_text())
    names = re.findall(r"^(\S+)==", text, re.MULTILINE)
    assert len(names) == len(set(names))
    assert {"numpy", "polars", "pydantic"} <= set(names)
    assert "colorama" not in names


def test_the_versions_are_those_of_the_environment() -> None:
    script = (CHECKOUT / "scripts/venv.sh").read_text()
    (said,) = re.findall(r"if version not in \((.*)\):", script)
    assert said == ", ".join(f'"{python}"' for python in bundle.PYTHONS)
    for python in bundle.PYTHONS:
        bundle.check_python(python)
    with pytest.raises(FiresteelError, match=r"^Python 3\.9: allowed are 3\.11, 3\.12, 3\.13\.$"):
        bundle.check_python("3.9")
