# SPDX-License-Identifier: Apache-2.0
"""Versions of the site: which one a checkout is, and what lies next to their folders."""

from pathlib import Path

import pytest

from firesteel.base.errors import FiresteelError
from tools import versions


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(versions, "CHECKOUT", tmp_path)
    (tmp_path / "VERSION").write_text("0.2.0\n")
    return tmp_path


@pytest.mark.parametrize(
    ("first", "name"), [("Unreleased", "unreleased"), ("0.2.0 — 2031-01-02", "0.2.0")]
)
def test_version_and_changelog_decide(checkout: Path, first: str, name: str) -> None:
    (checkout / "CHANGELOG.md").write_text(f"# Changelog\n\n## {first}\n\n## 0.1.0 — 2030-01-02\n")
    assert versions.version() == name


@pytest.mark.parametrize("text", ["## 0.1.0 — 2030-01-02\n", "# Changelog\n"])
def test_another_first_section_is_an_error(checkout: Path, text: str) -> None:
    (checkout / "CHANGELOG.md").write_text(text)
    with pytest.raises(FiresteelError, match=r"allowed are `Unreleased` and `0\.2\.0`"):
        versions.version()


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
    versions.write_index(tmp_path)
    assert (tmp_path / "versions.js").read_text().startswith(f"const versions = {listed};\n")
    assert f"url={listed.split(chr(34))[1]}/index.html" in (tmp_path / "index.html").read_text()
