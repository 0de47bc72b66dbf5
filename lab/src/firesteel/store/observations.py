# SPDX-License-Identifier: Apache-2.0
"""What boards handed out, as a file: marks, data items, and when frames with data arrived.

    {"nodes": {NAME: {"marks": [MARK…], "data": {ITEM: TEXT}, "frames": [NS, NS…],
                      "transits": {WINDOW: TRANSIT}}}}

A mark has the fields of `boards.result.Mark`.  A data item that is not UTF-8 is `{"base64": …}`.
`frames` has the first arrival, then the time from each to the next.  A transit has the fields of
`boards.result.Transit`; a node without any has no such key.  Consoles are not kept: no
figure comes from them.  The file is packed by xz; what counts is the text inside.
"""

import base64
import binascii
import hashlib
import itertools
import json
import lzma
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pydantic import TypeAdapter, ValidationError

from firesteel.boards.result import Mark, NodeResult, TopologyRun, Transit
from firesteel.store.setup import Setup

_MARKS = TypeAdapter(tuple[Mark, ...])
_TRANSITS = TypeAdapter(dict[str, Transit])


class DamagedError(ValueError):
    """The text is not what `to_text` made; the argument says why."""


def to_text(run: TopologyRun) -> str:
    """The observations of a run, always the same for the same run."""
    nodes = {name: _node(node) for name, node in run.nodes.items()}
    return json.dumps({"nodes": nodes}, separators=(",", ":"), ensure_ascii=False) + "\n"


def from_text(text: str, setup: Setup, trace: str, seed: int) -> TopologyRun:
    """The run that `text` is of, on the boards of `setup` with the addresses of that seed, and with
    that digest of its trace.

    Raises `DamagedError`.
    """
    try:
        nodes = json.loads(text)["nodes"]
        found = {name: _result(name, nodes[name], setup) for name in setup.order}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DamagedError(f"{type(error).__name__}: {error}".splitlines()[0]) from None
    return TopologyRun(found, trace, setup.ordered.with_seed(seed))


def digest_of(text: str) -> str:
    """Hex SHA-256 of the text."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def pack(text: str) -> bytes:
    """The text in the file."""
    return lzma.compress(text.encode())


def unpack(content: bytes) -> str:
    """The text of a file; raises `DamagedError`."""
    try:
        return lzma.decompress(content).decode()
    except (lzma.LZMAError, EOFError, UnicodeDecodeError) as error:
        raise DamagedError(str(error)) from None


def _node(node: NodeResult) -> dict[str, Any]:
    frames = node.large_frames
    steps = [after - before for before, after in itertools.pairwise(frames)]
    told: dict[str, Any] = {
        "marks": [_mark(mark) for mark in node.marks],
        "data": {name: _item(content) for name, content in node.data.items()},
        "frames": [*frames[:1], *steps],
    }
    if node.transits:
        told["transits"] = {name: asdict(each) for name, each in node.transits.items()}
    return told


def _mark(mark: Mark) -> dict[str, Any]:
    """A mark without `cpus` where a board has one, so that its records stay what they are."""
    told = asdict(mark)
    if not mark.cpus:
        del told["cpus"]
    return told


def _result(name: str, told: Mapping[str, Any], setup: Setup) -> NodeResult:
    try:
        marks = _MARKS.validate_python(told["marks"])
        transits = _TRANSITS.validate_python(told.get("transits", {}))
    except ValidationError as error:
        raise DamagedError(str(error.errors()[0]["msg"])) from None
    data = {item: _content(content) for item, content in told["data"].items()}
    frames: Sequence[int] = tuple(itertools.accumulate(told["frames"]))
    return NodeResult(name, marks, data, "", setup.profiles[name], frames, transits)


def _item(content: bytes) -> str | dict[str, str]:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode()}


def _content(item: str | Mapping[str, str]) -> bytes:
    if isinstance(item, str):
        return item.encode()
    try:
        return base64.b64decode(item["base64"], validate=True)
    except binascii.Error as error:
        raise DamagedError(str(error)) from None
