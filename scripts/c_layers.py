#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the order of layers of C parts: c_layers.py PART...

A part is a folder with a file `layers.txt`: one layer a line, the top first.  On a line are stems
of files (`pk-rsa` is pk-rsa.c and pk-rsa.h; `keys/ec` where there are folders) and shell patterns
(`cipher-*`), separated by blanks; `#` begins a comment.  Each source file of the part, but those of
tests/, fuzz/, bench/ and benchmarks/, is named by exactly one line.

A file may depend on files of lower lines only, not on those of its own line.  A depends on B if it
includes a header of B, or if it uses a function or an object that B.c defines and that B's header
does not declare: so that a declaration elsewhere hides no dependency.  A public header, below
include/, is the interface of files above it, and its inline functions may call these.

This reads the sources as clang-format leaves them and needs no compiler, so that it sees the
kernel's and QEMU's parts as well.
"""

import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

OUTSIDE = {"tests", "fuzz", "bench", "benchmarks"}
"""Folders of a part that may use all of it."""

_NOISE = re.compile(
    r"""/\*.*?\*/ | //[^\n]* | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'""", re.DOTALL | re.VERBOSE
)
_DIRECTIVE = re.compile(r"^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
_CHUNK = re.compile(
    r"^(?P<head>[A-Za-z_][^;{}]*)"
    r"(?:;|(?<== )\{.*?\};|\{(?P<body>[^\n]*\}(?=;?\n)|.*?^\})(?P<tail>[^;{}\n]*))",
    re.MULTILINE | re.DOTALL,
)
"""A statement, the value of an object, or a body with what follows it."""
_LINKAGE = re.compile(r"^extern\s*\{", re.MULTILINE)
"""Of `extern "C" {`, whose content is as if outside."""
_NO_TAG = r"(?<!struct )(?<!union )(?<!enum )"
_NAME = re.compile(rf"{_NO_TAG}(?<![\w.])(?<!->)[A-Za-z_]\w*")
_MACRO = re.compile(r"^(?:[A-Z][A-Z0-9_]*\s*\([^()]*\)\s*)+")
_FUNCTION = re.compile(r"[\w*\s]*?\b(\w+)\s*\(")
_OBJECT = re.compile(rf"{_NO_TAG}\b([A-Za-z_]\w*)\s*(?:\[[^=]*\]\s*)?(?:=|$)")
_HIDDEN = re.compile(r"\b(?:static|typedef|extern)\b")


class LayersError(Exception):
    """A layers.txt that cannot be used: one sentence."""


@dataclass
class Source:
    """What one file says."""

    path: PurePosixPath
    includes: list[tuple[str, bool]]
    """What it includes, and whether in quotes."""
    defines: dict[str, str] = field(default_factory=dict)
    """What others can use of it: name → how a message calls it."""
    own: set[str] = field(default_factory=set)
    """What means something of its own here."""
    names: set[str] = field(default_factory=set)
    used: set[str] = field(default_factory=set)
    """The names in it; those that a header declares only are not used."""

    @property
    def stem(self) -> str:
        """Its name in layers.txt."""
        return str(self.path.with_suffix(""))


def read_source(part: Path, path: PurePosixPath) -> Source:
    """The file at `path` of the part."""
    text = (part / path).read_text(encoding="utf-8")
    source = Source(path, [(name, mark == '"') for mark, name in _INCLUDE.findall(text)])
    text = _NOISE.sub(" ", _INCLUDE.sub("", text))
    source.names = set(_NAME.findall(text))
    bodies = _DIRECTIVE.findall(text)
    for statement, body in _statements(_DIRECTIVE.sub("", text)):
        _note(source, _MACRO.sub("", statement, count=1), body is not None)
        bodies.append(body or "")
    source.used = source.names if path.suffix == ".c" else set(_NAME.findall("\n".join(bodies)))
    return source


def _statements(text: str) -> Iterator[tuple[str, str | None]]:
    """What stands outside of braces, and the body of what is a function.  All begins in the first
    column, and so does the brace at the end of what takes several lines.
    """
    for found in _CHUNK.finditer(_LINKAGE.sub("", text)):
        head, body = found["head"].strip(), found["body"]
        if body is None or head.endswith(")"):
            yield head, body
        else:
            yield f"{head} {found['tail'].strip()}", None  # a type, and an object of it


def _note(source: Source, statement: str, has_body: bool) -> None:
    function = _FUNCTION.match(statement.partition("=")[0])
    found = function or _OBJECT.search(statement)
    if not found or len(statement.split()) < 2 or (function and not has_body):
        return  # no definition
    name = found.group(1)
    if not _HIDDEN.search(statement):
        source.defines[name] = f"calls {name}()" if function else f"uses {name}"
    if not statement.startswith("extern"):
        source.own.add(name)


@dataclass
class Part:
    """A part's files and the layer of each stem, 0 at the top."""

    folder: Path
    sources: list[Source]
    layer: dict[str, int]


def read_part(folder: Path) -> Part:
    """The part in `folder`; each file must have exactly one layer."""
    layers = folder / "layers.txt"
    if not layers.is_file():
        raise LayersError(f"{folder}: there is no layers.txt, which says the order of its files")
    lines = [line.partition("#")[0].split() for line in layers.read_text().splitlines()]
    lines = [patterns for patterns in lines if patterns]
    paths = sorted(
        PurePosixPath(path.relative_to(folder))
        for path in folder.rglob("*.[ch]")
        if not OUTSIDE & set(path.relative_to(folder).parts)
    )
    sources = [read_source(folder, path) for path in paths]
    stems = {source.stem for source in sources}
    for pattern in (pattern for line in lines for pattern in line):
        if not any(fnmatchcase(stem, pattern) for stem in stems):
            raise LayersError(f"{layers}: {pattern} names no file")
    return Part(folder, sources, {stem: _layer_of(layers, lines, stem) for stem in stems})


def _layer_of(layers: Path, lines: list[list[str]], stem: str) -> int:
    found = [
        number
        for number, patterns in enumerate(lines)
        if any(fnmatchcase(stem, pattern) for pattern in patterns)
    ]
    if len(found) != 1:
        how = "no line names" if not found else "more than one line names"
        raise LayersError(f"{layers}: {how} {stem}, but exactly one must")
    return found[0]


def _included(part: Part, source: Source, name: str, quoted: bool) -> str | None:
    """The stem of the part that an `#include` means, if it is the part's."""
    files = {str(other.path) for other in part.sources}
    beside = (part.folder / source.path).parent / name
    if quoted and beside.is_file():
        path = beside.resolve()
        root = part.folder.resolve()
        return str(path.relative_to(root).with_suffix("")) if path.is_relative_to(root) else None
    if any((parent / name).is_file() for parent in part.folder.absolute().parents):
        return None
    tails = [f"include/{name}"]
    if quoted:
        pieces = PurePosixPath(name).parts
        tails += ["/".join(pieces[i:]) for i in range(len(pieces))]
        tails += [file for file in sorted(files) if file.endswith(f"/{name}")]
    found = next((tail for tail in tails if tail in files), None)
    return found and str(PurePosixPath(found).with_suffix(""))


def dependencies(part: Part) -> dict[tuple[str, str], str]:
    """Which stem depends on which, and by what."""
    found: dict[tuple[str, str], str] = {}
    for source in part.sources:
        for name, quoted in source.includes:
            stem = _included(part, source, name, quoted)
            if stem and stem != source.stem:
                found.setdefault((source.stem, stem), f"includes {name}")
    for name, definitions in _undeclared(part).items():
        users = [
            source.stem
            for source in part.sources
            if name in source.used - source.own and source.path.parts[0] != "include"
        ]
        for user in users:
            for stem, called in definitions.items():
                if stem != user:
                    found.setdefault((user, stem), called)
    return found


def _undeclared(part: Part) -> dict[str, dict[str, str]]:
    """What others can use of a stem whose header does not have it: name → stem → words."""
    header = {s.stem: s.names for s in part.sources if s.path.suffix == ".h"}
    names: dict[str, dict[str, str]] = defaultdict(dict)
    for source in (source for source in part.sources if source.path.suffix == ".c"):
        for name, called in source.defines.items():
            if name not in header.get(source.stem, set()):
                names[name][source.stem] = called
    return names


def forbidden(part: Part) -> list[str]:
    """A line for each dependency that does not point down."""
    wrong = []
    for (above, below), why in sorted(dependencies(part).items()):
        step = part.layer[below] - part.layer[above]
        if step <= 0:
            how = "points up" if step < 0 else "stays on its line"
            wrong.append(f"{part.folder}: {above} -> {below} ({why}): {how}")
    return wrong


def main(folders: list[str]) -> int:
    """Checks the parts; the exit status."""
    wrong: list[str] = []
    for folder in folders:
        try:
            wrong += forbidden(read_part(Path(folder)))
        except LayersError as error:
            wrong.append(str(error))
    print("\n".join(wrong) if wrong else "clean")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
