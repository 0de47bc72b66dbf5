# SPDX-License-Identifier: Apache-2.0
"""An industrial gateway: how many more packets a second the cores let through IPsec, by size."""

from collections.abc import Sequence
from dataclasses import replace

from firesteel.advice.answer import times
from firesteel.analysis.comparison import SLACK
from firesteel.analysis.offload import Offload
from firesteel.analysis.rows import grouped
from firesteel.model.cell import ABSENT
from firesteel.model.identity import Identity
from firesteel.model.names import all_of
from firesteel.report.bars import bars_chart
from firesteel.report.charts import Chart
from firesteel.report.findings import Findings
from firesteel.workloads import titles
from firesteel.workloads.presentation import Bars
from firesteel.workloads.registry import SERIES
from tools.gallery.exhibit import Exhibit, Sentences, needed
from tools.gallery.words import amount, amounts, gains, limit, size, sizes

_RATE = "packet_rate"


def _chart(found: Findings) -> Chart | None:
    """A panel for each size of frames: without cryptography, in software, in hardware."""
    of = _pairs(found)[0].identity
    drawn = [each for each in found.figures if _is_drawn(each.identity, of)]
    by_size = grouped(drawn, lambda each: each.identity.parameter.size_bytes or 0)
    panels = [(f"{of_bytes:,}-byte frames", those) for of_bytes, those in by_size.items()]
    return bars_chart(Bars(SERIES[of.workload], _RATE, "packets a second"), panels, _name)


def _is_drawn(each: Identity, of: Identity) -> bool:
    same = (each.workload, each.protocol, each.place) == (of.workload, of.protocol, of.place)
    suite = each.cipher in (of.cipher, ABSENT)
    return same and suite and each.is_usual and each.implementation in ("software", "hardware")


def _name(of: Identity) -> tuple[str, str]:
    protocol = titles.protocol(of.protocol)
    if of.cipher == ABSENT:
        return protocol, "no cryptography"
    suite = f"{protocol} {titles.suite(of.cipher, of.mac)}"
    return suite, titles.implementation(of.implementation)


def _sentences(found: Findings) -> Sentences:
    pairs = _pairs(found)
    return _verdict(found, pairs), _figures(pairs), _limits(found, pairs)


def _pairs(found: Findings) -> Sequence[Offload]:
    """Those of the suite that the run measured first, the smallest frames first."""
    rates = [pair for pair in found.answer.pairs if pair.metric == _RATE]
    by_suite = grouped(rates, lambda pair: (pair.identity.side, pair.identity.place))
    first = needed(list(by_suite.values()), "packet rates in software and in hardware", found)[0]
    return sorted(first, key=size)


def _verdict(found: Findings, pairs: Sequence[Offload]) -> str:
    faster = [size(pair) for pair in pairs if pair.judged.counted[0] > 1 + SLACK]
    where = f"with frames of {sizes(faster)}" if faster else "with frames of no size"
    rows = gains(found.answer.pairs, " of the run")
    return f"{found.answer.word}: offload raises the packet rate {where}; {rows}."


def _figures(pairs: Sequence[Offload]) -> str:
    suite = titles.suite(pairs[0].identity.cipher, pairs[0].identity.mac)
    told: list[str] = []
    for pair in pairs:
        packets, a_second = ("", "") if told else (" packets", " a second")
        rate = f"{amount(pair.hardware)}{packets} of {sizes([size(pair)])}{a_second}"
        told.append(f"{rate} instead of {amount(pair.software)} ({times(pair.speed)})")
    return f"With {suite} the gateway forwards {all_of(told, last=', and ')}."


def _limits(found: Findings, pairs: Sequence[Offload]) -> str:
    by_limit = grouped(pairs, limit)
    limits = [
        f"{what} limits frames of {sizes([size(pair) for pair in those])}"
        for what, those in by_limit.items()
    ]
    if len(limits) == 1:
        limits = [f"{limit(pairs[0])} limits every rate"]
    return f"With the cores {all_of(limits, last=', and ')}{_ceiling(found, pairs)}."


def _ceiling(found: Findings, pairs: Sequence[Offload]) -> str:
    """What the same tunnel forwards without cryptography, where that was measured."""
    rows = found.experiments[pairs[0].identity.workload]
    plain = (replace(pair.identity.in_software, cipher=ABSENT, mac=ABSENT) for pair in pairs)
    most = [row.results[_RATE] for each in plain if (row := rows.get(each))]
    if len(most) < len(pairs) or any(
        pair.hardware.value > bare.value for pair, bare in zip(pairs, most, strict=True)
    ):
        return ""
    protocol = titles.protocol(pairs[0].identity.protocol)
    return f"; {protocol} without cryptography, which no core can outdo, forwards {amounts(most)}"


GATEWAY = Exhibit("gateway", "forwarding", _chart, _sentences)
