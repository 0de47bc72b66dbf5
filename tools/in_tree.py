# SPDX-License-Identifier: Apache-2.0
"""The driver's sources as they would be in the kernel's own tree.

There is one kernel, the newest, so `driver/compat.h` is resolved.  Its conditionals go, and the
kernel's own calls replace its macros and its functions of one statement.  Its other functions
become a separate header.  Registers get the kernel's types, and comments its form.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from firesteel.base.errors import FiresteelError

COMPAT = "compat.h"

_NEWER = re.compile(r"LINUX_VERSION_CODE\s*(>=|<)\s*KERNEL_VERSION\((\d+), *(\d+), *(\d+)\)$")
_DEFINE = re.compile(r"^#define (\w+)(?: +(\S.*))?\n", re.MULTILINE)
_COMMENT = r"(?:/\*(?:[^*]|\*(?!/))*\*/\n)?"
_FUNCTION = re.compile(
    _COMMENT + r"static inline [^;{}()]*?\b(\w+)\(([^(){}]*)\)\n\{\n\t(?:return )?([^;{}]*);\n\}\n+"
)
_OWN = re.compile(r"firesteel|FIRESTEEL")
_INCLUDE = re.compile(r"^#include <.*>\n", re.MULTILINE)
_INCLUDES = re.compile(r"(?:^#include <.*>\n\n?)+", re.MULTILINE)
_BLOCK = re.compile(r"^([ \t]*)/\* (?=[^\n]*\n)(?![^\n]*\*/)", re.MULTILINE)

_TYPES = {
    "uint8_t": "u8",
    "uint32_t": "u32",
    "uint64_t": "u64",
    "silex_le32": "__le32",
    "silex_le64": "__le64",
    "silex_to_le32": "cpu_to_le32",
}


@dataclass(frozen=True)
class Calls:
    """What stands for the newest kernel's calls, by name: a text, or parameters and a text."""

    macros: Mapping[str, str]
    functions: Mapping[str, tuple[list[str], str]]
    rest: str
    """Declarations that stand for nothing of the kernel's."""

    kernel: tuple[int, int] = (0, 0)
    """The oldest kernel with all of the calls: version and patch level."""

    rest_names: frozenset[str] = frozenset()

    def applied(self, text: str) -> str:
        """A text with the kernel's calls."""
        for name, (parameters, call) in self.functions.items():
            text = _called(text, name, parameters, call)
        if self.macros:
            names = rf"\b({'|'.join(self.macros)})\b"
            text = re.sub(names, lambda match: self.macros[match[1]], text)
        # A result that is none.
        return re.sub(r"\n\treturn ;\n\}", "\n}", text)


def resolved(text: str) -> str:
    """A header for the newest kernel: without what older ones need."""
    kept: list[str] = []
    blocks: list[bool | None] = []
    """Of each open conditional whether its lines count; None: it does not ask for a version."""
    for line in text.splitlines(keepends=True):
        word, _, condition = line.strip().partition(" ")
        if word in {"#if", "#ifdef", "#ifndef"}:
            blocks.append(_counts(word, re.sub(r"\s*/\*.*", "", condition)))
            decided = blocks[-1] is not None
        elif word == "#else" and blocks[-1] is not None:
            blocks[-1] = not blocks[-1]
            decided = True
        else:
            decided = word == "#endif" and blocks.pop() is not None
        if not decided and False not in blocks:
            kept.append(line)
    return "".join(kept)


def _counts(word: str, condition: str) -> bool | None:
    if word in {"#ifdef", "#ifndef"} and not re.match(r"CONFIG_|\w+_H$", condition):
        return word == "#ifdef"  # A macro that older kernels lack.
    if word == "#if" and (match := _NEWER.match(condition)):
        return match[1] == ">="
    return None


def calls_of(compat: str) -> Calls:
    """What the newest kernel calls the names of `driver/compat.h`, whose text is given."""
    versions = re.findall(r"KERNEL_VERSION\((\d+), *(\d+), *\d+\)", compat)
    text = _INCLUDE.sub("", resolved(compat))
    defined = [match for match in _DEFINE.finditer(text) if _OWN.search(match[1])]
    macros = {match[1]: match[2] or "" for match in defined}
    if len(macros) < len(defined):
        raise FiresteelError(
            f"driver/{COMPAT} defines a name twice for the newest kernel: conditionals may ask for "
            "LINUX_VERSION_CODE, or whether there is a macro of the kernel's."
        )
    guard = next((name for name in macros if name.endswith("_COMPAT_H")), "")
    macros.pop(guard, None)
    text = _DEFINE.sub(lambda match: "" if match[1] in macros else match[0], text)
    functions = {}
    for match in _FUNCTION.finditer(text):
        names = [re.split(r"[\s*]+", part.strip())[-1] for part in match[2].split(",")]
        functions[match[1]] = (names, re.sub(r"\s+", " ", match[3]))
    text = _FUNCTION.sub("", text)
    known = Calls(macros, functions, "")
    rest = known.applied(text)
    return Calls(
        macros,
        functions,
        rest,
        max((int(major), int(minor)) for major, minor in versions),
        frozenset(re.findall(r"\b(firesteel_\w+)\b", re.sub(r"/\*.*?\*/", "", rest, flags=re.S))),
    )


def _called(text: str, name: str, parameters: list[str], call: str) -> str:
    """A text in which each call of `name` is `call`, with its arguments for the parameters."""
    done, names = "", rf"\b({'|'.join(parameters)})\b"
    while match := re.search(rf"\b{name}\(", text):
        arguments, after = _arguments(text[match.end() :])
        values = dict(zip(parameters, arguments, strict=True))
        filled = (values.get(part, part) for part in re.split(names, call))
        done += text[: match.start()] + "".join(filled)
        text = after
    return done + text


def _arguments(text: str) -> tuple[list[str], str]:
    """The arguments of a call behind its bracket, and what follows it."""
    depth = begin = 0
    arguments: list[str] = []
    for at, sign in enumerate(text):
        if sign == ")" and depth == 0:
            return [*arguments, text[begin:at].strip()], text[at + 1 :]
        if sign == "," and depth == 0:
            arguments.append(text[begin:at].strip())
            begin = at + 1
        depth += (sign in "([{") - (sign in ")]}")
    raise FiresteelError("A call in the driver's sources has no end.")


def with_includes(text: str, wanted: Mapping[str, str]) -> str:
    """A source with an include for each name that it uses.  `wanted` maps headers to patterns of
    their names.

    All of the kernel's headers come first, in the order of their names.
    """
    body = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    names = {line[10:-2] for line in _INCLUDE.findall(text)}
    names |= {header for header, looks in wanted.items() if re.search(looks, body)}
    if not names:
        return text
    block = "".join(f"#include <{name}>\n" for name in sorted(names)) + "\n"
    text = re.sub(r'(#include ".*"\n)(?=[^#\n])', r"\1\n", _INCLUDES.sub("", text))
    if own := re.search(r'^#include "', text, re.MULTILINE):
        return text[: own.start()] + block + text[own.start() :]
    guard = re.search(r"^#define \w+_H\n\n?", text, re.MULTILINE)
    begin = guard.end() if guard else text.index("\n") + 1
    return f"{text[:begin].rstrip()}\n\n{block}{text[begin:].lstrip()}"


def with_block_comments(text: str) -> str:
    """A source whose comments of several lines begin with an empty one."""
    return _BLOCK.sub(r"\1/*\n\1 * ", text)


def of_kernel(text: str) -> str:
    """A header of `silex/` with the kernel's types, and its macros for a bit."""
    text = re.sub(r'#include "types.h"\n', "#include <linux/types.h>\n", text)
    for name, own in _TYPES.items():
        text = re.sub(rf"\b{name}\b", own, text)
    text = re.sub(r"\(1u << (\d+)\)", r"BIT(\1)", text)
    return re.sub(r"\(1ull << (\d+)\)", r"BIT_ULL(\1)", text)


def read(path: Path) -> str:
    """A source of this repository."""
    return path.read_text(encoding="utf-8")
