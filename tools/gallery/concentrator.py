# SPDX-License-Identifier: Apache-2.0
"""A VPN concentrator: how many public-key engines are worth it, by the handshakes they serve.

Boards of one processor differ in the number of their engines.  A further step is worth it if it
serves more handshakes by more than the slack and the noise.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from firesteel.analysis.pairs import Pair
from firesteel.analysis.rows import Result, Row, grouped
from firesteel.board.numbers import Path
from firesteel.board.profile import Profile
from firesteel.model.identity import Identity
from firesteel.model.names import all_of
from firesteel.model.place import Place
from firesteel.report.bars import bars_chart
from firesteel.report.charts import Chart
from firesteel.report.findings import Findings
from firesteel.workloads import titles
from firesteel.workloads.presentation import Bars
from tools.gallery.exhibit import Exhibit, Sentences, boards_of, needed, series_with
from tools.gallery.words import LIMITS, amount, amounts, count

_RATE = "connections"


@dataclass(frozen=True)
class _Served:
    """Handshakes with one kind of key: in software, and by the number of engines from the fewest
    on.
    """

    key: str
    software: Row | None
    by_engines: Mapping[int, Row]

    @property
    def enough(self) -> int:
        """The engines beyond which further ones serve no more handshakes."""
        for fewer, more in pairwise(self.by_engines):
            pair = Pair(self.by_engines[fewer], self.by_engines[more])
            if pair.compared(_RATE).standing != "better":
                return fewer
        return self.most

    @property
    def most(self) -> int:
        """The most engines that were measured."""
        return max(self.by_engines)

    @property
    def bound_by_cpu(self) -> int | None:
        """The fewest engines with which the CPU is the limit; None where it never is."""
        return next((n for n, row in self.by_engines.items() if row.bound == "CPU"), None)


def _chart(found: Findings) -> Chart | None:
    engines = _engines(found)
    drawn = [each for each in found.figures if each.identity.place in engines]
    series = series_with(found, _RATE)
    those = [each for each in drawn if each.identity.workload == series.name]

    def name(of: Identity) -> tuple[str, str]:
        in_hardware = _engines_in_words(engines[of.place])
        how = "software" if of.implementation == "software" else in_hardware
        return of.parameter.text.upper(), how

    server = titles.protocol(those[0].identity.protocol)
    return bars_chart(Bars(series, _RATE, "handshakes a minute"), [(server, those)], name)


def _engines(found: Findings) -> Mapping[Place, int]:
    """How many engines the boards with the fastest processor have, the fewest first."""
    boards = _boards(found)
    needed(list(boards), "boards with public-key engines", found)
    fastest = max(map(_speed, boards.values()))
    those = {place: _count(each) for place, each in boards.items() if _speed(each) == fastest}
    return dict(sorted(those.items(), key=lambda each: each[1]))


def _boards(found: Findings) -> Mapping[Place, Profile]:
    """The measured boards that have such engines."""
    return {place: board for place, board in boards_of(found).items() if _count(board)}


def _count(board: Profile) -> int:
    return sum(cores.pk for cores in board.cores)


def _speed(board: Profile) -> int:
    return board.cpu.hertz or board.cpu.instructions_per_second


def _sentences(found: Findings) -> Sentences:
    served = needed(_served(found), "handshakes on the cores", found)
    return _verdict(served), _figures(found, served), _limits(served)


def _served(found: Findings) -> list[_Served]:
    """By kind of key, in the order in which they were measured."""
    engines = _engines(found)
    rows = found.experiments[series_with(found, _RATE).name]
    here = [row for row in rows if row.identity.place in engines]
    served = []
    for key, those in grouped(here, lambda row: row.identity.parameter.text).items():
        software = [row for row in those if row.identity.implementation == "software"]
        hardware = [row for row in those if row.identity.implementation == "hardware"]
        by_engines = {engines[row.identity.place]: row for row in hardware}
        if by_engines:
            ordered = dict(sorted(by_engines.items()))
            served.append(_Served(key.upper(), next(iter(software), None), ordered))
    return served


def _verdict(served: Sequence[_Served]) -> str:
    told = []
    for enough, those in grouped(served, lambda each: each.enough).items():
        keys = all_of([each.key for each in those])
        worth = f"{_engines_in_words(enough)} {'is' if enough == 1 else 'are'} worth it"
        most = ", the most that were measured" if enough == those[0].most else ""
        told.append(f"with {keys} keys {worth}{most}")
    return f"{_capital('; '.join(told))}."


def _figures(found: Findings, served: Sequence[_Served]) -> str:
    """Of the key with which most engines are worth it."""
    those = max(served, key=lambda each: each.enough)
    rates = amounts([_rate(row) for row in those.by_engines.values()])
    engines = all_of([count(number) for number in those.by_engines])
    serve = "engines serve" if those.most > 1 else "engine serves"
    served_by = f"With a processor of {_processor(found)} {engines} {serve}"
    software = f", where software serves {amount(_rate(those.software))}" if those.software else ""
    return f"{served_by} {rates} handshakes a minute with {those.key} keys{software}."


def _processor(found: Findings) -> str:
    (board, *_) = (_boards(found)[place] for place in _engines(found))
    cpu = board.cpu
    if cpu.hertz:
        return Path.of("cpu.hertz").said(cpu.hertz)
    return Path.of("cpu.instructions_per_second").said(cpu.instructions_per_second)


def _limits(served: Sequence[_Served]) -> str:
    told: list[str] = []
    for each in served:
        of = f"those with {each.key} keys" if told else f"handshakes with {each.key} keys"
        first = each.bound_by_cpu
        if first is not None:
            told.append(f"the CPU limits {of} from {_engines_in_words(first)} on")
        else:
            bound = each.by_engines[each.most].bound
            limits = "the engines still limit" if bound == "core" else f"{LIMITS[bound]} limits"
            told.append(f"{limits} {of} at {count(each.most)}")
    return f"{_capital(all_of(told, last=', and '))}."


def _rate(row: Row) -> Result:
    return row.results[_RATE]


def _engines_in_words(number: int) -> str:
    return f"{count(number)} engine{'' if number == 1 else 's'}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


CONCENTRATOR = Exhibit("concentrator", "several-cores", _chart, _sentences)
