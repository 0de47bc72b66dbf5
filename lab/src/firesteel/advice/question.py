# SPDX-License-Identifier: Apache-2.0
"""What a user asks advice for, and the command that measures it."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from firesteel.base.bitrate import BitRate, bits_of, rate_text
from firesteel.base.errors import FiresteelError, RequestError
from firesteel.board.profile import Clock, load_profile
from firesteel.board.quantity import in_unit, split
from firesteel.board.topology import load_topology
from firesteel.experiment.collection import load
from firesteel.experiment.configuration import Configuration
from firesteel.experiment.experiment import (
    OWN_LINK,
    Experiment,
    experiment_names,
    load_experiment,
    values_of,
)
from firesteel.model.cell import NO_TUNNEL, Cell
from firesteel.protocols.registry import ALIASES, PROTOCOLS, find
from firesteel.protocols.suites import whole
from firesteel.workloads import titles

_BIT_RATE: TypeAdapter[str] = TypeAdapter(BitRate)

BOTH = {"software", "hardware"}
"""What an answer needs records of."""


@dataclass(frozen=True)
class Question:
    """A protocol and its suite; `profile` is that of the measured node, None for any, and
    `topology` where it is measured, likewise; `link` is the rate of all links, or what `--only`
    calls the topology's own.
    """

    protocol: str
    cipher: str
    mac: str
    profile: str | None = None
    topology: str | None = None
    link: str | None = None

    def fits(self, cell: Cell) -> bool:
        """Whether the cell is of what is asked, in whatever implementation."""
        return (
            (cell.protocol, cell.cipher, cell.mac) == (self.protocol, self.cipher, self.mac)
            and self.profile in (None, profile_of(cell))
            and self.topology in (None, cell.topology)
            and self.link in (None, *values_of(cell, "link"))
            and cell.implementation in BOTH
            and not cell.as_in_2015
        )

    def check_place(self) -> None:
        """Raises `FiresteelError` when the checkout has no such profile or topology."""
        if self.profile is not None:
            load_profile(self.profile)
        if self.topology is not None:
            load_topology(self.topology)

    @property
    def what(self) -> str:
        """In words: `OpenVPN AES-256-CBC:SHA-256`."""
        return titles.configuration(self.protocol, self.cipher, self.mac)

    @property
    def in_full(self) -> str:
        """The same, with the suite as experiments have it where the words leave its MAC out:
        `OpenVPN AES-256-GCM (aes-256-gcm:gcm)`.
        """
        return f"{self.what} ({self.cipher}:{self.mac})" if self.mac == "gcm" else self.what

    @property
    def where(self) -> str:
        """Board and topology in words; nothing if they are any."""
        on = f" on the board `{self.profile}`" if self.profile else ""
        at = f" with links at {self.link}" if self.link else ""
        return on + (f" in the topology `{self.topology}`" if self.topology else "") + at


def profile_of(cell: Cell) -> str:
    """The profile of the measured node."""
    return cell.profiles.get(cell.measured, "")


def ask(
    protocol: str,
    suite: str,
    profile: str | None = None,
    topology: str | None = None,
    link: str | None = None,
) -> Question:
    """A question in the words of experiments, or with another name of a protocol; a cipher alone
    says its suite where the protocol has no other with it.

    Raises `RequestError` when the lab knows no such cell, or hardware has no part in it.
    """
    asked, protocol = protocol, ALIASES.get(protocol.lower(), protocol)
    known = find(protocol)
    if known is None:
        allowed = ", ".join(each.name for each in PROTOCOLS if each.name != NO_TUNNEL)
        aliases = ", ".join(f"{alias} ({name})" for alias, name in ALIASES.items())
        raise RequestError(f"--protocol {asked}: allowed are {allowed}; or {aliases}.")
    suite_asked, suite = suite, whole(suite, known.suites)
    wanted: Any = {"protocol": protocol, "suite": suite, "implementation": sorted(BOTH)}
    try:
        Configuration.model_validate(wanted)
    except ValidationError as error:
        first = error.errors()[0]
        option = "--protocol" if "protocol" in first["loc"] else "--suite"
        reason = first["msg"].removeprefix("Value error, ").replace("Input should be", "allowed is")
        value = asked if option == "--protocol" else suite_asked
        if protocol != asked:
            reason = reason.replace(f'protocol "{protocol}"', f"{asked} (measured with {protocol})")
        raise RequestError(f"{option} {value}: {reason}{known.ask_instead}.") from None
    cipher, mac = suite.split(":")
    return Question(protocol, cipher, mac, profile, topology, _rate(link))


def _rate(link: str | None) -> str | None:
    """A rate of links as cells have it, however it is spaced; `RequestError` where it is none."""
    if link is None or link == OWN_LINK:
        return link
    try:
        bits = in_unit(*split(link), "bit/s")
        return rate_text(bits_of(_BIT_RATE.validate_python(rate_text(round(bits)))))
    except ValueError:  # Pydantic's is one too.
        raise RequestError(
            f"--link {link}: allowed is a rate from 1 Mbit/s to 100 Gbit/s with at most one "
            f'decimal, such as "2.5 Gbit/s", or {OWN_LINK}.'
        ) from None


def how_to_measure(question: Question) -> str:
    """The command that measures it, in half a sentence."""
    if found := smallest(question):
        experiment, fitting = found
        words = [experiment.name, "--quick", *only_words(experiment.cells(), fitting)]
        return f"`firesteel run {' '.join(words)}` measures it"
    anywhere = Question(question.protocol, question.cipher, question.mac)
    if question.profile and not question.topology and (found := smallest(anywhere)):
        experiment, (cell, *_) = found
        return (
            f"no experiment of the checkout has that profile, but a copy of "
            f"experiments/{experiment.name}.toml with `profiles = {{ {cell.measured} = "
            f'"{question.profile}" }}` measures it (docs/experiments.md)'
        )
    return "no experiment of the checkout measures it; docs/experiments.md shows how to write one"


def smallest(question: Question) -> tuple[Experiment, list[Cell]] | None:
    """The first of `that_measure`."""
    return next(iter(that_measure(question)), None)


def that_measure(question: Question) -> list[tuple[Experiment, list[Cell]]]:
    """The experiments that measure it in software and in hardware, and these cells of each; the one
    with the fewest cells first.

    One that measures packets goes before one of handshakes, one with the topology's own rates of
    links before one with another.
    """
    found = []
    for name in experiment_names():
        try:
            experiment = load_experiment(name)
        except FiresteelError:
            continue  # Not to be read, or a collection of others, each of which is shorter.
        if experiment.varied:
            continue  # On boards that no file has.
        cells = experiment.cells()
        fitting = [cell for cell in cells if question.fits(cell)]
        if {cell.implementation for cell in fitting} == BOTH:
            of_data = all(cell.of_data for cell in fitting)
            own_link = not fitting[0].link
            found.append((not of_data, not own_link, len(cells), name, experiment, fitting))
    return [each[4:] for each in sorted(found, key=lambda each: each[:4])]


def how_to_study(
    question: Question, experiment: str, quick: bool, clock: Clock | None = None
) -> str:
    """The command that measures how far assumptions may be off, in half a sentence: of the
    experiment whose records are advised by, if the checkout has it; on the board's own clock unless
    another is said.
    """
    cells = _cells_of(experiment, quick)
    fitting = [cell for cell in cells if is_asked(question, cell)]
    if {cell.implementation for cell in fitting} != BOTH and (found := smallest(question)):
        experiment, cells, fitting = found[0].name, found[0].cells(quick), found[1]
    if {cell.implementation for cell in fitting} != BOTH:
        return "no experiment of the checkout measures it; docs/sensitivity.md shows what would"
    words = [*(["--quick"] if quick else []), *only_words(cells, fitting)]
    words += ["--clock", clock] if clock else []
    return f"`firesteel sensitivity {' '.join([experiment, *words])}` measures it"


def _cells_of(experiment: str, quick: bool) -> tuple[Cell, ...]:
    """Those of an experiment of the checkout; none if it has none of that name."""
    try:
        return load(experiment).cells(quick)
    except FiresteelError:
        return ()


def is_asked(question: Question, cell: Cell) -> bool:
    """Whether the question is answered by the cell and its partner."""
    return question.fits(cell) and cell.implementation in BOTH


def only_words(cells: Sequence[Cell], fitting: Sequence[Cell]) -> list[str]:
    """What keeps the fitting cells and as few others as `--only` can, as words of a command."""
    words = []
    for key in ("protocol", "cipher", "mac", "board", "topology", "link"):
        has = [values_of(cell, key) for cell in fitting]
        shared = (value for value in (has[0] if has else ()) if all(value in each for each in has))
        # Of a board of a sweep and the one that it is made of, the latter if it is enough.
        value = min(
            reversed(list(shared)),
            key=lambda each: sum(each in values_of(cell, key) for cell in cells),
            default=None,
        )
        if value is not None and any(value not in values_of(cell, key) for cell in cells):
            words += ["--only", shlex.quote(f"{key}={value}")]
    return words
