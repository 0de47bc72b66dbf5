# SPDX-License-Identifier: Apache-2.0
"""The report in a browser: nothing is fetched, nothing overflows, it can be used and printed.

Needs Chromium or Chrome on the PATH; without one these tests are skipped and say so.
"""

import base64
import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from made_profiles import profile
from made_runs import Rendered, by_board, page_of, results_of
from made_sweep import CLOCK, REGISTER, by_both
from made_sweep import results_of as sweep_of
from playwright.sync_api import Browser, Page, sync_playwright

from firesteel.analysis.results import Results
from firesteel.report.write import render

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
    tables = page.locator(".scroll[aria-label^='Table 5']")
    assert tables.count() >= 3
    for table in tables.all():
        assert table.evaluate("each => each.scrollWidth <= each.clientWidth")


def test_captions_and_names_stay_when_a_table_is_scrolled(report: Opened) -> None:
    page = report.page
    page.set_viewport_size({"width": 390, "height": 900})
    table = page.locator(".scroll[aria-label^='Table 5.4']")
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
        assert table.locator("th[scope=col]").count() > 1
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
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.activeElement.scrollLeft > 0")


def test_it_prints(report: Opened) -> None:
    printed = report.page.pdf(format="A4")
    assert printed.startswith(b"%PDF")
    assert printed.count(b"/Type /Page\n") + printed.count(b"/Type /Page ") >= 1
    report.page.emulate_media(media="print")
    assert overflows(report.page) == []
    assert not report.page.locator("nav").is_visible()
    report.page.emulate_media(media="screen")


def test_figures_are_saved_as_files(report: Opened, whole: Results) -> None:
    for name in ("csv", "json"):
        link = report.page.locator(f"a[download$='.{name}']")
        with report.page.expect_download() as saved:
            link.click()
        assert saved.value.suggested_filename == f"{whole.journal.name}.{name}"
        address = link.get_attribute("href") or ""
        text = base64.b64decode(address.partition(",")[2]).decode()
        assert saved.value.path().read_text() == text
        rows = len(json.loads(text)) if name == "json" else text.count("\n") - 1
        assert rows == whole.figures.height
    report.requests[1:] = []


def test_a_run_in_software_alone_fits_a_phone(browser: Browser, tmp_path: Path) -> None:
    results = results_of(tmp_path, fail=["ipsec none:none software"])
    result = opened(browser, tmp_path / "report.html", page_of(results))
    result.page.set_viewport_size({"width": 390, "height": 900})
    unfold(result.page)
    assert overflows(result.page) == []
    assert result.complaints == []
    result.page.close()


def test_a_thousand_cells_can_be_read_on_a_phone(
    browser: Browser, thousand_cells: Rendered, tmp_path: Path
) -> None:
    result = opened(browser, tmp_path / "report.html", thousand_cells.page)
    result.page.set_viewport_size({"width": 390, "height": 900})
    assert overflows(result.page) == []
    assert result.page.evaluate("document.documentElement.scrollHeight") < 60_000
    assert result.requests == [result.path.as_uri()]
    result.page.close()


@pytest.mark.parametrize("numbers", [1, 2, 3])
def test_a_sweep_fits_every_window(browser: Browser, tmp_path: Path, numbers: int) -> None:
    vary = (f"{CLOCK}=25..400 MHz x3 log", f"{REGISTER}=50,200 ns", "cpu.hertz=800MHz,1.6GHz")
    results = sweep_of(tmp_path, *vary[:numbers], gain=by_both)
    result = opened(browser, tmp_path / "report.html", page_of(results))
    page = result.page
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        fold(page)
        assert overflows(page) == []
        unfold(page)
        assert overflows(page) == []
    assert page.locator("#sweep svg").count() > 0
    found = Axe().run(page).response["violations"]
    assert [(each["id"], each["nodes"][0]["html"][:200]) for each in found] == []
    assert result.complaints == []
    page.close()
