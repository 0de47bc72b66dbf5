# SPDX-License-Identifier: Apache-2.0
"""What the store has for a question: the runs that measured it in software and in hardware, and
boards and links that a question describes, which nobody need have measured.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path as File

from firesteel.base.errors import FiresteelError, RequestError
from firesteel.boards.catalog import Axis, Catalog, at_point
from firesteel.boards.numbers import base_of, is_made, name_in_words
from firesteel.boards.profile import DEFAULT_BOARD, Profile, load_profile
from firesteel.boards.topology import load_topology
from firesteel.judge.results import of_records
from firesteel.judge.rows import Result, grouped
from firesteel.judge.thresholds import break_even
from firesteel.judge.verdict import Offload, on_usual_cpus
from firesteel.model.cell import NO_TUNNEL, OWN_LINK, Cell
from firesteel.protocols.site import site_of
from firesteel.store.journal import Entry, Journal
from firesteel.store.record import Record, libcrypto_of
from firesteel.store.setup import Setup, catalog_of
from firesteel.store.store import Store
from firesteel.workloads import titles

BOTH = {"software", "hardware"}
"""What an answer needs records of."""


@dataclass(frozen=True)
class Question:
    """A protocol and its suite.  `profile` is the measured node's profile, and `topology` is the
    topology; None stands for any.  `link` is the rate of all links, or the word of `--only` for the
    topology's rates.
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
            and self.profile in (None, cell.place.board)
            and self.topology in (None, cell.topology)
            and self.link in (None, cell.link or OWN_LINK)
            and cell.implementation in BOTH
            and not cell.as_in_2015
        )

    def fitting(self, cells: Iterable[Cell]) -> list[Cell]:
        """Those that fit, on the CPUs that the kernel chooses, or on the only ones measured."""
        there = list(filter(self.fits, cells))
        alike = grouped(there, lambda cell: cell.place)
        return [
            cell
            for cell in there
            if on_usual_cpus(cell.affinity, (each.affinity for each in alike[cell.place]))
        ]

    @property
    def what(self) -> str:
        """In words: `OpenVPN AES-256-CBC:SHA-256`."""
        return titles.configuration(self.protocol, self.cipher, self.mac)

    @property
    def in_full(self) -> str:
        """The same, but with the suite's full name if the short form omits the MAC."""
        return f"{self.what} ({self.cipher}:{self.mac})" if self.mac == "gcm" else self.what

    @property
    def where(self) -> str:
        """Board and topology in words; nothing if they are any."""
        on = f" on the board `{self.profile}`" if self.profile else ""
        at = f" with links at {self.link}" if self.link else ""
        return on + (f" in the topology `{self.topology}`" if self.topology else "") + at


@dataclass(frozen=True)
class Place:
    """A measured board and the links that it is on: their names, and in `words` what they were when
    they were measured.
    """

    topology: str
    profile: str
    link: str = ""
    words: str = ""

    @staticmethod
    def of(cell: Cell, setup: Setup) -> "Place":
        """That of a cell, with what it was measured on."""
        return Place(cell.topology, cell.place.board, cell.link, setup.in_short(cell.measured))

    @property
    def is_made(self) -> bool:
        """Whether it was made for a sweep and is in no file."""
        return is_made(self.profile) or is_made(self.topology)

    @property
    def board(self) -> str:
        """As `socrates`, or `socrates` with processor frequency 1.2 GHz."""
        return _quoted(self.profile)

    @property
    def name(self) -> str:
        """Board and topology, such as `socrates` in `host-host`; with the rate of the links if it
        is not the topology's.
        """
        at = f", at {self.link}" if self.link else ""
        return f"{self.board} in {_quoted(self.topology)}{at}"


def _quoted(name: str) -> str:
    """A board or topology by its file, with the numbers that it has otherwise."""
    base, said = base_of(name), name_in_words(name)
    return f"`{name}`" if said == name else f"`{base}` with {said}"


@dataclass(frozen=True)
class Part:
    """What a run measured in software and in hardware in one place.  Each experiment is in only one
    part of an advice.  `records` are the records of the `rows`, and `means` are all figures for the
    question in that place.
    """

    journal: Journal
    records: tuple[Record, ...]
    means: tuple[Result, ...]
    rows: tuple[Offload, ...]

    def of(self, implementation: str) -> list[Record]:
        """The records in software, or in hardware."""
        return [each for each in self.records if each.cell.implementation == implementation]

    @property
    def cell(self) -> Cell:
        """One in hardware."""
        return self.of("hardware")[0].cell

    @property
    def setup(self) -> Setup:
        """What it was measured on."""
        return self.of("hardware")[0].setup

    @property
    def board(self) -> Profile:
        """What the measured node was."""
        return self.setup.profiles[self.cell.measured]

    @cached_property
    def place(self) -> Place:
        """Where it was measured."""
        return Place.of(self.cell, self.setup)

    @property
    def has_other_clock(self) -> bool:
        """Whether `--clock` chose another clock than the checkout has for the board."""
        try:
            usual = load_profile(self.cell.place.board).cpu.clock
        except FiresteelError:
            return False  # A store of elsewhere.
        return self.board.cpu.clock != usual

    @property
    def seeds(self) -> int:
        """How many there are of each figure."""
        return len({each.cell.seed for each in self.records})

    @property
    def experiments(self) -> list[str]:
        """In the order of the records."""
        return list(dict.fromkeys(row.identity.workload for row in self.rows))

    @property
    def break_evens(self) -> list[str]:
        """From which size on hardware costs less, a sentence each."""
        mine = [each for each in self.means if each.identity.workload in self.experiments]
        return [found.sentence for found in break_even(mine)]

    def without(self, experiments: Collection[str]) -> "Part":
        """The rows of other experiments."""
        rows = tuple(row for row in self.rows if row.identity.workload not in experiments)
        return replace(self, rows=rows)


@dataclass(frozen=True)
class Wanted:
    """Where an answer is asked for that nobody need have measured: the cell in hardware, and what
    the names in it stand for.
    """

    cell: Cell
    setup: Setup

    @property
    def place(self) -> Place:
        """Its name, and what it is like."""
        return Place.of(self.cell, self.setup)

    def apart(self, setup: Setup) -> tuple[str, ...] | None:
        """The paths of the numbers that differ on others; None where something else differs."""
        one, other = (each.parts(self.cell.measured) for each in (self.setup, setup))
        if setup.shape != self.setup.shape or one.keys() != other.keys():
            return None
        paths = tuple(path for path in one if one[path] != other[path])
        words = any(isinstance(each[path], bool | str) for each in (one, other) for path in paths)
        return None if words else paths

    def is_at(self, part: Part) -> bool:
        """Whether it was measured on equal boards and links, whatever these are called."""
        same_node = part.cell.measured == self.cell.measured
        return same_node and self.apart(part.setup) == ()


class NotMeasuredError(FiresteelError):
    """There is no answer, because nothing was measured.  `wanted` is the described board, if there
    is one, and `near` is what was measured elsewhere.
    """

    def __init__(
        self, why: str, question: Question, wanted: Wanted | None = None, near: Part | None = None
    ) -> None:
        super().__init__(why)
        self.question, self.wanted, self.near = question, wanted, near


@dataclass(frozen=True)
class Asked:
    """What a user specifies in addition to a question: a board by its name, and numbers of boards
    and links by their paths (`boards.numbers`).
    """

    board: tuple[str, Profile] | None = None
    numbers: Mapping[str, float] | None = None

    def beside(self, base: Part) -> Wanted:
        """The place that is asked about.  Everything unspecified is taken from `base`, or from the
        files if a sweep made `base`.

        Raises `FiresteelError` if a number does not exist or has a value that is not allowed.
        """
        catalog = catalog_of([(base.cell, base.setup)])
        cell = named_in_files(base.cell)
        for node, name in cell.profiles.items():
            replaced = self.board is not None and node == cell.measured
            if (made := base.cell.profiles[node]) != name and not replaced:
                clock = catalog.profile(made).cpu.clock
                catalog.keep(name, load_profile(name).on_clock(clock))
        if self.board:
            name, profile = self.board
            catalog.keep(name, profile)
            cell = cell.model_copy(update={"profiles": {**cell.profiles, cell.measured: name}})
        cell = at_point(cell, self.numbers or {}, catalog)
        return Wanted(cell, setup_of(cell, catalog))


def named_in_files(cell: Cell) -> Cell:
    """The cell on those boards and links that boards and links of sweeps were made of."""
    profiles = {node: base_of(name) for node, name in cell.profiles.items()}
    return cell.model_copy(update={"profiles": profiles, "topology": base_of(cell.topology)})


def setup_of(cell: Cell, catalog: Catalog) -> Setup:
    """The boards and links that a cell would be measured on."""
    site = site_of(cell, catalog)
    return Setup(topology=site.topology, profiles=dict(site.profiles))


def numbers(texts: list[str]) -> dict[str, float]:
    """What `--with PATH=VALUE` says; `RequestError` for what is no number of a board or link."""
    found: dict[str, float] = {}
    for text in texts:
        path, _, said = text.partition("=")
        try:
            axis = Axis.read(path, said)
            if len(axis.levels.values) != 1 or axis.path in found:
                raise ValueError("allowed is one value")
        except ValueError as error:
            raise RequestError(
                f"--with {text}: {error}; it takes PATH=VALUE, such as cpu.hertz=1GHz."
            ) from None
        found[axis.path] = axis.levels.values[0]
    return found


def board_in(said: str | None) -> tuple[str, Profile] | None:
    """The board in a file, and what it goes by; None where it is a name, or nothing.

    Raises `FiresteelError` when the file is not there or wrong.
    """
    if said is None or not said.endswith(".toml"):
        return None
    catalog = Catalog()
    try:
        name = catalog.find_profile(said, File.cwd())
    except FiresteelError as error:
        raise RequestError(f"--board {said}: {error}") from None
    return name, catalog.profile(name)


@dataclass
class Search:
    """Looks for the parts of a question, and why there are no others."""

    store: Store
    question: Question
    run: str | None
    parts: list[Part] = field(default_factory=list)
    there: set[str] = field(default_factory=set)
    failed: list[tuple[str, Entry]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def find(self) -> list[Part]:
        """The parts of the default board come first, then parts of boards made of it.  Next count,
        in this order, a board that a file has, the clock of the checkout's board, and the
        topology's own rates of links.

        Raises `NotMeasuredError` when there is none.  What is damaged in a run that was not asked
        for is a remark.
        """
        for journal in self._journals():
            entries = self._fitting(journal)
            self.failed += [(journal.name, each) for each in entries if each.state == "failed"]
            done = {each.cell.implementation for each in entries if each.state == "done"}
            self.there |= done
            if done == BOTH:
                try:
                    self.parts += self._of_run(journal)
                except FiresteelError as error:
                    if self.run is not None:
                        raise
                    self.remarks.append(str(error))
        if not self.parts:
            raise NotMeasuredError(self._nothing(), self.question)
        return sorted(
            self.parts,
            key=lambda part: (
                part.place.profile != DEFAULT_BOARD,
                base_of(part.place.profile) != DEFAULT_BOARD,
                part.place.is_made,
                part.has_other_clock,
                bool(part.place.link),
            ),
        )

    def _journals(self) -> list[Journal]:
        if self.run is not None:
            return [self.store.journal(self.run)]
        journals = []
        for name in self.store.run_names():
            try:
                journals.append(self.store.journal(name))
            except FiresteelError as error:
                self.remarks.append(str(error))
        return sorted(journals, key=lambda each: (each.started, each.name), reverse=True)

    def _fitting(self, journal: Journal) -> list[Entry]:
        """The entries of a run that are of the question."""
        own = set(map(id, self.question.fitting(each.cell for each in journal.entries)))
        return [each for each in journal.entries if id(each.cell) in own]

    def _of_run(self, journal: Journal) -> list[Part]:
        """What a run has of the question, in each place; with the usual completion, if it has."""
        own = self._fitting(journal)
        clear = [each for each in journal.entries if is_clear(each.cell)]
        done = [each for each in (*own, *clear) if each.state == "done"]
        records = [self.store.record(journal, each) for each in done]
        asked = {each.key for each in own}
        if self.run is None:  # No answer for a board with Debian's library.
            records = [each for each in records if not libcrypto_of([each])]
        results = of_records(journal, records)
        measured = [each for each in records if each.key in asked]
        means = grouped(results.means, lambda each: each.identity.place)
        by_place = grouped(results.offloads, lambda pair: pair.identity.place)
        found = []
        for place, pairs in by_place.items():
            usual = [each for each in pairs if replace(each.identity, affinity="").is_usual]
            how = {pair.identity.completion for pair in usual or pairs[:1]}
            rows = tuple(pair for pair in pairs if pair.identity.completion in how)
            there = (each for each in measured if each.cell.place == place)
            those = tuple(each for each in there if (each.cell.completion or "") in {"", *how})
            found.append(Part(journal, those, tuple(means[place]), rows))
        return found

    def _nothing(self) -> str:
        """Why there is no answer; `RequestError` for names that the checkout does not have."""
        question = self.question
        try:
            if question.profile is not None:
                load_profile(question.profile)
            if question.topology is not None:
                load_topology(question.topology)
        except FiresteelError as error:
            raise RequestError(str(error)) from None
        where = f"The run {self.run}" if self.run is not None else f"The store {self.store.root}"
        if not self.store.root.exists():
            where += " does not exist: it"
        what = f"{question.what}{question.where}"
        why = f"has no figures for {what}"
        if self.there == BOTH:
            why = f"has no run of {what} in software and in hardware with a common figure"
        elif self.there:
            (missing,) = BOTH - self.there
            why = f"has {what} in {next(iter(self.there))} and not in {missing}"
        if self.failed:
            run, entry = self.failed[0]
            reason = entry.problem.splitlines()[0] if entry.problem else "no reason recorded"
            why += f" ({entry.cell.implementation} failed in the run {run}: {reason.rstrip('.')})"
        elif self.remarks:
            why += f" that can be read ({self.remarks[0].rstrip('.')})"
        return f"{where} {why}"


def is_clear(cell: Cell) -> bool:
    """Whether it has no tunnel: the link's bound."""
    return cell.protocol == NO_TUNNEL and not cell.as_in_2015
