# SPDX-License-Identifier: Apache-2.0
"""Which figures share a panel of a chart, and what the panel is called."""

from collections.abc import Iterable, Mapping, Sequence

from firesteel.analysis.boards import Boards
from firesteel.analysis.rows import Result, grouped
from firesteel.model.cell import NO_TUNNEL
from firesteel.workloads import titles

Group = tuple[str, Sequence[Result]]
"""A title, and the figures that it is of."""


def by_tunnel(figures: Iterable[Result], boards: Boards) -> dict[str, list[Group]]:
    """By experiment, the figures of each protocol on each board, those without a tunnel with it."""
    usual = (each for each in figures if each.identity.is_usual)
    tunnels: dict[str, dict[tuple[str, str], list[Result]]] = {}
    for (name, protocol, board), group in grouped(usual, _tunnel).items():
        tunnels.setdefault(name, {})[protocol, board] = group
    return {name: _with_clear(groups, boards) for name, groups in tunnels.items()}


def by_suite(figures: Iterable[Result], boards: Boards) -> list[Group]:
    """The figures of each experiment, tunnel and suite at each place."""
    found: list[Group] = []
    for group in grouped(figures, _suite).values():
        of = group[0].identity
        suite = titles.configuration(of.protocol, of.cipher, of.mac)
        found.append((boards.label(suite, of.board), group))
    return found


def _tunnel(result: Result) -> tuple[str, str, str]:
    of = result.identity
    return of.workload, of.protocol, of.board


def _suite(result: Result) -> tuple[str, ...]:
    of = result.identity
    return of.workload, of.protocol, of.cipher, of.mac, of.board, of.topology, of.node


def _with_clear(groups: Mapping[tuple[str, str], Sequence[Result]], boards: Boards) -> list[Group]:
    others = {key: group for key, group in groups.items() if key[0] != NO_TUNNEL}
    found: list[Group] = []
    for (protocol, board), group in (others or groups).items():
        clear = groups.get((NO_TUNNEL, board), []) if others else []
        found.append((boards.label(titles.protocol(protocol), board), [*clear, *group]))
    return found
