# SPDX-License-Identifier: Apache-2.0
"""Transfers over links of several rates beside each other."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from firesteel.analysis.places import Places
from firesteel.analysis.sheet import MISSING, Mark, Sheet, Text, ratio
from firesteel.analysis.verdict import Offload, over_links, rates
from firesteel.base.bitrate import rate_text
from firesteel.model import names
from firesteel.model.metrics import unit_of
from firesteel.model.place import Place
from firesteel.store.record import Record
from firesteel.workloads import titles

_Rates = tuple[int, ...]
"""The different rates of a topology's links, the lowest first."""


def links_sheet(
    pairs: Iterable[Offload], places: Places, records: Sequence[Record]
) -> Sheet | None:
    """The transfers of a run."""
    return sheet_of(pairs, places, rates(records))


def sheet_of(
    pairs: Iterable[Offload], places: Places, known: Mapping[Place, _Rates]
) -> Sheet | None:
    """A row a transfer, with its speed at each rate and whether the link hides it; None where all
    have one rate.
    """
    groups = over_links(pairs)
    there = {known.get(pair.identity.place, ()) for group in groups for pair in group}
    if len(there) < 2:
        return None
    heads = sorted(there)
    rows: list[list[Text]] = []
    for group in groups:
        by_rate = {known.get(pair.identity.place, ()): pair for pair in group}
        texts = [text for head in heads for text in _texts(by_rate.get(head))]
        rows.append([_called(group[0], places), *texts, _hidden(by_rate)])
    columns = (*("software", "hardware", "ratio") * len(heads), "the link")
    spans = [*((_head(head), 3) for head in heads), ("", 1)]
    caption = f"File transfers by the rate of the links, {names.unit(unit_of('throughput'))}"
    return Sheet(caption, columns, rows, spans, wordy=frozenset({len(columns) - 1}))


def _head(rates_of_links: _Rates) -> str:
    return " and ".join(map(rate_text, rates_of_links)) or "unknown rate"


def _hidden(by_rate: Mapping[_Rates, Offload]) -> Text:
    at = [_head(each) for each, pair in sorted(by_rate.items()) if pair.judged.at_link]
    return Mark(f"hides the gain at {' and '.join(at)}", "mixed") if at else MISSING


def _called(pair: Offload, places: Places) -> str:
    name = titles.of_identity(replace(pair.identity, implementation="software", completion=""))
    where = replace(pair.identity.place, link="")
    return names.listed(places.label(name, where), pair.at)


def _texts(pair: Offload | None) -> list[Text]:
    if pair is None:
        return [MISSING] * 3
    speed = pair.judged.speed_mark + ratio(pair.speed)
    return [pair.software.text, pair.hardware.text, speed]
