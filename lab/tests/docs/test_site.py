# SPDX-License-Identifier: Apache-2.0
"""The site as scripts/docs.sh builds it: whole, without anything from the network, in versions."""

import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from tools import site as tool

_PARTS = (
    "docs",
    "lab/src",
    "board",
    "published",
    "requirements",
    "scripts",
    "research",
    "tools",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "VERSION",
)
"""What of the checkout the site is made from."""

_LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
"""Elements that a browser fetches, and the attribute that says from where."""

_ONLY_NAMED = ("canonical", "prev", "next")
"""Kinds of `link` that are not fetched."""

_FETCHING = ("mermaid", "glightbox", "pyodide", "md-source")
"""Classes of elements for which the theme's program fetches something from the network."""


@dataclass
class Page(HTMLParser):
    """What of a page leads elsewhere, and what can be led to."""

    loaded: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)
    classes: set[str] = field(default_factory=set)
    text: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {name: value or "" for name, value in attrs}
        self.anchors |= {said[name] for name in ("id", "name") if name in said}
        self.classes |= set(said.get("class", "").split())
        if tag == "a" and "href" in said:
            self.links.append(said["href"])
        if _LOADED.get(tag) in said and said.get("rel") not in _ONLY_NAMED:
            self.loaded.append(said[_LOADED[tag]])

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of this checkout."""
    directory = tmp_path_factory.mktemp("docs") / "site"
    done = build(CHECKOUT, directory)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{directory}/{tool.version()}/index.html\n"
    return directory / tool.version()


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    found = {}
    for file in sorted(site.rglob("*.html")):
        found[file] = Page()
        found[file].feed(file.read_text(encoding="utf-8"))
    assert len(found) > 40
    return found


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of what the site is made from, to be spoilt."""
    copy = tmp_path / "checkout"
    for part in _PARTS:
        (copy / part).parent.mkdir(parents=True, exist_ok=True)
        if (CHECKOUT / part).is_dir():
            ignore = shutil.ignore_patterns("__pycache__")
            shutil.copytree(CHECKOUT / part, copy / part, ignore=ignore)
        else:
            shutil.copy2(CHECKOUT / part, copy / part)
    return copy


def build(checkout: Path, directory: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [checkout / "scripts/docs.sh", directory], capture_output=True, text=True, check=False
    )


def test_nothing_is_loaded_from_the_network(site: Path, pages: Mapping[Path, Page]) -> None:
    for file, page in pages.items():
        for address in page.loaded:
            if address.startswith("data:"):
                continue
            parts = urlsplit(address)
            assert (parts.scheme, parts.netloc) == ("", ""), f"{file}: {address}"
            # The page of a server's errors is for any address; it has the site's root.
            if file.name != "404.html":
                assert (file.parent / unquote(parts.path)).is_file(), f"{file}: {address}"
        assert not page.classes & set(_FETCHING), file
    for file in site.rglob("*.css"):
        text = file.read_text(encoding="utf-8")
        addresses = re.findall(r"url\(\s*[\"']?([^\"')]*)", text)
        outside = [each for each in addresses if not each.startswith(("data:", "#"))]
        assert not [each for each in outside if "//" in each], file
        assert "@import" not in text, file


def test_every_link_within_the_site_has_an_end(site: Path, pages: Mapping[Path, Page]) -> None:
    count = 0
    for file, page in pages.items():
        if file.name == "404.html":
            continue
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            there = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            assert there.is_relative_to(site.resolve()), f"{file}: {link}"
            assert there.is_file(), f"{file}: {link}"
            if parts.fragment:
                assert unquote(parts.fragment) in pages[there].anchors, f"{file}: {link}"
            count += 1
    assert count > 1000


def test_pages_are_built_whole(site: Path, pages: Mapping[Path, Page]) -> None:
    for file, page in pages.items():
        assert "|---|" not in "".join(page.text), file
        assert not re.search(r"\n- \S", "".join(page.text)), file
    told = (site / "reference/command-line.html").read_text(encoding="utf-8")
    assert "firesteel console" in told
    assert "--only KEY=VALUE" in told
    told = (site / "reference/experiment.html").read_text(encoding="utf-8")
    assert 'id="handshakes-seconds"' in told


def test_one_file_has_every_page_once_in_order(site: Path, pages: Mapping[Path, Page]) -> None:
    text = (site / "llms.txt").read_text(encoding="utf-8")
    head, *parts = re.split(r"^Page: (\S+)\n\n", text, flags=re.MULTILINE)
    assert head.startswith("# Firesteel\n\n> ")
    named, texts = parts[::2], parts[1::2]
    navigation = (CHECKOUT / "docs/zensical.toml").read_text(encoding="utf-8")
    assert named == re.findall(r'= "([^"]+\.md)"', navigation)
    assert all(site / path.replace(".md", ".html") in pages for path in named)
    assert all(each.startswith("# ") and "<!--" not in each for each in texts)
    assert "\nWhere does offload help?" in texts[named.index("sweeps.md")]  # Generated parts stay.


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {
                "docs/boards.md": "[gone](no-page.md), [gone](lockstep.md#no-anchor)",
                "CHANGELOG.md": "[gone](docs/lockstep.md#no-other)",
            },
            ("no-page.md", "#no-anchor", "#no-other"),
        ),
        ({"docs/new.md": "# New"}, ("new.md", "navigation")),
    ],
)
def test_a_wrong_page_leaves_the_site_as_it_was(
    checkout: Path, tmp_path: Path, changes: dict[str, str], said: tuple[str, ...]
) -> None:
    for page, text in changes.items():
        with (checkout / page).open("a", encoding="utf-8") as file:
            file.write(f"\n{text}\n")
    (tmp_path / "site").mkdir()
    (tmp_path / "site/index.html").write_text("the one before")
    done = build(checkout, tmp_path / "site")
    assert (done.returncode, done.stdout) == (1, "")
    assert "Traceback" not in done.stderr
    assert all(each in done.stderr for each in said)
    assert [path.name for path in (tmp_path / "site").iterdir()] == ["index.html"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["checkout", "site"]


def test_a_release_lies_next_to_the_other_versions(
    site: Path, checkout: Path, tmp_path: Path
) -> None:
    shutil.copytree(site, tmp_path / "site/unreleased")
    changelog = checkout / "CHANGELOG.md"
    text = changelog.read_text(encoding="utf-8").replace(
        "## Unreleased", "## 7.1.0 — 2031-01-02", 1
    )
    changelog.write_text(text, encoding="utf-8")
    (checkout / "VERSION").write_text("7.1.0\n")
    done = build(checkout, tmp_path / "site")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{tmp_path}/site/7.1.0/index.html\n"
    files = sorted(path.name for path in (tmp_path / "site").iterdir())
    assert files == ["7.1.0", "index.html", "unreleased", "versions.js"]
    first = (tmp_path / "site/index.html").read_text(encoding="utf-8")
    assert "url=7.1.0/index.html" in first
    for page in ("unreleased/index.html", "7.1.0/reference/profile.html"):
        file = tmp_path / "site" / page
        (script,) = re.findall(r'src="([^"]*versions\.js)"', file.read_text(encoding="utf-8"))
        assert (file.parent / script).resolve() == tmp_path / "site/versions.js"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tool, "CHECKOUT", tmp_path)
    (tmp_path / "VERSION").write_text("0.2.0\n")
    return tmp_path


@pytest.mark.parametrize(
    ("first", "name"), [("Unreleased", "unreleased"), ("0.2.0 — 2031-01-02", "0.2.0")]
)
def test_version_and_changelog_decide(root: Path, first: str, name: str) -> None:
    (root / "CHANGELOG.md").write_text(f"# Changelog\n\n## {first}\n\n## 0.1.0 — 2030-01-02\n")
    assert tool.version() == name


@pytest.mark.parametrize("text", ["## 0.1.0 — 2030-01-02\n", "# Changelog\n"])
def test_another_first_section_is_an_error(root: Path, text: str) -> None:
    (root / "CHANGELOG.md").write_text(text)
    with pytest.raises(FiresteelError, match=r"allowed are `Unreleased` and `0\.2\.0`"):
        tool.version()


@pytest.mark.parametrize(
    ("folders", "listed"),
    [
        (["unreleased"], '["unreleased"]'),
        (["unreleased", "0.9.0", "0.10.0"], '["0.10.0", "0.9.0", "unreleased"]'),
    ],
)
def test_the_newest_release_comes_first(tmp_path: Path, folders: list[str], listed: str) -> None:
    for name in folders:
        (tmp_path / name).mkdir()
        (tmp_path / name / "index.html").touch()
    (tmp_path / "assets").mkdir()
    tool.write_index(tmp_path)
    assert (tmp_path / "versions.js").read_text().startswith(f"const versions = {listed};\n")
    assert f"url={listed.split(chr(34))[1]}/index.html" in (tmp_path / "index.html").read_text()
