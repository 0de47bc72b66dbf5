# SPDX-License-Identifier: Apache-2.0
"""The report in a browser: nothing is fetched, nothing overflows, it can be used and printed.

Needs Chromium or Chrome on the PATH; without one these tests are skipped and say so.
"""

import base64
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from made_profiles import profile
from made_runs import Rendered, by_board, results_of
from made_sensitivity import by_registers, run_of, study_of
from made_sweep import CLOCK, by_both
from made_sweep import results_of as sweep_of
from playwright.sync_api import Browser, Page, sync_playwright

from firesteel.judge.pareto import Price
from firesteel.judge.results import Results, load_results
from firesteel.show.report.write import render, write_report
from firesteel.store.store import Store

WIDTHS = (390, 768, 1280)
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if not found:
        pytest.skip(f"no browser on the PATH ({', '.join(NAMES)}): the report was not looked at")
    # Chromium has no sandbox for root.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, args=arguments)
        yield started
        started.close()


@dataclass
class Opened:
    """A page, and what was asked for and complained of since it was opened."""

    page: Page
    path: Path
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


def opened(browser: Browser, path: Path, html: str) -> Opened:
    path.write_text(html)
    page = browser.new_page()
    page.set_default_timeout(60_000)
    result = Opened(page, path)
    page.on("request", lambda request: result.requests.append(request.url))
    page.on("console", lambda message: result.complaints.append(message.text))
    page.on("pageerror", lambda error: result.complaints.append(str(error)))
    page.goto(path.as_uri())
    return result


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Hardware and software, profiles too: a report with every section but those of one board."""
    return results_of(tmp_path_factory.mktemp("run"), experiment="ipsec")


@pytest.fixture(scope="module")
def report(
    browser: Browser, whole: Results, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Opened]:
    profiles = [profile(how) for how in ("software", "hardware")]
    results = by_board(whole)
    html = render(results, profiles=profiles)
    result = opened(browser, tmp_path_factory.mktemp("page") / "report.html", html)
    yield result
    result.page.close()


def overflows(page: Page) -> list[str]:
    """What is wider than the window, unless something around it scrolls."""
    script = """() => {
        const wide = document.documentElement.clientWidth;
        if (document.documentElement.scrollWidth <= wide) return [];
        return [...document.querySelectorAll("body *")]
            .filter(each => !each.closest(".scroll"))
            .filter(each => each.getBoundingClientRect().right > wide + 1)
            .map(each => each.tagName + " " + each.className + " " + each.textContent.slice(0, 40));
    }"""
    found: list[str] = page.evaluate(script)
    return found


def unfold(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")


def fold(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = false)")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_overflows_and_nothing_is_fetched(report: Opened, width: int, scheme: str) -> None:
    page = report.page
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.set_viewport_size({"width": width, "height": 900})
    fold(page)
    assert overflows(page) == []
    unfold(page)
    assert overflows(page) == []
    fold(page)
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (scheme == "light")
    assert report.requests == [report.path.as_uri()]
    assert report.complaints == []


def test_published_tables_are_whole_at_1280_pixels(report: Opened) -> None:
    page = report.page
    page.set_viewport_size({"width": 1280, "height": 900})
    tables = page.locator(".scroll[aria-label*='Table 5']")
    assert tables.count() >= 3
    for table in tables.all():
        assert table.evaluate("each => each.scrollWidth <= each.clientWidth")


def test_captions_and_names_stay_when_a_table_is_scrolled(report: Opened) -> None:
    page = report.page
    page.set_viewport_size({"width": 390, "height": 900})
    table = page.locator(".scroll[aria-label*='Table 5.4']")
    assert table.evaluate("each => each.scrollWidth > each.clientWidth")
    assert "gradient" in table.evaluate("each => getComputedStyle(each).backgroundImage")
    table.evaluate("each => each.scrollLeft = each.scrollWidth")
    for part in ("caption span", "thead th", "tbody th"):
        box = table.locator(part).first.bounding_box()
        assert box
        assert box["x"] >= 0, part
        assert box["x"] + box["width"] <= 390, part


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_to_complain_of(report: Opened, scheme: str) -> None:
    page = report.page
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.set_viewport_size({"width": 390, "height": 900})
    unfold(page)
    found = Axe().run(page).response["violations"]
    fold(page)
    told = [(each["id"], each["nodes"][0]["html"][:200]) for each in found]
    assert told == []


def test_every_picture_has_a_name_and_every_table_heads(report: Opened) -> None:
    page = report.page
    pictures = page.locator("svg")
    assert pictures.count() > 5
    assert page.get_by_role("img").count() == pictures.count()
    assert all(picture.get_attribute("aria-label") for picture in pictures.all())
    unfold(page)
    for table in page.locator("table").all():
        assert table.locator("caption").count() == 1
        assert table.locator("thead th[scope=col]").count() > 0
        assert table.locator("tbody th[scope=row]").count() == table.locator("tbody tr").count()
    fold(page)


def test_the_keyboard_gets_to_the_answer_and_into_wide_tables(report: Opened) -> None:
    page = report.page
    page.set_viewport_size({"width": 390, "height": 900})
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.hash") == "#answer"
    assert page.evaluate("document.activeElement.getBoundingClientRect().left") >= 0
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "answer"
    page.keyboard.press("Tab")
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    assert page.evaluate("document.activeElement.className") == "scroll"
    assert page.evaluate(outline) == "solid", "what has the focus is seen"
    page.locator(".scroll[aria-label*='Table 5.4']").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.activeElement.scrollLeft > 0")


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 900)])
def test_the_first_screen_has_verdict_and_numbers(report: Opened, width: int, height: int) -> None:
    page = report.page
    page.set_viewport_size({"width": width, "height": height})
    fold(page)
    page.evaluate("scrollTo(0, 0)")
    first = page.locator("#answer .lead").first.bounding_box()
    assert first
    assert first["y"] + first["height"] < height
    rows = page.locator("#answer .first table tbody tr")
    assert 1 <= rows.count() <= 8
    for part in ("th", "td:nth-of-type(1)", "td:nth-of-type(2)", "td:nth-of-type(3)"):
        box = rows.first.locator(part).bounding_box()
        assert box
        assert box["y"] + box["height"] < height, part
        assert box["x"] + box["width"] <= width, part
    assert page.locator("#answer .first figure").count() == 1
    if width > 1000:
        steps = page.locator("#answer .steps li").last.bounding_box()
        assert steps
        assert steps["y"] + steps["height"] <= height


def test_it_prints(report: Opened) -> None:
    printed = report.page.pdf(format="A4")
    assert printed.startswith(b"%PDF")
    assert printed.count(b"/Type /Page\n") + printed.count(b"/Type /Page ") >= 1
    report.page.emulate_media(media="print")
    assert overflows(report.page) == []
    assert not report.page.locator("nav").is_visible()
    report.page.emulate_media(media="screen")


def test_figures_are_saved_as_files(report: Opened, whole: Results) -> None:
    link = report.page.locator("a[download$='.csv']")
    with report.page.expect_download() as saved:
        link.click()
    assert saved.value.suggested_filename == f"{whole.journal.name}.csv"
    address = link.get_attribute("href") or ""
    text = base64.b64decode(address.partition(",")[2]).decode()
    assert saved.value.path().read_text() == text
    assert text.count("\n") - 1 == whole.figures.height
    report.requests[1:] = []


@pytest.mark.thorough
def test_a_thousand_cells_can_be_read_on_a_phone(
    browser: Browser, thousand_cells: Rendered, tmp_path: Path
) -> None:
    result = opened(browser, tmp_path / "report.html", thousand_cells.page)
    result.page.set_viewport_size({"width": 390, "height": 900})
    assert overflows(result.page) == []
    assert result.page.evaluate("document.documentElement.scrollHeight") < 60_000
    assert result.requests == [result.path.as_uri()]
    result.page.close()


def sweep(root: Path) -> str:
    """A sweep of one number, with what its boards cost."""
    price = Price.read("cores.*.timing.clock_hz=1 per MHz")
    return render(sweep_of(root, f"{CLOCK}=25..400 MHz x3 log", gain=by_both), prices=[price])


def studied(root: Path) -> str:
    """A run of which every verdict was studied."""
    study_of(root, gain=by_registers)
    store = Store(root)
    results = load_results(store, run_of(root, by_registers))
    return write_report(store, results).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def shown(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    """A page with curves."""
    root = tmp_path_factory.mktemp("shown")
    result = opened(browser, root / "report.html", sweep(root))
    yield result
    result.page.close()


TEXTS = """section => {
    const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
    const rgb = colour => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const shine = colour => {
        const [red, green, blue] = rgb(colour).slice(0, 3).map(each => each / 255)
            .map(each => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const contrast = (one, other) => {
        const [low, high] = [shine(one), shine(other)].sort((a, b) => a - b);
        return (high + 0.05) / (low + 0.05);
    };
    const ground = element => {
        for (let each = element; each; each = each.parentElement) {
            const colour = getComputedStyle(each).backgroundColor;
            if (rgb(colour)[3] === 255) return colour;
        }
        return "white";
    };
    const holds = (box, x, y) =>
        box.left <= x && x <= box.right && box.top <= y && y <= box.bottom;
    const told = [];
    for (const svg of document.querySelectorAll(section + " svg")) {
        const frame = svg.getBoundingClientRect();
        const texts = [...svg.querySelectorAll("text")].filter(each => each.textContent.trim());
        const boxes = texts.map(each => each.getBoundingClientRect());
        const areas = [...svg.querySelectorAll("path")].filter(each => {
            const style = getComputedStyle(each);
            return rgb(style.fill)[3] === 255 && style.fill !== "none";
        });
        texts.forEach((text, number) => {
            const box = boxes[number], words = text.textContent;
            if (box.height < 8) told.push(`${words}: ${box.height} pixels high`);
            if (box.left < frame.left - 1 || box.right > frame.right + 1
                || box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
                told.push(`${words}: cut off`);
            const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
            const below = areas.filter(each => holds(each.getBoundingClientRect(), x, y)).pop();
            const behind = below ? getComputedStyle(below).fill : ground(svg);
            const found = contrast(getComputedStyle(text).fill, behind);
            if (found < 4.5) told.push(`${words}: contrast ${found.toFixed(2)} on ${behind}`);
            boxes.slice(number + 1).forEach((other, more) => {
                const across = Math.min(box.right, other.right) - Math.max(box.left, other.left);
                const down = Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top);
                // Boxes of lines that follow each other touch.
                if (across > 1 && down > 4)
                    told.push(`${words}: over ${texts[number + 1 + more].textContent}`);
            });
        });
    }
    return told;
}"""
"""What cannot be read in the pictures of a section: texts that are small, cut off, too much like
what is behind them, or over each other.
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_pictures_can_be_read(shown: Opened, width: int, scheme: str) -> None:
    result, section, page = shown, "#sweep", shown.page
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.set_viewport_size({"width": width, "height": 900})
    fold(page)
    assert overflows(page) == []
    assert page.locator(f"{section} svg").count() > 0
    assert page.locator(f"{section} svg text").count() > 10
    assert page.evaluate(TEXTS, section) == []
    unfold(page)
    assert overflows(page) == []
    assert result.requests == [result.path.as_uri()]
    assert result.complaints == []


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('<text x="20" y="50" fill="currentColor">other</text>', "word: over other"),
        ('<text x="-20" y="90" fill="currentColor">other</text>', "other: cut off"),
        ('<text x="20" y="90" fill="#888">other</text>', "other: contrast 3.5"),
        ('<text x="90" y="90" fill="#777">other</text>', "other: contrast 1.0"),
        ('<text x="20" y="90" font-size="5">other</text>', "other: "),
    ],
)
def test_what_cannot_be_read_is_found(
    browser: Browser, tmp_path: Path, text: str, complaint: str
) -> None:
    """So that the test of pictures can fail."""
    word = '<text x="20" y="50" fill="#000">word</text>'
    area = '<path d="M80,70h60v30h-60z" fill="#777"/>'
    page = '<body style="background:#fff"><section id="a"><svg width="200" height="100">{}</svg>'
    plain = opened(browser, tmp_path / "plain.html", page.format(word + area))
    assert plain.page.evaluate(TEXTS, "#a") == []
    result = opened(browser, tmp_path / "page.html", page.format(word + area + text))
    (told,) = result.page.evaluate(TEXTS, "#a")
    assert told.startswith(complaint)
    plain.page.close()
    result.page.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_the_line_of_each_verdict_says_at_once_whether_it_holds(
    browser: Browser, tmp_path: Path, width: int
) -> None:
    """Name and standing are seen without scrolling."""
    result = opened(browser, tmp_path / "report.html", studied(tmp_path))
    page = result.page
    page.set_viewport_size({"width": width, "height": 900})
    rows = page.locator("#sensitivity table").first.locator("tbody tr")
    assert rows.count() == 15
    for row in rows.all():
        for part in ("th", "td:nth-of-type(1)", "td:nth-of-type(2)"):
            box = row.locator(part).bounding_box()
            assert box
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width, part
    page.close()
