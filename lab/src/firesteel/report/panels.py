# SPDX-License-Identifier: Apache-2.0
"""Which figures share a panel of a chart, and what the panel is called."""

from collections.abc import Iterable, Mapping, Sequence

from firesteel.analysis.places import Places
from firesteel.analysis.rows import Result, grouped
from firesteel.model.cell import NO_TUNNEL
from firesteel.model.place import Place
from firesteel.workloads import titles

Group = tuple[str, Sequence[Result]]
"""A title, and the figures that it is of."""

_Tunnel = tuple[str, Place]
"""A protocol and where it was measured."""


def by_tunnel(figures: Iterable[Result], places: Places) -> dict[str, list[Group]]:
    """By experiment, the figures of each protocol at each place, those without a tunnel with it."""
    usual = (each for each in figures if each.identity.is_usual)
    tunnels: dict[str, dict[_Tunnel, list[Result]]] = {}
    for (name, protocol, place), group in grouped(usual, _tunnel).items():
        tunnels.setdefault(name, {})[protocol, place] = group
    return {name: _with_clear(groups, places) for name, groups in tunnels.items()}


def by_suite(figures: Iterable[Result], places: Places) -> list[Group]:
    """The figures of each experiment, tunnel and suite at each place."""
    found: list[Group] = []
    for group in grouped(figures, _suite).values():
        of = group[0].identity
        suite = titles.configuration(of.protocol, of.cipher, of.mac)
        found.append((places.label(suite, of.place), group))
    return found


def _tunnel(result: Result) -> tuple[str, str, Place]:
    of = result.identity
    return of.workload, of.protocol, of.place


def _suite(result: Result) -> tuple[str, str, str, str, Place]:
    of = result.identity
    return of.workload, of.protocol, of.cipher, of.mac, of.place


def _with_clear(groups: Mapping[_Tunnel, Sequence[Result]], places: Places) -> list[Group]:
    others = {key: group for key, group in groups.items() if key[0] != NO_TUNNEL}
    found: list[Group] = []
    for (protocol, place), group in (others or groups).items():
        clear = groups.get((NO_TUNNEL, place), []) if others else []
        found.append((places.label(titles.protocol(protocol), place), [*clear, *group]))
    return found
