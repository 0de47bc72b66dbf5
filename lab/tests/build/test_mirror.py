# SPDX-License-Identifier: Apache-2.0
"""The mirror comes out of the machine's apt configuration, whatever its form."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from firesteel.architectures import ARCHITECTURES
from firesteel.base.errors import FiresteelError
from firesteel.build import debian

Configure = Callable[..., None]


@pytest.fixture
def configure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Configure:
    """Gives apt the configuration in the files that are named by keyword."""
    monkeypatch.delenv("FIRESTEEL_MIRROR", raising=False)

    def write(one_line: str = "", deb822: str = "", options: str = "") -> None:
        parts = tmp_path / "sources.list.d"
        parts.mkdir()
        (tmp_path / "sources.list").write_text(one_line)
        (parts / "debian.sources").write_text(deb822)
        (tmp_path / "apt.conf").write_text(
            f'Dir::Etc::sourcelist "{tmp_path}/sources.list";\n'
            f'Dir::Etc::sourceparts "{parts}";\n'
            f'Dir::State::lists "{tmp_path}/lists";\n{options}'
        )
        monkeypatch.setenv("APT_CONFIG", str(tmp_path / "apt.conf"))

    return write


@pytest.fixture
def archive(tmp_path: Path) -> str:
    """The address of an archive that has our suite."""
    release = tmp_path / "archive/dists" / debian.SUITE / "Release"
    release.parent.mkdir(parents=True)
    release.write_text(f"Suite: {debian.SUITE}\n")
    return f"file:{tmp_path}/archive"


@pytest.mark.parametrize(
    "files",
    [
        {"one_line": "# comment\ndeb [arch=amd64] {}/ bookworm main contrib\n"},
        {"deb822": "Types: deb\nURIs: {}\nSuites: trixie\nComponents: main\n"},
        {"one_line": "deb file:/nowhere/security x main\ndeb {} bookworm main\n"},
    ],
)
def test_the_archive_that_has_our_suite_is_found(
    configure: Configure, archive: str, files: dict[str, str]
) -> None:
    configure(**{name: text.format(archive) for name, text in files.items()})
    assert debian.find_mirror().uri == archive
    kinds = debian.find_mirror().sources(("deb", "deb-src"))
    assert [line.split()[0] for line in kinds] == ["deb", "deb-src"]
    assert all(line.endswith(f"{archive} trixie main") for line in kinds)


def _suite(
    archive: str, name: str, index: bytes, listed: bytes, architecture: str = "armhf"
) -> None:
    """A suite of the archive with an index, and with the `Release` file that `listed` has."""
    place = Path(archive.removeprefix("file:")) / "dists" / name
    file = f"main/binary-{architecture}/Packages.xz"
    (place / file).parent.mkdir(parents=True, exist_ok=True)
    (place / file).write_bytes(index)
    digest = hashlib.sha256(listed).hexdigest()
    (place / "Release").write_text(
        f"Suite: stable\nCodename: {debian.SUITE}\nMD5Sum:\n 0 1 x\nSHA256:\n"
        f" {digest} {len(listed)} {file}\n"
    )


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize(
    ("trixie", "stable", "taken"),
    [(b"new", b"old", "trixie"), (b"old", b"new", "stable"), (b"old", b"old", "")],
)
def test_the_name_under_which_the_suite_is_whole(
    configure: Configure, archive: str, trixie: bytes, stable: bytes, taken: str, architecture: str
) -> None:
    configure(one_line=f"deb {archive} trixie main\n")
    _suite(archive, "trixie", trixie, b"new", architecture)
    _suite(archive, "stable", stable, b"new", architecture)
    if taken:
        assert debian.find_mirror() == debian.Mirror(archive, taken)
    else:
        with pytest.raises(FiresteelError, match="while a mirror synchronises"):
            debian.find_mirror()


def test_another_release_does_not_stand_in(configure: Configure, archive: str) -> None:
    configure(one_line=f"deb {archive} trixie main\n")
    _suite(archive, "trixie", index=b"old", listed=b"new")
    other = Path(archive.removeprefix("file:")) / "dists/stable/Release"
    other.parent.mkdir()
    other.write_text("Suite: stable\nCodename: forky\n")
    with pytest.raises(FiresteelError, match="while a mirror synchronises"):
        debian.find_mirror()


@pytest.mark.parametrize(
    ("sources", "told"),
    [
        ("", "has no archive"),
        ("this is no source\n", "apt's configuration"),
        ("deb http://127.0.0.1:1/debian bookworm main\n", "knows: http://127.0.0.1:1/debian;"),
    ],
)
def test_no_archive_is_one_sentence(configure: Configure, sources: str, told: str) -> None:
    configure(one_line=sources)
    with pytest.raises(FiresteelError, match=told) as caught:
        debian.find_mirror()
    assert "\n" not in str(caught.value)


def test_the_environment_overrides(
    configure: Configure, archive: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure()
    monkeypatch.setenv("FIRESTEEL_MIRROR", archive)
    assert debian.find_mirror().uri == archive


def test_a_machine_without_apt(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("FIRESTEEL_MIRROR", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FiresteelError, match="apt-get is missing"):
        debian.find_mirror()


def test_the_machine_s_proxy_is_handed_on(configure: Configure) -> None:
    configure(options='Acquire::http::Proxy "http://127.0.0.1:3128";\n')
    assert 'Acquire::http::Proxy "http://127.0.0.1:3128";' in debian.apt_options()
