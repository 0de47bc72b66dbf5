# SPDX-License-Identifier: Apache-2.0
"""Pictures of pages: charts and diagrams.

README and docs/gallery.md have charts of the report's kinds, of recorded runs.

A diagram has a text in the language Pikchr, `docs/pictures/NAME.pikchr`, and `NAME.svg` is drawn
from it.  An SVG contains a digest of its text and of itself.  So only people who change a text need
Pikchr, which is in Debian's package `fossil`.  The text begins with its licence and a description
of the diagram, both as comments.  It uses the report's colours: `$ink`, `$line` and so on.
"""

import re
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from html import unescape
from pathlib import Path

from markupsafe import escape

from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.boards.profile import Profile
from firesteel.judge.advice.sweep import sweep_answer
from firesteel.judge.results import load_results
from firesteel.judge.rows import grouped
from firesteel.model.cell import ABSENT, NO_TUNNEL, Place
from firesteel.model.identity import Identity
from firesteel.show.report.charts import (
    FONT,
    Chart,
    bars_chart,
    in_both_schemes,
    schemes,
    standalone,
    sweep_chart,
)
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
    figures = [each for each in found.results.means if each.identity.workload == series]
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


_FILES = Bars(SERIES["file-transfer"], "throughput", "MB/s")


def _tunnels(found: Findings) -> Chart | None:
    """No tunnel, and suites that protect fully, of today and of 2015."""

    def is_shown(of: Identity) -> bool:
        return _compared(of) and (of.protocol == NO_TUNNEL or of.mac != ABSENT)

    panels = [
        (title, [each for each in figures if is_shown(each.identity)])
        for title, figures in found.tunnels.get(_FILES.series.name, ())
        if title in ("OpenVPN", "IPsec")
    ]
    return bars_chart(_FILES, panels)


def _router(found: Findings) -> Chart | None:
    return bars_chart(_FILES, found.tunnels.get(_FILES.series.name, ()))


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


DIAGRAMS = CHECKOUT / "docs" / "pictures"

_MARGIN = 12
_DRAWN = re.compile(r'<svg[^>]*viewBox="0 0 ([\d.]+) ([\d.]+)"[^>]*>(.*)</svg>', re.DOTALL)
_DIGEST = re.compile(r"<!-- ([0-9a-f]{64}) -->\n\Z")


def diagrams() -> dict[Path, str]:
    """What each SVG should be, by its path; `FiresteelError` if one cannot be drawn."""
    found = {}
    for path in sorted(DIAGRAMS.glob("*.pikchr")):
        text, svg = path.read_text(encoding="utf-8"), path.with_suffix(".svg")
        drawn = svg.read_text(encoding="utf-8") if svg.is_file() else ""
        found[svg] = drawn if is_of(drawn, text) else _sealed(_draw(path, text), text)
    return found


def diagram_in_page(name: str) -> str:
    """The diagram in Markdown, with its description; `FiresteelError` if there is none."""
    path = DIAGRAMS / f"{name}.pikchr"
    if not path.is_file():
        allowed = ", ".join(each.stem for each in sorted(DIAGRAMS.glob("*.pikchr")))
        raise FiresteelError(f"There is no diagram `{name}`; allowed is one of {allowed}.")
    text = path.read_text(encoding="utf-8")
    return f"![{says(text)}]({DIAGRAMS.name}/{name}.svg)"


def says(text: str) -> str:
    """What the diagram shows, in words: the comments at the head of its text, after the licence."""
    head, _, _ = text.partition("\n\n")
    return " ".join(line.lstrip("# ") for line in head.splitlines()[1:])


def is_of(svg: str, text: str) -> bool:
    """Whether the SVG was drawn from the text, and not changed since."""
    return _sealed(_DIGEST.sub("", svg), text) == svg


def _sealed(svg: str, text: str) -> str:
    digest = sha256("\0".join((text, repr(schemes()), svg)).encode()).hexdigest()
    return f"{svg}<!-- {digest} -->\n"


def _draw(path: Path, text: str) -> str:
    names = sorted(schemes()[0], key=lambda name: name != "ink")  # 0 is what Pikchr draws with.
    colours = "".join(f"${name} = {number};" for number, name in enumerate(names))
    try:
        done = subprocess.run(
            ["fossil", "pikchr", "-"],
            input=f"{colours} {text}",
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        raise FiresteelError(
            f"{path.relative_to(CHECKOUT)} has changed; install Pikchr (Debian's package "
            "`fossil`) to draw it again."
        ) from None
    drawn = _DRAWN.search(done.stdout)
    if done.returncode or not drawn:
        wrong = unescape(done.stdout) + done.stderr
        raise FiresteelError(f"{path.relative_to(CHECKOUT)}: {wrong}".strip())
    wide, high = (round(float(each)) + 2 * _MARGIN for each in drawn.groups()[:2])
    return in_both_schemes(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" '
        f'viewBox="{-_MARGIN} {-_MARGIN} {wide} {high}" font-family="{FONT}" font-size="16" '
        f'role="img" aria-label="{escape(says(text))}">'
        f'<rect x="{-_MARGIN}" y="{-_MARGIN}" width="{wide}" height="{high}" rx="6" '
        f'fill="var(--paper)" stroke="var(--line)"/>{_named(drawn[3], names)}</svg>'
    )


def _named(elements: str, names: list[str]) -> str:
    """The elements with presentation attributes instead of styles, and with names of colours."""
    plain = re.sub(
        r'(?<= )style="([^"]*)"',
        lambda style: re.sub(r"([\w-]+):([^;]*);?", r'\1="\2" ', style[1]).rstrip(),
        elements,
    )
    return re.sub(r"rgb\(0,0,(\d+)\)", lambda code: f"var(--{names[int(code[1])]})", plain)
