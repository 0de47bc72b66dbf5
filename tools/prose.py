# SPDX-License-Identifier: Apache-2.0
"""Sentences that a reader has to read twice (`python -m tools prose`, part of scripts/lint.sh): of
pages, of the command line's help, of docstrings of public Python, and of comments in C headers.

A sentence is reported when it has more than 30 words, or a pattern that proved hard to read
when native engineers read a sample.  `docs/prose.toml` names the files and folders that are still
to be rewritten, and sentences that were reviewed and stay.
"""

import ast
import inspect
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from tools.figures import ASKED, DOCS, pages

FILE = DOCS / "prose.toml"
_HELP = CHECKOUT / "lab/src/firesteel/cli/commands.toml"
_CODE = ("lab/src", "research", "tools", "frontends", "lib", "provider")
"""Folders with docstrings and headers."""

WORDS = 30
"""The longest sentence."""

EXCEPTIONS = 40
"""The most sentences that may stay."""

_PATTERNS = {
    "name the noun": r"\b(?:that|those) of\b|\b(?:this|another|single|each) one\b|\bthe ones\b",
    "say `because`": r", as (?:it|they|that|this|most|results|all|nothing|otherwise|its|each|many|"
    r"no|these|those|their|both)\b",
    "put the subject first": r"(?:^|[.;:] )Of (?:an?|the|these|those|this|several|two|it|them) ",
    "say what there is": r"\b(?:has|have) (?:it|them|that|the same|none|all of|what)\b",
    "say what is so": r"\b(?:not|is|was|are|be|says?) so\b(?! (?:far|long|that|many|much|few|as))",
    "split two clauses with `what`": r"\b[Ww]hat (?!is the\b)\w+.*\b[Ww]hat \w+",
    "say `asserts`": r"\bholds? that\b|\bis held to\b",
    "use the common word": r"\balone\b|\bbeside\b|\b(?:tells?|told)\b|\b(?:likewise|anew|besides|"
    r"meanwhile|amid|thereby|hence)\b|\bfor good\b|\bfor ever\b|\bof then\b|\bas told\b|"
    r"\bstops? to\b|\bin the place of\b|\b(?:is|are) a mistake\b|\bof (?:its|their) own\b",
    "say `except`": r", but (?:those|the|of|what)\b",
}
"""What to do about a pattern → the pattern."""

_END = re.compile(r"(?<=[.!?])[)\"”*_]*\s+(?=[(*_\"“]*[A-Z0-9`X])")
_COMMENT = re.compile(r"^/\*(.*?)\*/", re.DOTALL | re.MULTILINE)
_SENTENCES = re.compile(r"(?<=[.!?])(?:  +|\n)")
"""What is between sentences of code, where names in lower case may begin them."""

_NOT_AN_END = re.compile(r"\b(?:e\.g|i\.e|vs|Fig|No|St|cf)\.$")


_NAMED = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


class Hit(NamedTuple):
    """A sentence, and what is wrong with it."""

    page: str
    sentence: str
    advice: str


def hard_sentences() -> list[str]:
    """The hits, a line each; `FiresteelError` if the list of exceptions is too long or names
    something that does not exist.
    """
    listed = tomllib.loads(FILE.read_text(encoding="utf-8"))
    unchecked, allowed = listed["unchecked"], listed["exceptions"]
    names = {str(path.relative_to(CHECKOUT)): path for path in _all()}
    if len(allowed) > EXCEPTIONS:
        raise FiresteelError(f"{FILE}: {len(allowed)} exceptions; allowed are {EXCEPTIONS}.")
    if gone := [each for each in unchecked if not any(name.startswith(each) for name in names)]:
        raise FiresteelError(f"{FILE}: `unchecked` names {gone[0]}, which does not exist.")
    hits = [
        hit
        for name, path in names.items()
        if not name.startswith(tuple(unchecked))
        for hit in of_text(name, _text(path))
    ]
    unused = [each for each in allowed if not any(each in hit.sentence for hit in hits)]
    left = [hit for hit in hits if not any(each in hit.sentence for each in allowed)]
    return [
        *(f"{hit.page}: {hit.advice}: {hit.sentence}" for hit in left),
        *(f"{FILE.relative_to(CHECKOUT)}: no sentence has this exception: {it}" for it in unused),
    ]


def of_text(page: str, text: str) -> Iterator[Hit]:
    """The hard sentences of a page in Markdown."""
    for sentence in sentences(text):
        if len(sentence.split()) > WORDS:
            yield Hit(page, sentence, f"over {WORDS} words")
        for advice, pattern in _PATTERNS.items():
            if re.search(pattern, sentence):
                yield Hit(page, sentence, advice)


def sentences(text: str) -> Iterator[str]:
    """All sentences that people wrote: without code, tables' rules, and what is generated."""
    typed = re.sub(r"<!--.*?-->", "", ASKED.sub("X", text), flags=re.DOTALL)
    for token in MarkdownIt("commonmark").enable("table").parse(typed):
        if token.type != "inline":
            continue
        whole = ""
        for part in _END.split(" ".join(_words(token).split())):
            whole = f"{whole} {part}".strip()
            if not _NOT_AN_END.search(whole):
                yield whole
                whole = ""
        if whole:
            yield whole


def _words(token: Token) -> str:
    """Its text; code is one word, and of a link its label counts."""
    return "".join(
        "`X`" if part.type == "code_inline" else " " if part.type == "softbreak" else part.content
        for part in token.children or []
        if part.type in ("text", "code_inline", "softbreak", "hardbreak")
    )


def _all() -> list[Path]:
    outside = [CHECKOUT / name for name in ("ARCHITECTURE.md", "CONTRIBUTING.md")]
    code = [path for each in _CODE for path in sorted((CHECKOUT / each).rglob("*.[hp]*"))]
    public = [each for each in code if not {"tests", "fuzz"} & set(each.parts)]
    return [*pages(), *outside, _HELP, *(each for each in public if each.suffix in (".h", ".py"))]


def _text(path: Path) -> str:
    """The file's prose in Markdown."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".toml":
        return "\n\n".join(_helps(tomllib.loads(text)))
    if path.suffix == ".py":
        return "\n\n".join(docstrings(text))
    return "\n\n".join(comments(text)) if path.suffix == ".h" else text


def docstrings(text: str) -> Iterator[str]:
    """The docstrings of a module and of its public names, with a paragraph for each sentence."""
    for node in ast.walk(ast.parse(text)):
        before = node.name if isinstance(node, _NAMED) else ""
        for part in getattr(node, "body", []) if isinstance(node, (ast.Module, *_NAMED)) else []:
            value = part.value if isinstance(part, ast.Expr) else None
            said = value.value if isinstance(value, ast.Constant) else None
            if isinstance(said, str) and not before.startswith("_"):
                yield _SENTENCES.sub("\n\n", inspect.cleandoc(said))
            targets = [*getattr(part, "targets", ()), getattr(part, "target", None)]
            before = next((each.id for each in targets if isinstance(each, ast.Name)), "_")


def comments(text: str) -> Iterator[str]:
    """The comments of a header that begin a line, with a paragraph for each sentence."""
    for found in _COMMENT.finditer(text):
        yield _SENTENCES.sub("\n\n", re.sub(r"^ *\*? ?", "", found[1], flags=re.MULTILINE))


def _helps(table: object) -> Iterator[str]:
    if isinstance(table, dict):
        for key, value in table.items():
            if key == "help" and isinstance(value, str):
                yield value
            else:
                yield from _helps(value)
