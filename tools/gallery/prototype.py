# SPDX-License-Identifier: Apache-2.0
"""An FPGA prototype whose DMA is not coherent: what that costs, and whether the verdict holds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from firesteel.analysis.offload import Offload
from firesteel.analysis.over_links import transfers
from firesteel.analysis.rows import grouped
from firesteel.analysis.verdict import RATE
from firesteel.board.profile import Dma
from firesteel.model.identity import Identity
from firesteel.model.names import all_of
from firesteel.model.place import Place
from firesteel.report.bars import bars_chart
from firesteel.report.charts import Chart
from firesteel.report.findings import Findings
from firesteel.workloads import titles
from firesteel.workloads.presentation import Bars
from firesteel.workloads.series import Series
from tools.gallery.exhibit import Exhibit, Sentences, boards_of, needed, series_with
from tools.gallery.words import amount, gains, less, size, sizes

_CIPHER = "aes-256-gcm-esp"
_COST, _FILE_COST = "cpu_time_per_request_p50", "cpu_seconds_per_mb"
_PACKET = 1400
"""Bytes of a request that is as large as a packet."""


@dataclass(frozen=True)
class _Boards:
    """The same rows on a board whose DMA is coherent, and on one whose DMA is not."""

    coherent: Mapping[Identity, Offload]
    other: Mapping[Identity, Offload]

    @property
    def both(self) -> list[tuple[Offload, Offload]]:
        """Each row on both, the coherent board first."""
        return [(self.coherent[of], pair) for of, pair in self.other.items() if of in self.coherent]


def _chart(found: Findings) -> Chart | None:
    """A panel for each size of a request to the kernel, with both boards."""
    dma, series = _dma(found), series_with(found, _COST)
    panels = grouped(
        (each for each in found.figures if _is_drawn(each.identity, series)),
        lambda each: each.identity.parameter.size_bytes or 0,
    )

    def name(of: Identity) -> tuple[str, str]:
        return f"{dma[of.place]} DMA", titles.implementation(of.implementation)

    groups = [(_panel(those[0].identity), those) for those in panels.values()]
    return bars_chart(Bars(series, RATE, "MB/s"), groups, name)


def _panel(of: Identity) -> str:
    return f"{titles.suite(of.cipher, of.mac)}, {of.parameter.size_bytes:,}-byte requests"


def _is_drawn(of: Identity, series: Series) -> bool:
    one_at_a_time = of.parameter.in_flight in (None, 1)
    usual = of.is_usual and of.implementation in ("software", "hardware")
    return of.workload == series.name and of.cipher == _CIPHER and one_at_a_time and usual


def _dma(found: Findings) -> Mapping[Place, Dma]:
    """What DMA is like in each place."""
    return {place: board.memory.dma for place, board in boards_of(found).items()}


def _sentences(found: Findings) -> Sentences:
    boards = _boards(found)
    needed(boards.both, "rows with coherent DMA and without", found)
    return _verdict(boards), _figures(boards, found), _sizes(boards)


def _boards(found: Findings) -> _Boards:
    dma = _dma(found)
    by_dma = grouped(found.answer.pairs, lambda pair: dma.get(pair.identity.place))
    coherent, other = (
        {pair.identity.anywhere: pair for pair in by_dma.get(kind, ())}
        for kind in ("coherent", "non-coherent")
    )
    return _Boards(coherent, other)


def _verdict(boards: _Boards) -> str:
    here = [pair for _, pair in boards.both]
    same = sum(one.verdict == other.verdict for one, other in boards.both)
    every = same == len(here)
    word = "Yes" if every else "Mostly" if same > len(here) / 2 else "No"
    keep = f"all {same} rows keep" if every else f"{same} of {len(here)} rows keep"
    return (
        f"{word}: where DMA is not coherent, {keep} the verdict that they have with coherent DMA; "
        f"{gains(here)}."
    )


def _figures(boards: _Boards, found: Findings) -> str:
    """Of a request as large as a packet, and of a file."""
    series = series_with(found, _COST)
    requests = [
        pairs
        for pairs in boards.both
        if _is_drawn(pairs[1].identity, series) and size(pairs[1]) == _PACKET
    ]
    what = f"a request of {sizes([_PACKET])}"
    one, other = needed(requests, f"{what} with {_CIPHER}", found)[0]
    suite = titles.suite(other.identity.cipher, other.identity.mac)
    coherent, here = (pair.pair.other.results[_COST] for pair in (one, other))
    software = other.pair.one.results[_COST]
    return (
        f"With {suite} {what} to the kernel costs the CPU {amount(here)} µs on the "
        f"cores instead of {amount(coherent)} µs with coherent DMA, and {amount(software)} µs in "
        f"software{_files(boards)}."
    )


def _files(boards: _Boards) -> str:
    """What a file through a tunnel costs more; nothing where none was measured."""
    both = [each for each in boards.both if transfers(each)]
    if not both:
        return ""
    one, other = both[-1]
    ratio = other.pair.other.results[_FILE_COST].value / one.pair.other.results[_FILE_COST].value
    of = other.identity
    tunnel = titles.configuration(of.protocol, of.cipher, of.mac)
    return f"; a file through {tunnel} takes {less(ratio)} CPU time"


def _sizes(boards: _Boards) -> str:
    coherent, other = (
        _that_do_not_gain([pairs[number] for pairs in boards.both]) for number in (0, 1)
    )
    if coherent == other:
        if not other:
            return "Nothing depends on the bus: every row gains on both boards."
        return f"Size decides, not the bus: on both boards all rows that do not gain are {other}."
    return (
        f"Size and bus decide: rows that do not gain are {other or 'none'} where DMA is not "
        f"coherent, and {coherent or 'none'} where it is."
    )


def _that_do_not_gain(pairs: Sequence[Offload]) -> str:
    """The sizes of rows that do not gain, in words."""
    parameters = [pair.identity.parameter for pair in pairs if pair.verdict != "helps"]
    of_bytes = sorted({each.size_bytes for each in parameters if each.size_bytes})
    files = ["files"] if any(not each.size_bytes for each in parameters) else []
    requests = [f"requests of {sizes(of_bytes)}"] if of_bytes else []
    return all_of([*requests, *files])


PROTOTYPE = Exhibit("prototype", "dma", _chart, _sentences)
