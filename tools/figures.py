# SPDX-License-Identifier: Apache-2.0
"""Figures of boards in pages: none is typed, all come from the committed store `recorded/`.

A page asks by an expression of Jinja2 in a comment.  The answer follows up to the next comment, on
separate lines or within a sentence:

    <!-- {{ run("show thesis --part answer") }} -->
    …
    <!--/-->

    … <!-- {{ ratio("thesis", protocol="ipsec", metric="throughput") }} -->1.2<!--/--> times …

`tools.recorded` has the functions, `tools.reference` those that ask the code, and `tools.diagrams`
has `diagram`.
"""

import re
from functools import cache
from pathlib import Path

from jinja2 import Environment, StrictUndefined, TemplateError

from firesteel.base.checkout import CHECKOUT, RECORDED
from firesteel.base.errors import FiresteelError
from firesteel.store.store import Store
from tools import diagrams, reference
from tools.recorded import NotRecordedError, Recorded

DOCS = CHECKOUT / "docs"

_HEAD = "<!-- {{"

ASKED = re.compile(
    r"(?P<head><!-- \{\{ (?P<asked>(?:(?!-->).)+) \}\} -->)(?P<line>\n?)"
    r"(?:(?!<!-- \{\{).)*?(?P<tail><!--/-->)",
    re.DOTALL,
)
"""What a page asks for, with the answer that it has."""

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
    functions = {**reference.FUNCTIONS, "diagram": diagrams.in_page, **recorded.functions}

    def filled(found: re.Match[str]) -> str:
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
