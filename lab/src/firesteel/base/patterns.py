# SPDX-License-Identifier: Apache-2.0
"""Regular expressions that text in files must match, with what they allow in words.

Nobody is answered with a regular expression: each is registered with its words where it is used.
"""

_WORDS: dict[str, str] = {}


def pattern(expression: str, words: str) -> str:
    """The expression, for `Field(pattern=...)`; `words` say what it allows, with an example."""
    _WORDS[expression] = words
    return expression


def in_words(expression: str) -> str:
    """What an expression allows; KeyError when it was not registered."""
    return _WORDS[expression]
