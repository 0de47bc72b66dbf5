# SPDX-License-Identifier: Apache-2.0
"""Sentences that are hard to read: which are found, and what the list of exceptions may hold."""

from pathlib import Path

import pytest

from firesteel.base.errors import FiresteelError
from tools import prose
from tools.prose import comments, docstrings, hard_sentences, of_text, sentences


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("The error is that of the clock.", ["name the noun"]),
        ("It waits, as it has no work.", ["say `because`"]),
        ("It does this alone.", ["use the common word"]),
        (f"It is {'very ' * 30}long.", ["over 30 words"]),
        ("- one\n- two `that of` code\n\n```\nthat of the clock\n```\n", []),
        ('<!-- {{ run("x") }} -->\nthat of the clock\n<!--/-->\n', []),
        ("| head |\n|---|\n| it is so |\n", ["say what is so"]),
    ],
)
def test_hard_sentences_are_found(text: str, advice: list[str]) -> None:
    assert [hit.advice for hit in of_text("page.md", text)] == advice


def test_sentences_end_where_people_end_them() -> None:
    text = "At 1.5 GHz, vs. 2 GHz. **Then** `this`\nends! [See](a.md) it?\n"
    assert list(sentences(text)) == ["At 1.5 GHz, vs. 2 GHz.", "Then `X` ends!", "See it?"]


def test_docstrings_of_public_names_are_read() -> None:
    text = (
        '"""Module.  `a` follows."""\n'
        'class Public:\n    """Class."""\n\n    x: int = 0\n    """Field,\n    wrapped."""\n'
        '    _y = 0\n    """Hidden."""\n'
        'def _private():\n    """Hidden."""\n'
        'NAME = 1\n"""Constant."""\nif NAME:\n    """No docstring."""\n'
    )
    assert list(docstrings(text)) == [
        "Module.\n\n`a` follows.",
        "Constant.",
        "Class.",
        "Field,\nwrapped.",
    ]


def test_comments_of_headers_are_read() -> None:
    text = (
        "/*\n * One\n * two.  fs_three() too.\n *\n *\tcode\n */\n"
        "int a; /* trailing */\n/* Last */\n"
    )
    assert [" ".join(each.split()) for each in comments(text)] == [
        "One two. fs_three() too. code",
        "Last",
    ]
    assert list(sentences("\n\n".join(comments(text)))) == ["One two.", "fs_three() too.", "Last"]


@pytest.fixture
def listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(prose, "CHECKOUT", tmp_path)
    monkeypatch.setattr(prose, "FILE", tmp_path / "prose.toml")
    (tmp_path / "page.md").write_text("The error is that of the clock.\n")
    monkeypatch.setattr(prose, "_all", lambda: [tmp_path / "page.md"])
    return tmp_path / "prose.toml"


@pytest.mark.parametrize(
    ("exceptions", "unchecked", "found"),
    [
        ([], [], ["page.md: name the noun: The error is that of the clock."]),
        (["error is that of"], [], []),
        ([], ["page.md"], []),
        (["gone"], ["page.md"], ["prose.toml: no sentence has this exception: gone"]),
    ],
)
def test_exceptions_are_left_out_while_they_are_used(
    listed: Path, exceptions: list[str], unchecked: list[str], found: list[str]
) -> None:
    listed.write_text(f"exceptions = {exceptions}\nunchecked = {unchecked}\n")
    assert hard_sentences() == found


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("exceptions = []\nunchecked = ['gone.md']\n", "gone.md, which does not exist"),
        (f"exceptions = {['x'] * 41}\nunchecked = []\n", "41 exceptions; allowed are 40"),
    ],
)
def test_a_wrong_list_is_an_error(listed: Path, text: str, problem: str) -> None:
    listed.write_text(text)
    with pytest.raises(FiresteelError, match=problem):
        hard_sentences()
