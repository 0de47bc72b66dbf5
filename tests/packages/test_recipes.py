# SPDX-License-Identifier: Apache-2.0
"""What packages are made of fits the project: version, parts, licences, page."""

import re
import subprocess
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from pathlib import Path

import pytest

from firesteel import __version__
from firesteel.base.checkout import CHECKOUT
from firesteel.build import bundle
from firesteel.build.recipes import PROJECT
from tools import packages

_DEBIAN = packages.PACKAGING / "debian"

_SPDX = re.compile(r"SPDX-License-Identifier[:] \(?([A-Za-z0-9. -]*[A-Za-z0-9])")


def _names() -> list[str]:
    """The packages of debian/control."""
    return re.findall(r"^Package: (.*)$", (_DEBIAN / "control").read_text(), re.MULTILINE)


@pytest.mark.parametrize("suite", packages.SUITES)
def test_the_changelog_is_of_the_version_and_its_date(suite: str) -> None:
    text = packages.changelog(suite, __version__)
    assert text.startswith(f"firesteel ({__version__}-1~deb{packages.SUITES[suite]}) {suite};")
    date = text.rstrip().rpartition(">  ")[2]
    assert parsedate_to_datetime(date) == packages.version_date()


def test_files_are_of_packages_and_packages_on_the_page() -> None:
    names = _names()
    for path in _DEBIAN.iterdir():
        if path.suffix in (".install", ".dkms", ".prerm", ".postrm", ".docs", ".lintian-overrides"):
            assert path.stem in names, path.name
    page = (CHECKOUT / "docs/packages.md").read_text()
    columns = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    assert sorted(names) == sorted(re.findall(r"`(\S+)`", " ".join(columns)))


def test_the_lab_has_all_that_a_bundle_has_and_what_builds_its_products() -> None:
    lines = [line.split() for line in (_DEBIAN / "firesteel.install").read_text().splitlines()]
    there = {
        f"{target.removeprefix('usr/share/firesteel/lab')}/{Path(path).name}".lstrip("/"): path
        for path, target in lines
    }
    assert all(name == path for name, path in there.items())
    left_out = {"LICENSE", "LICENSES", "README.md"}
    assert {*bundle.PARTS, *PROJECT} - left_out <= there.keys()
    assert {path for path in there if not (CHECKOUT / path).exists()} == set()


def _licences() -> Iterator[tuple[str, str]]:
    """Each file that names its licence, with the licence."""
    files = subprocess.run(
        ["git", "-C", str(CHECKOUT), "ls-files"], check=True, capture_output=True, text=True
    )
    for name in files.stdout.splitlines():
        head = (CHECKOUT / name).read_bytes()[:300].decode("utf-8", "replace").splitlines()[:3]
        if found := _SPDX.search("\n".join(head)):
            yield name, found[1]


def test_licences_are_those_of_the_files() -> None:
    debian = pytest.importorskip("debian.copyright", reason="it comes with reuse")
    with (_DEBIAN / "copyright").open(encoding="utf-8") as file:
        said = debian.Copyright(file, strict=False)
    others = []
    for name, licence in _licences():
        paragraph = said.find_files_paragraph(name)
        if paragraph.license.synopsis.lower() != licence.lower():
            others.append(f"{name}: {licence}, not {paragraph.license.synopsis}")
    assert others == []


def test_the_page_of_licences_names_the_place_of_every_file_with_another() -> None:
    """CC-BY-4.0 is the licence of kinds of files, which the page says in words."""
    places: dict[str, list[str]] = defaultdict(list)
    text = (CHECKOUT / "LICENSE").read_text()
    for part, licence in re.findall(r"^(\S.*?) {2,}(\S.*)$", text, re.MULTILINE):
        places[licence] += re.findall(r"[\w.-]+/[\w./-]*", part)
    reuse = tomllib.loads((CHECKOUT / "REUSE.toml").read_text())["annotations"]
    listed = [
        (path, each["SPDX-License-Identifier"])
        for each in reuse
        if "SPDX-License-Identifier" in each
        for path in (each["path"] if isinstance(each["path"], list) else [each["path"]])
    ]
    elsewhere = [
        f"{path}: {licence}"
        for path, licence in (*listed, *_licences())
        if licence not in ("Apache-2.0", "CC-BY-4.0")
        and not path.startswith(tuple(places[licence]))
    ]
    assert elsewhere == []
