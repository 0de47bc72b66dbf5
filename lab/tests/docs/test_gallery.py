# SPDX-License-Identifier: Apache-2.0
"""docs/gallery.md and its pictures come from recorded runs; its conclusions follow from them."""

import re
import shlex
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest
from made_pairs import both, found

from firesteel.base.checkout import CHECKOUT, RECORDED
from firesteel.base.errors import FiresteelError
from firesteel.judge.intervals import Sample
from firesteel.judge.rows import Result
from firesteel.model.figure import Parameter
from firesteel.model.identity import Identity
from firesteel.store.store import Store
from tools import pictures as drawing
from tools import tables
from tools.figures import pages, rendered
from tools.pictures import PICTURES, picture_named, pictures
from tools.runs import load_runs

PAGE = (CHECKOUT / "docs" / "gallery.md").read_text(encoding="utf-8")
README = (CHECKOUT / "README.md").read_text(encoding="utf-8")
STORE = Store(RECORDED)
NAMES = ("router", "gateway", "concentrator", "core", "prototype")


def test_the_page_has_every_question_with_the_command_that_was_recorded() -> None:
    told = re.findall(r"```\n\./firesteel run (.*)\n```\n\n<!-- {{ picture\(\"(\w+)\"\)", PAGE)
    assert [name for _, name in told] == list(NAMES)
    commands = {run.name: shlex.join((run.experiment, *run.options)) for run in load_runs()}
    for command, name in told:
        assert command == commands[picture_named(name).run]


def test_pictures_are_those_of_the_recorded_runs() -> None:
    wanted = pictures(STORE)
    assert set(PICTURES.glob("*")) == set(wanted), "no picture is left of a run that is gone"
    for path, text in wanted.items():
        assert path.read_text(encoding="utf-8") == text, "scripts/figures.sh write"
        label = ElementTree.fromstring(text).get("aria-label", "")
        label = label.replace("[", "(").replace("]", ")")
        assert f"![{label}](" in PAGE + README, "the page says what the picture says"


def test_a_picture_whose_run_is_not_recorded_yet_says_which(tmp_path: Path) -> None:
    page = rendered('<!-- {{ picture("core") }} -->\nstale\n<!--/-->', Store(tmp_path))
    assert page.splitlines()[1:-1] == [
        "*Not recorded yet: `scripts/figures.sh measure core-clock`.*"
    ]
    assert pictures(Store(tmp_path)) == {}


def test_a_picture_that_is_none_is_an_error() -> None:
    with pytest.raises(FiresteelError, match=r"allowed is one of tunnels, router, gateway"):
        rendered('<!-- {{ picture("boat") }} -->\n<!--/-->')


def test_conclusions_are_asked_for() -> None:
    found = re.findall(r"\n\*\*(<!-- {{ answer\(\"([\w-]+)\"\) }} -->)?(.+?)\*\*", PAGE)
    said = dict(zip(NAMES, found, strict=True))
    # This one compares boards with each other.
    assert said.pop("concentrator")[1] == ""
    assert [run for _, run, _ in said.values()] == [picture_named(name).run for name in said]
    course = '<!-- {{ course("core-clock") }} -->\nx\n<!--/-->'
    assert re.search("(at|from) 25 MHz", rendered(course))
    with pytest.raises(FiresteelError, match="no sweep"):
        rendered('<!-- {{ course("gateways") }} -->\nx\n<!--/-->')


def result(value: float, *, converged: bool = True) -> Result:
    identity = Identity(
        "tls-connections", Parameter(key="rsa-2048"), "haproxy", "x", "y", "hardware"
    )
    return Result(identity, "connections", value, Sample(((1, value),), converged=converged))


def test_amounts_have_no_more_digits_than_they_are_good_for() -> None:
    assert tables.amounts([result(719.84)]) == "719.8"
    assert tables.amounts([result(13855.7)]) == "13,856"
    assert tables.amounts([result(13855.7, converged=False)]) == "about 13,900"
    unsure = [result(value, converged=False) for value in (2639.2, 719.8)]
    assert tables.amounts(unsure) == "about 2,640 and 720"
    assert tables.amounts([*unsure, result(10.0)]) == "about 2,640, about 720 and 10.0"


@pytest.mark.parametrize(
    ("speeds", "said"),
    [
        ((2,), "the 1 row gains"),
        ((2, 2), "all 2 rows gain"),
        ((2, 1), "1 of 2 rows gains and none loses"),
        ((2, 2, 0.5), "2 of 3 rows gain and 1 loses"),
        ((0.5, 0.5), "none of 2 rows gains and 2 lose"),
    ],
)
def test_rows_that_gain_and_lose_are_counted(speeds: tuple[float, ...], said: str) -> None:
    made = [
        row
        for number, speed in enumerate(speeds)
        for row in both("throughput", 10, 10 * speed, parameter=f"{number + 1} MiB")
    ]
    assert tables.gains(found(*made)) == said


def test_rows_that_are_mixed_are_counted() -> None:
    gaining = both("throughput", 10, 20)
    mixed = [
        *both("throughput", 10, 20, parameter="2 MiB"),
        *both("cpu_seconds_per_mb", 10, 20, parameter="2 MiB"),
    ]
    losing = both("throughput", 10, 5, parameter="3 MiB")
    assert tables.gains(found(*gaining, *mixed)) == ("1 of 2 rows gains, none loses and 1 is mixed")
    assert tables.gains(found(*gaining, *mixed, *losing)) == (
        "1 of 3 rows gains, 1 loses and 1 is mixed"
    )


def test_verdicts_have_a_column_a_board_and_the_worst_row_first() -> None:
    fast = {"board": "fast+cpu.count=1"}
    made = [
        *both("throughput", 10, 20, board="slow"),
        *both("cpu_seconds_per_mb", 10, 5, board="slow"),
        *both("throughput", 10, 10, parameter="2 MiB", board="slow"),
        *both("throughput", 10, 5, parameter="2 MiB", **fast),
    ]
    found_lines = (
        tables.verdicts(found(*made), "").replace("\N{MULTIPLICATION SIGN}", "x").splitlines()
    )
    assert found_lines == [
        "| traffic | `slow` | `fast` with 1 CPU |",
        "| --- | --- | --- |",
        "| IPsec AES-256-GCM, 2 MiB | **equal**: 1.00x | **loses**: 0.50x |",
        "| IPsec AES-256-GCM, 16 MiB | **helps**: 2.00x, work 0.50x | \N{EN DASH} |",
    ]


TEXTS = sorted(drawing.DIAGRAMS.glob("*.pikchr"))


@pytest.mark.parametrize("path", TEXTS, ids=[path.stem for path in TEXTS])
def test_a_picture_is_drawn_from_its_text(path: Path) -> None:
    text, svg = path.read_text(encoding="utf-8"), path.with_suffix(".svg").read_text("utf-8")
    assert drawing.is_of(svg, text), "scripts/figures.sh write"
    assert not drawing.is_of(svg.replace("<text", "<text ", 1), text)
    assert not drawing.is_of(svg, f"{text}\n")
    picture = ElementTree.fromstring(svg)
    assert picture.get("aria-label") == drawing.says(text)
    assert float(picture.get("width", "")) <= 480, "a phone shows it almost unscaled"
    assert "prefers-color-scheme: dark" in svg
    assert "rgb(" not in svg


def test_every_picture_is_in_a_page_and_no_other_is_left() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in pages())
    for path in TEXTS:
        assert drawing.diagram_in_page(path.stem) in text
    svgs = {path.with_suffix(".svg") for path in TEXTS}
    assert set(drawing.DIAGRAMS.glob("*.svg")) == svgs


def test_an_unknown_picture_is_an_error() -> None:
    with pytest.raises(FiresteelError, match=r"no diagram `boat`; allowed is one of board, clock"):
        rendered('<!-- {{ diagram("boat") }} -->\n<!--/-->')


@pytest.fixture
def drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with one text that has not been drawn yet."""
    monkeypatch.setattr(drawing, "CHECKOUT", tmp_path)
    monkeypatch.setattr(drawing, "DIAGRAMS", tmp_path)
    path = tmp_path / "new.pikchr"
    path.write_text('# licence\n# A box.\n\nbox "here" fill $tint color $hardware\n')
    return path


def test_without_pikchr_the_error_names_what_has_it(
    drawn: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(drawn.parent))
    with pytest.raises(FiresteelError, match=r"new\.pikchr has changed; .*`fossil`"):
        drawing.diagrams()


@pytest.mark.skipif(shutil.which("fossil") is None, reason="Pikchr is not installed")
def test_pikchr_draws_with_the_colours_of_the_report(drawn: Path) -> None:
    (svg,) = drawing.diagrams().values()
    assert drawing.is_of(svg, drawn.read_text())
    assert 'aria-label="A box."' in svg
    assert 'stroke="#1a5fb4"' in svg
    drawn.write_text("# licence\n# A box.\n\nbax\n")
    with pytest.raises(FiresteelError, match=r"new\.pikchr: .*ERROR"):
        drawing.diagrams()
