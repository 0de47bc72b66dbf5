# SPDX-License-Identifier: Apache-2.0
"""Figures of boards in pages: none is typed, all come from the committed store `recorded/`.

A page asks by an expression of Jinja2 in a comment.  The answer follows up to the next comment, on
separate lines or within a sentence:

    <!-- {{ run("show thesis --part answer") }} -->
    …
    <!--/-->

    … <!-- {{ ratio("thesis", protocol="ipsec", metric="throughput") }} -->1.2<!--/--> times …

`tools.recorded` has the functions, `tools.reference` those that ask the code, and `tools.pictures`
has `diagram`.
"""

import re
from functools import cache
from pathlib import Path

from jinja2 import Environment, StrictUndefined, TemplateError

from firesteel.base.checkout import CHECKOUT, RECORDED
from firesteel.base.errors import FiresteelError
from firesteel.judge.study import Study, load_studies
from firesteel.store.store import Store
from research.fidelity import FILE, Runs, load_fidelity, page
from tools import pictures, reference
from tools.recorded import NotRecordedError, Recorded
from tools.runs import RUNS, load_runs

DOCS = CHECKOUT / "docs"

_HEAD = "<!-- {{"

ASKED = re.compile(
    r"(?P<head><!-- \{\{ (?P<asked>(?:(?!-->).)+) \}\} -->)(?P<line>\n?)"
    r"(?:(?!<!-- \{\{).)*?(?P<tail><!--/-->)",
    re.DOTALL,
)
"""What a page asks for, with the answer that it has."""

_BREAK = re.compile(r"\n\s*\n|\n\s*(?:-|\d+\.)\s|\n\|")
"""Between paragraphs, items of a list or rows of a table."""

_LANGUAGE = Environment(undefined=StrictUndefined, autoescape=False)


def pages() -> list[Path]:
    """All pages of the checkout that may ask for something."""
    return [CHECKOUT / "README.md", *sorted(DOCS.rglob("*.md"))]


def filled_in() -> dict[Path, str]:
    """The text that each page should have; `FiresteelError` if a page asks for something
    unknown.
    """
    found = {}
    for path in pages():
        try:
            found[path] = rendered(path.read_text(encoding="utf-8"))
        except FiresteelError as error:
            raise FiresteelError(f"{path.relative_to(CHECKOUT)}: {error}") from None
    return found


@cache
def _ours() -> Recorded:
    """The committed store, of which a run is read once for all pages."""
    return Recorded(Store(RECORDED))


def rendered(text: str, store: Store | None = None) -> str:
    """The page with all answers from the given store, by default the committed one;
    `FiresteelError` if the store lacks an answer.
    """
    _, _, unread = ASKED.sub("", text).partition(_HEAD)
    if unread:
        raise FiresteelError(
            f"`{unread.partition('-->')[0].strip()}`: allowed is {_HEAD} EXPRESSION }}}} -->, and "
            "<!--/--> behind its answer."
        )
    recorded = Recorded(store) if store else _ours()
    recorded.begin_page()
    functions = {**reference.FUNCTIONS, "diagram": pictures.diagram_in_page, **recorded.functions}

    end = 0

    def filled(found: re.Match[str]) -> str:
        nonlocal end
        if _BREAK.search(text, end, found.start()):
            recorded.begin_paragraph()
        end = found.end()
        asked, line = found["asked"], found["line"]
        try:
            made = _LANGUAGE.compile_expression(asked, undefined_to_none=False)(**functions)
            recorded.check_asked()
        except NotRecordedError as error:
            made = f"*Not recorded yet: `{error}`.*"
        except (FiresteelError, TemplateError, TypeError, ZeroDivisionError) as error:
            raise FiresteelError(f"`{asked}`: {error}") from None
        return f"{found['head']}{line}{made}{line}{found['tail']}"

    return ASKED.sub(filled, text)


def fidelity_pages(store: Store) -> dict[Path, str]:
    """How near the boards come to published studies: the pages of all studies that have one, by
    their paths.  A page is left out while one of its runs is not recorded, because
    `research.fidelity` then made it from other runs.

    Raises `FiresteelError` where all are but that on the other clock, which a study names only once
    it is recorded.
    """
    found: dict[Path, str] = {}
    for study in load_studies():
        file = load_fidelity(study)
        if not file:
            continue
        _check_runs(study, file.runs)
        missing = set(file.runs.all).difference(store.run_names())
        if missing == {file.runs.other}:
            raise FiresteelError(
                f"{study.folder / FILE}: key `runs.other` has `{file.runs.other}`, which is not "
                f"recorded; there are: {', '.join(store.run_names())}."
            )
        if missing:
            continue
        path = DOCS / file.page
        if path in found:
            raise FiresteelError(
                f"{study.folder / FILE}: another study has the page `{file.page}` too."
            )
        found[path] = page(study, store, file.runs)
    return found


def _check_runs(study: Study, runs: Runs) -> None:
    """Raises `FiresteelError` for a run that is not among those to record: it would never come."""
    known = [run.name for run in load_runs()]
    named = [("figures", runs.figures), ("other", runs.other), ("longer", runs.longer)]
    for key, name in (*named, *(("variants", name) for name in runs.variants or ())):
        if name and name not in known:
            raise FiresteelError(
                f"{study.folder / FILE}: key `runs.{key}` has `{name}`; {RUNS} has: "
                f"{', '.join(known)}."
            )
