# SPDX-License-Identifier: Apache-2.0
"""Reading the lockstep's trace of a node: which frames it received, when, and how long it took to
pass them on (docs/lockstep.md).
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from firesteel.board.result import Mark, Transit

LARGE_FRAME = 600
"""Bytes from which on a frame carries data; acknowledgements and control messages are shorter."""


def large_frames(path: Path) -> Sequence[int]:
    """When each large frame arrived that the node took, in virtual ns, in order."""
    return array(
        "q",
        (
            time
            for kind, time, (_, length) in _frames(path)
            if kind == "rx" and length >= LARGE_FRAME
        ),
    )


_TRANSIT, _BEGIN, _END = "transit-", ".begin", ".end"

_Stream = tuple[str, int]
"""Frames of one port and one length."""


def transits(path: Path, marks: Sequence[Mark]) -> dict[str, Transit]:
    """How long the node took to pass frames on in each of its windows `transit-*`, by the window.

    They are those of the commonest length that one port received.  What it made of them are the
    frames of each length of which another port sent as many; a frame that was cut is passed on when
    its last part is.  A window in which it sent fewer or more of all lengths is left out.
    """
    times = {mark.name: mark.time_ns for mark in marks}
    begins = [name for name in times if name.startswith(_TRANSIT) and name.endswith(_BEGIN)]
    windows = {
        name.removesuffix(_BEGIN): (times[name], times[name.removesuffix(_BEGIN) + _END])
        for name in begins
        if name.removesuffix(_BEGIN) + _END in times
    }
    if not windows:
        return {}
    come, gone = _by_window(path, windows)
    found = {name: _transit(come[name], gone[name]) for name in windows}
    return {name: transit for name, transit in found.items() if transit}


def _by_window(
    path: Path, windows: Mapping[str, tuple[int, int]]
) -> tuple[dict[str, dict[_Stream, list[int]]], dict[str, dict[_Stream, list[int]]]]:
    """When frames came whole, and when they began to go, by window and stream."""
    come: dict[str, dict[_Stream, list[int]]] = {name: defaultdict(list) for name in windows}
    gone: dict[str, dict[_Stream, list[int]]] = {name: defaultdict(list) for name in windows}
    for kind, time, stream in _frames(path):
        for name, (begin, end) in windows.items():
            if begin <= time <= end:
                (come if kind == "rx" else gone)[name][stream].append(time)
    return come, gone


def _frames(path: Path) -> Iterator[tuple[str, int, _Stream]]:
    with path.open(encoding="ascii") as trace:
        for line in trace:
            words = line.split()
            if words[0] == "tx":
                yield "tx", int(words[1]), (words[3], int(words[4]))
            elif words[0] == "rx" and words[5] == "taken":
                yield "rx", int(words[1]), (words[2], int(words[3]))


def _transit(
    come: Mapping[_Stream, Sequence[int]], gone: Mapping[_Stream, Sequence[int]]
) -> Transit | None:
    if not come:
        return None
    counts = Counter({stream: len(times) for stream, times in come.items()})
    stream, count = counts.most_common(1)[0]
    parts = [
        times for (port, _), times in gone.items() if port != stream[0] and len(times) == count
    ]
    if not parts:
        return None
    begun, ended = come[stream], list(map(max, zip(*parts, strict=True)))
    took = sorted(end - begin for begin, end in zip(begun, ended, strict=True))
    return Transit(
        frames=count,
        elapsed_ns=ended[-1] - begun[0],
        total_ns=sum(took),
        least_ns=took[0],
        median_ns=took[(count - 1) // 2],
        p99_ns=took[-(-99 * count // 100) - 1],
        most_ns=took[-1],
    )
