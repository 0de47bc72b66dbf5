# SPDX-License-Identifier: Apache-2.0
"""Diagrams of pages: each SVG is the one of its text, and each page has one that there is."""

import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from firesteel.base.errors import FiresteelError
from tools import diagrams
from tools.figures import pages, rendered

TEXTS = sorted(diagrams.DIRECTORY.glob("*.pikchr"))


@pytest.mark.parametrize("path", TEXTS, ids=[path.stem for path in TEXTS])
def test_a_picture_is_drawn_from_its_text(path: Path) -> None:
    text, svg = path.read_text(encoding="utf-8"), path.with_suffix(".svg").read_text("utf-8")
    assert diagrams.is_of(svg, text), "scripts/figures.sh write"
    assert not diagrams.is_of(svg.replace("<text", "<text ", 1), text)
    assert not diagrams.is_of(svg, f"{text}\n")
    picture = ElementTree.fromstring(svg)
    assert picture.get("aria-label") == diagrams.says(text)
    assert float(picture.get("width", "")) <= 480, "a phone shows it almost unscaled"
    assert "prefers-color-scheme: dark" in svg
    assert "rgb(" not in svg


def test_every_picture_is_in_a_page_and_no_other_is_left() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in pages())
    for path in TEXTS:
        assert diagrams.in_page(path.stem) in text
    svgs = {path.with_suffix(".svg") for path in TEXTS}
    assert set(diagrams.DIRECTORY.glob("*.svg")) == svgs


def test_an_unknown_picture_is_an_error() -> None:
    with pytest.raises(FiresteelError, match=r"no diagram `boat`; allowed is one of board, clock"):
        rendered('<!-- {{ diagram("boat") }} -->\n<!--/-->')


@pytest.fixture
def drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with one text that has not been drawn yet."""
    monkeypatch.setattr(diagrams, "CHECKOUT", tmp_path)
    monkeypatch.setattr(diagrams, "DIRECTORY", tmp_path)
    path = tmp_path / "new.pikchr"
    path.write_text('# licence\n# A box.\n\nbox "here" fill $tint color $hardware\n')
    return path


def test_without_pikchr_the_error_names_what_has_it(
    drawn: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(drawn.parent))
    with pytest.raises(FiresteelError, match=r"new\.pikchr has changed; .*`fossil`"):
        diagrams.diagrams()


@pytest.mark.skipif(shutil.which("fossil") is None, reason="Pikchr is not installed")
def test_pikchr_draws_with_the_colours_of_the_report(drawn: Path) -> None:
    (svg,) = diagrams.diagrams().values()
    assert diagrams.is_of(svg, drawn.read_text())
    assert 'aria-label="A box."' in svg
    assert 'stroke="#1a5fb4"' in svg
    drawn.write_text("# licence\n# A box.\n\nbax\n")
    with pytest.raises(FiresteelError, match=r"new\.pikchr: .*ERROR"):
        diagrams.diagrams()
