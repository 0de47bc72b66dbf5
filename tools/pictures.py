# SPDX-License-Identifier: Apache-2.0
"""The pictures of README and docs/gallery.md: charts of the report's kinds, of recorded runs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.boards.profile import Profile
from firesteel.judge.advice.sweep import sweep_answer
from firesteel.judge.results import load_results
from firesteel.judge.rows import grouped
from firesteel.model.cell import ABSENT, NO_TUNNEL, Place
from firesteel.model.identity import Identity
from firesteel.show.report.charts import Chart, bars_chart, standalone, sweep_chart
from firesteel.show.report.findings import Findings, findings
from firesteel.store.store import Store
from firesteel.workloads import titles
from firesteel.workloads.presentation import Bars
from firesteel.workloads.registry import SERIES

PICTURES = CHECKOUT / "docs" / "gallery"
"""Where they are, next to the page."""

_COUNTS = {1: "one engine", 2: "two engines", 4: "four engines"}


@dataclass(frozen=True)
class Picture:
    """Its name in pages, the recorded run, and the function that draws it."""

    name: str
    run: str
    draw: Callable[[Findings], Chart | None]

    def chart(self, store: Store) -> Chart:
        """The chart; `FiresteelError` where the run has nothing to draw."""
        # Without published figures: the question is of our boards alone.
        drawn = self.draw(findings(load_results(store, self.run), []))
        if drawn is None:
            raise FiresteelError(f"the run `{self.run}` has nothing to draw for `{self.name}`.")
        return drawn


def picture_named(name: str) -> Picture:
    """The picture of that name; `FiresteelError` where there is none."""
    found = {each.name: each for each in _ALL}
    if name not in found:
        raise FiresteelError(f"allowed is one of {', '.join(found)}.")
    return found[name]


def in_page(store: Store, picture: Picture) -> str:
    """The picture in Markdown, with what it shows in words; brackets would end a label."""
    label = picture.chart(store).says.translate(str.maketrans("[]", "()"))
    return f"![{label}]({PICTURES.name}/{picture.name}.svg)"


def pictures(store: Store) -> dict[Path, str]:
    """The files by their paths; none of a run that is not recorded."""
    recorded = store.run_names()
    return {
        PICTURES / f"{each.name}.svg": standalone(each.chart(store))
        for each in _ALL
        if each.run in recorded
    }


Label = tuple[str, tuple[str, str]]
"""A bar's panel, and its name there, in two parts."""


def _bars(
    found: Findings, series: str, metric: str, unit: str, label: Callable[[Identity], Label | None]
) -> Chart | None:
    """A panel for all figures of the series that have a label with the same title."""
    figures = [each for each in found.figures if each.identity.workload == series]
    labels = {each.identity: label(each.identity) for each in figures}
    known = {of: its for of, its in labels.items() if its}
    panels = grouped(
        (each for each in figures if each.identity in known), lambda each: known[each.identity][0]
    )
    return bars_chart(
        Bars(SERIES[series], metric, unit), list(panels.items()), lambda of: known[of][1]
    )


def _boards(found: Findings) -> Mapping[Place, Profile]:
    """The measured boards, by where they were measured."""
    records = ((each.cell, each.setup) for each in found.results.records)
    return {cell.place: setup.profiles[cell.measured] for cell, setup in records}


def _compared(of: Identity) -> bool:
    return of.is_usual and of.implementation in ("software", "hardware")


def _tunnels(found: Findings) -> Chart | None:
    """No tunnel, and suites that protect fully, of today and of 2015."""

    def is_shown(of: Identity) -> bool:
        return _compared(of) and (of.protocol == NO_TUNNEL or of.mac != ABSENT)

    bars = Bars(SERIES["file-transfer"], "throughput", "MB/s")
    panels = [
        (title, [each for each in figures if is_shown(each.identity)])
        for title, figures in found.tunnels.get(bars.series.name, ())
        if title in ("OpenVPN", "IPsec")
    ]
    return bars_chart(bars, panels)


def _router(found: Findings) -> Chart | None:
    bars = Bars(SERIES["file-transfer"], "throughput", "MB/s")
    return bars_chart(bars, found.tunnels.get(bars.series.name, ()))


def _gateway(found: Findings) -> Chart | None:
    """Without cryptography, in software and in hardware."""

    def label(of: Identity) -> Label | None:
        suite = of.protocol == "ipsec" and of.cipher in ("aes-256-gcm", ABSENT)
        if not (suite and of.board == "socrates" and _compared(of)):
            return None
        name = titles.protocol(of.protocol), "no cryptography"
        if of.cipher != ABSENT:
            how = titles.implementation(of.implementation)
            name = f"{name[0]} {titles.suite(of.cipher, of.mac)}", how
        return f"{of.parameter.size_bytes or 0:,}-byte frames", name

    return _bars(found, "forwarding", "packet_rate", "packets a second", label)


def _concentrator(found: Findings) -> Chart | None:
    """Boards with the fastest processor, which differ in the number of their engines."""
    boards = _boards(found)

    def label(of: Identity) -> Label | None:
        engines = sum(cores.pk for cores in boards[of.place].cores)
        if not (of.place.board.startswith("socrates-1600") and engines):
            return None
        how = "software" if of.implementation == "software" else _COUNTS[engines]
        return titles.protocol(of.protocol), (of.parameter.text.upper(), how)

    return _bars(found, "tls-connections", "connections", "handshakes a minute", label)


def _core(found: Findings) -> Chart | None:
    answer = sweep_answer(found.results)
    return sweep_chart(answer) if answer else None


def _prototype(found: Findings) -> Chart | None:
    """Requests to the kernel of several sizes, on both boards."""
    boards = _boards(found)

    def label(of: Identity) -> Label | None:
        alone = of.parameter.in_flight in (None, 1)
        if not (of.cipher == "aes-256-gcm-esp" and alone and _compared(of)):
            return None
        size = f"{of.parameter.size_bytes or 0:,}-byte requests"
        name = f"{boards[of.place].memory.dma} DMA", titles.implementation(of.implementation)
        return f"{titles.suite(of.cipher, of.mac)}, {size}", name

    return _bars(found, "kernel-crypto", "throughput", "MB/s", label)


_ALL = (
    Picture("tunnels", "thesis", _tunnels),
    Picture("router", "gateways", _router),
    Picture("gateway", "forwarding", _gateway),
    Picture("concentrator", "several-cores", _concentrator),
    Picture("core", "core-clock", _core),
    Picture("prototype", "dma", _prototype),
)
