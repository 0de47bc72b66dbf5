# SPDX-License-Identifier: Apache-2.0
"""Records in software and in hardware that answer a question, found in the store.

Two records make a pair when their cells differ in nothing but implementation and completion, and
all that they were measured with is the same but for what nodes do (in hardware the driver and the
provider are among that).  A record in software also stands for boards with other cores, which its
node does not use, whichever run measured it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime

from firesteel.base.errors import FiresteelError
from firesteel.board.numbers import base_of, is_made, name_in_words
from firesteel.board.profile import Profile, load_profile
from firesteel.board.topology import load_topology
from firesteel.model.cell import NO_TUNNEL, OWN_LINK, USUAL_COMPLETION, Cell
from firesteel.model.identity import by_key, with_partners
from firesteel.store.journal import Entry, Journal
from firesteel.store.libcrypto import libcrypto_of
from firesteel.store.record import Record
from firesteel.store.setup import Setup
from firesteel.store.store import Store
from firesteel.workloads import titles

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
            and self.link in (None, cell.link or OWN_LINK)
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


@dataclass(frozen=True)
class Wanted:
    """Where an answer is asked for that nobody need have measured: the cell in hardware, and what
    the names in it stand for.
    """

    cell: Cell
    setup: Setup

    @property
    def place(self) -> "Place":
        """Its name, and what it is like."""
        words = self.setup.in_short(self.cell.measured)
        return Place(self.cell.topology, profile_of(self.cell), self.cell.link, words=words)

    def apart(self, setup: Setup) -> tuple[str, ...] | None:
        """The paths of the numbers that differ on others; None where something else differs."""
        if setup.shape != self.setup.shape:
            return None
        one, other = (each.parts(self.cell.measured) for each in (self.setup, setup))
        if one.keys() != other.keys():
            return None
        paths = tuple(path for path in one if one[path] != other[path])
        words = any(isinstance(each[path], bool | str) for each in (one, other) for path in paths)
        return None if words else paths

    def is_at(self, pair: "RecordPair") -> bool:
        """Whether a pair was measured on equal boards and links, whatever these are called."""
        setup = pair.hardware.record.measurement.setup
        same_node = pair.cell.measured == self.cell.measured
        return same_node and setup is not None and self.apart(setup) == ()


class NotMeasuredError(FiresteelError):
    """There is no answer, as nothing was measured: `wanted` is where, if a board is described, and
    `near` a record of another place.
    """

    def __init__(
        self,
        why: str,
        question: Question,
        wanted: Wanted | None = None,
        near: "Measured | None" = None,
    ) -> None:
        super().__init__(why)
        self.question, self.wanted, self.near = question, wanted, near


@dataclass(frozen=True)
class Measured:
    """A record, and the newest run that has it, of that experiment."""

    run: str
    quick: bool
    record: Record
    experiment: str = ""

    @property
    def key(self) -> str:
        """The record's address."""
        return self.record.key

    def standing_for(self, hardware: "Measured") -> "Measured":
        """The record as the partner of one in hardware, whose board may have other cores."""
        inputs, other = self.record.inputs, hardware.record.inputs.cell
        there = {"profiles": other.profiles, "topology": other.topology}
        inputs = inputs.model_copy(update={"cell": inputs.cell.model_copy(update=there)})
        return replace(self, record=self.record.model_copy(update={"inputs": inputs}))

    @property
    def setting(self) -> tuple[str, str]:
        """All that must be the same beside another implementation."""
        inputs = self.record.inputs
        cell = inputs.cell.of_any_implementation.model_dump_json()
        return cell, inputs.versions.model_dump_json(exclude={"jobs"})


@dataclass(frozen=True)
class Place:
    """A measured board and the links that it is on: their names, and what they were when they were
    measured, as far as the record tells.
    """

    topology: str
    profile: str
    link: str = ""
    content: str = ""
    words: str = field(default="", compare=False)

    @property
    def is_made(self) -> bool:
        """Whether it was made for a sweep, and no file has it."""
        return is_made(self.profile) or is_made(self.topology)

    @property
    def board(self) -> str:
        """As `socrates`, or `socrates` with processor frequency 1.2 GHz."""
        return _quoted(self.profile)

    @property
    def name(self) -> str:
        """As `socrates` in `host-host`, at 1 Gbit/s where its links have no rates of their own."""
        at = f", at {self.link}" if self.link else ""
        return f"{self.board} in {_quoted(self.topology)}{at}"


def _quoted(name: str) -> str:
    """A board or topology by its file, with the numbers that it has otherwise."""
    base, said = base_of(name), name_in_words(name)
    return f"`{name}`" if said == name else f"`{base}` with {said}"


@dataclass(frozen=True)
class RecordPair:
    """The same in software and in hardware."""

    software: Measured
    hardware: Measured
    clear: Measured | None = None
    """The same board without a tunnel, in the run of the hardware."""

    @property
    def cell(self) -> Cell:
        """The one in hardware."""
        return self.hardware.record.inputs.cell

    @property
    def profile(self) -> str:
        """That of the measured node."""
        return profile_of(self.cell)

    @property
    def board(self) -> Profile | None:
        """What the measured node was: as the record has it, or as the checkout has it where the
        record is too old to tell.
        """
        setup = self.hardware.record.measurement.setup
        if setup:
            return setup.profiles[self.cell.measured]
        try:
            return load_profile(self.profile)
        except FiresteelError:
            return None  # A store of elsewhere.

    @property
    def place(self) -> Place:
        """Where it was measured."""
        setup, cell = self.hardware.record.measurement.setup, self.cell
        if setup is None:
            return Place(cell.topology, self.profile, cell.link)
        board = setup.profiles[cell.measured].model_dump_json()
        links = "".join(link.model_dump_json() for link in setup.topology.links)
        words = setup.in_short(cell.measured)
        return Place(cell.topology, self.profile, cell.link, board + links, words)

    @property
    def but_for_seed(self) -> tuple[str, ...]:
        """What all pairs have in common whose figures may be averaged."""
        return self.cell.of_any_seed.model_dump_json(), self.hardware.setting[1]


@dataclass
class Search:
    """What the store has for a question, that of the newest run first."""

    software: list[Measured] = field(default_factory=list)
    hardware: list[Measured] = field(default_factory=list)
    clear: list[Measured] = field(default_factory=list)
    """Without a tunnel, of the runs that have any of the others."""

    failed: list[tuple[str, Entry]] = field(default_factory=list)
    """Failed cells with the names of their runs."""

    remarks: list[str] = field(default_factory=list)
    """What could not be read, and was left out."""

    def pairs(self) -> Iterator[RecordPair]:
        """Those of boards that files have first, on the clock of the checkout's board, then those
        whose links have the topology's own rates, with the usual completion.
        """
        software: dict[tuple[str, ...], Measured] = dict(by_key(self.software, _setting))
        among = {**by_key(self.software, _but_for_cores), **software}

        def partner(measured: Measured) -> tuple[str, ...]:
            setting = _setting(measured)
            return setting if setting in software else _but_for_cores(measured)

        hardware = sorted(self.hardware, key=_is_unusual)
        for one, other in with_partners(hardware, partner, among):
            clear = next((each for each in self.clear if _goes_with(each, other)), None)
            yield RecordPair(one.standing_for(other), other, clear)


def find_pairs(
    store: Store, question: Question, run: str | None = None
) -> tuple[Search, list[RecordPair]]:
    """All pairs for a question, of that run or of all.

    Raises `NotMeasuredError` when there is none.
    What is damaged in a run that was not asked for is a remark.
    """
    search = Search()
    seen: set[tuple[str, str]] = set()
    for journal in _journals(store, run, search):
        strict, before = run is not None, len(search.hardware)
        for entry in journal.entries:
            # A record may stand for several cells.
            name = (entry.key, entry.cell.model_dump_json())
            if name in seen or not question.fits(entry.cell):
                continue
            if entry.state == "failed":
                search.failed.append((journal.name, entry))
            elif entry.state == "done":
                seen.add(name)
                _take(store, journal, entry, search, strict=strict)
        if len(search.hardware) > before:
            _take_clear(store, journal, search, strict=strict)
    pairs = list(search.pairs())
    if not pairs:
        question.check_place()  # Names that nothing was measured with may be misspelt.
        where = f"The run {journal.name}" if run is not None else f"The store {store.root}"
        if not store.root.exists():
            where += " does not exist: it"
        raise NotMeasuredError(_nothing(where, question, search), question)
    return search, pairs


def _journals(store: Store, run: str | None, search: Search) -> list[Journal]:
    if run is not None:
        return [store.journal(run)]
    journals = []
    for name in store.run_names():
        try:
            journals.append(store.journal(name))
        except FiresteelError as error:
            search.remarks.append(str(error))
    return sorted(journals, key=_when, reverse=True)


def _when(journal: Journal) -> tuple[float, str]:
    try:
        return datetime.fromisoformat(journal.started).timestamp(), journal.name
    except ValueError:
        return 0, journal.name


def _take(store: Store, journal: Journal, entry: Entry, search: Search, *, strict: bool) -> None:
    try:
        record = store.record(journal, entry)
    except FiresteelError as error:
        if strict:
            raise
        search.remarks.append(str(error))
        return
    if not strict and libcrypto_of([record]):
        return  # No answer for a board with Debian's library.
    if entry.cell.protocol == NO_TUNNEL:
        found = search.clear
    else:
        found = search.hardware if entry.cell.implementation == "hardware" else search.software
    found.append(Measured(journal.name, journal.quick, record, journal.experiment))


def _take_clear(store: Store, journal: Journal, search: Search, *, strict: bool) -> None:
    """What the run has without a tunnel: the link's bound."""
    for entry in journal.entries:
        if entry.state == "done" and entry.cell.protocol == NO_TUNNEL and not entry.cell.as_in_2015:
            _take(store, journal, entry, search, strict=strict)


def _goes_with(clear: Measured, hardware: Measured) -> bool:
    one, other = clear.record.inputs.cell, hardware.record.inputs.cell
    alike = [(each.seed, each.topology, profile_of(each), each.link) for each in (one, other)]
    return alike[0] == alike[1] and clear.run == hardware.run


def _setting(measured: Measured) -> tuple[str, str]:
    return measured.setting


def _but_for_cores(measured: Measured) -> tuple[str, ...]:
    """What a record in software has in common with one in hardware on a board with other cores: the
    boards and links as they were, but for the numbers of the measured board's cores, whatever that
    board is called.
    """
    inputs, setup = measured.record.inputs, measured.record.measurement.setup
    cell = inputs.cell.of_any_implementation
    versions = inputs.versions.model_dump_json(exclude={"jobs", "boards", "commands"})
    if setup is None:
        return cell.model_dump_json(), versions
    there = {name: _board(each, name == cell.measured) for name, each in setup.profiles.items()}
    boards = "".join(there[name] for name in sorted(there))
    links = "".join(link.model_dump_json() for link in setup.topology.links)
    nowhere = cell.model_copy(update={"profiles": {}, "topology": ""})
    return nowhere.model_dump_json(), versions, setup.shape, boards, links


def _board(profile: Profile, is_measured: bool) -> str:
    numbers = {"cores": {"__all__": {"timing", "pk_multipliers"}}}
    return profile.model_dump_json(exclude=numbers if is_measured else None)


def _is_unusual(measured: Measured) -> tuple[bool, bool, bool, bool]:
    cell = measured.record.inputs.cell
    return (
        is_made(cell.topology) or is_made(profile_of(cell)),
        has_other_clock(measured),
        bool(cell.link),
        cell.completion not in (None, USUAL_COMPLETION),
    )


def has_other_clock(measured: Measured) -> bool:
    """Whether `--clock` chose another clock than the checkout has for the board."""
    setup, cell = measured.record.measurement.setup, measured.record.inputs.cell
    if setup is None:
        return False
    try:
        usual = load_profile(profile_of(cell)).cpu.clock
    except FiresteelError:
        return False  # A store of elsewhere.
    return setup.profiles[cell.measured].cpu.clock != usual


def _nothing(where: str, question: Question, search: Search) -> str:
    what = f"{question.what}{question.where}"
    if search.software and search.hardware:
        why = f"has {what} in software and in hardware, but from different builds"
    elif search.software or search.hardware:
        there, missing = ("software", "hardware") if search.software else ("hardware", "software")
        why = f"has {what} in {there} and not in {missing}"
    else:
        why = f"has no figures for {what}"
    if search.failed:
        run, entry = search.failed[0]
        reason = entry.problem.splitlines()[0] if entry.problem else "no reason recorded"
        why += f" ({entry.cell.implementation} failed in the run {run}: {reason.rstrip('.')})"
    elif search.remarks:
        why += f" that can be read ({search.remarks[0].rstrip('.')})"
    return f"{where} {why}"


def told(measured: Measured) -> str:
    """Where a record stands."""
    cell = measured.record.inputs.cell
    sizes = ", quick sizes" if measured.quick else ""
    return f"{titles.of_cell(cell)}: run {measured.run}{sizes}, record {measured.key}"
