# SPDX-License-Identifier: Apache-2.0
"""What the link hides: transfers in which hardware is as fast as the link, and the same transfers
over links of other rates.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from firesteel.analysis.offload import Offload
from firesteel.analysis.rows import grouped
from firesteel.model.identity import Identity
from firesteel.model.place import Place
from firesteel.store.record import Record
from firesteel.workloads.registry import TRANSFERS


@dataclass(frozen=True)
class Hidden:
    """A transfer in hardware that only the link slows down, and the same over links that do not, or
    that let it be faster, the fastest last.
    """

    pair: Offload
    faster: tuple[Offload, ...] = ()


def transfers(pairs: Iterable[Offload]) -> list[Offload]:
    """Those whose speed a link bounds."""
    return [
        pair
        for pair in pairs
        if pair.identity.workload in TRANSFERS and pair.metric == "throughput"
    ]


def over_links(pairs: Iterable[Offload]) -> list[tuple[Offload, ...]]:
    """Transfers that differ in nothing but the rate of the links together, the slowest first."""
    found = grouped(transfers(pairs), _over_any_link)
    return [tuple(sorted(those, key=_throughput)) for those in found.values()]


def repeats(pairs: Sequence[Offload]) -> list[Offload]:
    """Rows that are there over links of another rate too: of those that differ in nothing else, all
    but the one over the links that most rows have, or but the first.
    """
    counted = Counter(pair.identity.link for pair in pairs)
    usual = max(counted, key=lambda link: counted[link], default="")
    told = []
    for those in grouped(pairs, _over_any_link).values():
        first = next((pair for pair in those if pair.identity.link == usual), those[0])
        told += [pair for pair in those if pair.identity.link != first.identity.link]
    return told


def hidden(pairs: Sequence[Offload]) -> list[Hidden]:
    """The transfers whose gain the link hides, in their order."""
    alike = {pair.identity: those for those in over_links(pairs) for pair in those}
    return [
        Hidden(
            pair,
            tuple(
                other
                for other in alike[pair.identity]
                if not other.judged.at_link or _throughput(other) > _throughput(pair)
            ),
        )
        for pair in transfers(pairs)
        if pair.judged.at_link
    ]


def rates(records: Iterable[Record]) -> Mapping[Place, tuple[int, ...]]:
    """The different rates of the links in each place, the lowest first; nothing of a place whose
    records do not tell.
    """
    found = {}
    for record in records:
        if setup := record.measurement.setup:
            different = {link.rate_bit_s for link in setup.topology.links}
            found[record.inputs.cell.place] = tuple(sorted(different))
    return found


def _over_any_link(pair: Offload) -> Identity:
    return replace(pair.identity, link="")


def _throughput(pair: Offload) -> float:
    return pair.hardware.value
