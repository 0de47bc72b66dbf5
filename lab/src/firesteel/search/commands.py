# SPDX-License-Identifier: Apache-2.0
"""Questions for advice in the words of experiments, and the commands that measure the missing parts
of an answer.  A command names an experiment of the checkout, the needed part (`--only`), and the
numbers of the board that differ (`--vary`).
"""

import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from firesteel.base.errors import FiresteelError, RequestError, meant
from firesteel.base.quantity import read_rate
from firesteel.boards.catalog import RATE, at_point
from firesteel.boards.numbers import Path, is_made, numbers_in
from firesteel.judge.advice.advice import Advice
from firesteel.judge.advice.measured import BOTH, NotMeasuredError, Part, Question, Wanted, setup_of
from firesteel.judge.rows import grouped
from firesteel.model import names
from firesteel.model.cell import NO_TUNNEL, OWN_LINK, Cell
from firesteel.protocols.registry import ALIASES, PROTOCOLS, find, whole
from firesteel.run.experiment.collection import Collection, load
from firesteel.run.experiment.experiment import (
    Elsewhere,
    Experiment,
    experiment_names,
    load_experiment,
    values_of,
)
from firesteel.run.experiment.tables import Configuration
from firesteel.store.setup import catalog_of

_NO_EXPERIMENT = "no experiment of the checkout measures it"


def ask(
    protocol: str,
    suite: str,
    profile: str | None = None,
    topology: str | None = None,
    link: str | None = None,
) -> Question:
    """A question in the words of experiments, or with another name of a protocol.  A cipher without
    a MAC means its suite if the protocol has only one suite with it.

    Raises `RequestError` when the lab knows no such cell, or hardware has no part in it.
    """
    asked, protocol = protocol, ALIASES.get(protocol.lower(), protocol)
    known = find(protocol)
    if known is None:
        names = [each.name for each in PROTOCOLS if each.name != NO_TUNNEL]
        near, allowed = meant(asked.lower(), (*names, *ALIASES)), ", ".join(names)
        aliases = ", ".join(f"{alias} ({name})" for alias, name in ALIASES.items())
        raise RequestError(f"--protocol {asked}{near}: allowed are {allowed}; or {aliases}.")
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
    if link is not None and link != OWN_LINK:
        try:
            link = read_rate(link)
        except ValueError as error:
            raise RequestError(f"--link {link}: {error}; or {OWN_LINK}.") from None
    cipher, mac = suite.split(":")
    return Question(protocol, cipher, mac, profile, topology, link)


def how_to_measure(missing: NotMeasuredError, board: str | None = None) -> str:
    """The command that measures what an answer lacks, in half a sentence.  `board` is the measured
    one as it was asked for: its name or its file.
    """
    question, wanted, near = missing.question, missing.wanted, missing.near
    anywhere = replace(question, profile=None, topology=None, link=None)
    words: list[str] = []
    if wanted and near:
        words = _varied(anywhere, wanted, near.journal.experiment, near.journal.quick)
    elif found := that_measure(question) or that_measure(question, load):
        experiment, fitting = found[0]
        quick = ["--quick"] if _are_both(question.fitting(experiment.cells(quick=True))) else []
        words = [experiment.name, *quick, *only_words(experiment.cells(), fitting)]
    if not words and wanted and near and (said := _asked_with(wanted, near)):
        return said
    if not words and board and not (wanted and wanted.place.is_made):
        topology = question.topology or (wanted.cell.topology if wanted else None)
        words = _on_board(replace(anywhere, topology=topology), board, question.link)
    if words:
        return f"`firesteel run {' '.join(words)}` measures it"
    return f"{_NO_EXPERIMENT}; docs/experiments.md shows how to write one"


def _on_board(asked: Question, board: str, link: str | None) -> list[str]:
    """What an experiment is run with on another board, or with another rate of links, than its file
    says; nothing where none can be.
    """
    rate = None if link == OWN_LINK else link
    keys = [key for key in _KEYS if key not in ("board", "link")]
    for experiment, fitting in that_measure(asked):
        try:
            there = load(experiment.name, elsewhere=Elsewhere.of(board, rate, None)).cells()
        except FiresteelError:
            continue
        if link is None or any((cell.link or OWN_LINK) == link for cell in there):
            words = [experiment.name, "--quick", "--board", shlex.quote(board)]
            words += ["--link", shlex.quote(rate)] if rate else []
            return words + only_words(experiment.cells(), fitting, keys)
    return []


def _asked_with(wanted: Wanted, near: Part) -> str:
    """What asks for the figures that are there of the same board with other numbers, in half a
    sentence; nothing where they differ in something else.
    """
    swept: dict[str, float] = {}
    for name in (near.cell.place.board, near.cell.topology):
        swept |= {path: float(value) for path, value in (numbers_in(name) or {}).items()}
    catalog = catalog_of([(wanted.cell, wanted.setup)])
    try:
        made = at_point(wanted.cell, swept, catalog)
    except FiresteelError:
        return ""
    if not swept or not Wanted(made, setup_of(made, catalog)).is_at(near):
        return ""
    numbers = {Path.of(path): value for path, value in swept.items()}
    words = names.all_of([path.in_words(value) for path, value in numbers.items()])
    options = [f"{path.text}={path.typed(value)}" for path, value in numbers.items()]
    told = " ".join(f"--with {shlex.quote(each)}" for each in options)
    return f"it was measured with {words}; `{told}` asks for that"


def how_to_study(found: Advice) -> str:
    """The command that measures how far assumptions may be off, in half a sentence.  It names the
    experiment of the records, if the checkout contains it, and the clock of its boards.  There is
    no command for the boards of a sample.
    """
    part, place = found.parts[0], found.place
    asked = replace(
        found.question, profile=place.profile, topology=place.topology, link=place.link or OWN_LINK
    )
    words = ["--clock", part.board.cpu.clock] if part.has_other_clock else []
    name, quick = part.journal.experiment, part.journal.quick
    options = dict(part.journal.options)
    has_own = bool(options) and "--sample" not in options
    try:
        cells = load(name).cells(quick)
    except FiresteelError:
        cells, has_own = (), False  # The checkout has none of that name.
    fitting = asked.fitting(cells)
    if not _are_both(fitting) and (there := that_measure(asked)):
        experiment, fitting = there[0]
        name, cells = experiment.name, experiment.cells(quick)
    if has_own and not _are_both(fitting):
        return f"`{' '.join(part.journal.command('sensitivity'))}` measures it"
    if not _are_both(fitting):
        return f"{_NO_EXPERIMENT}; docs/sensitivity.md shows what would"
    words = [name, *(["--quick"] if quick else []), *only_words(cells, fitting), *words]
    return f"`firesteel sensitivity {' '.join(words)}` measures it"


def that_measure(
    question: Question, read: Callable[[str], Experiment | Collection] = load_experiment
) -> list[tuple[Experiment | Collection, list[Cell]]]:
    """The experiments that measure it in software and in hardware, and these cells of each; the one
    with the fewest cells first.  Collections and experiments in which numbers vary, which are
    longer, are included only if `read` is `load`.

    One that measures packets goes before one of handshakes, one with the topology's own rates of
    links before one with another.
    """
    found = []
    for name in experiment_names():
        try:
            experiment = read(name)
        except FiresteelError:
            continue  # Not to be read.
        if experiment.varied and read is load_experiment:
            continue
        cells = experiment.cells()
        # Not on a board or links that no file has.
        fitting = [
            cell
            for cell in question.fitting(cells)
            if not (is_made(cell.place.board) or is_made(cell.topology))
        ]
        if _are_both(fitting):
            of_data = all(cell.of_data for cell in fitting)
            own_link = not fitting[0].link
            found.append((not of_data, not own_link, len(cells), name, experiment, fitting))
    return [each[4:] for each in sorted(found, key=lambda each: each[:4])]


def _varied(asked: Question, wanted: Wanted, name: str, quick: bool) -> list[str]:
    """What an experiment is run with to measure what is asked on a board that differs in numbers
    from one of its own, in as few as there are; nothing where it cannot be.
    """
    try:
        told = load(name)
        cells = told.cells(quick)
        found: list[tuple[tuple[str, ...], list[Cell]]] = []
        for place, those in grouped(asked.fitting(cells), lambda cell: cell.place).items():
            if place.node == wanted.cell.measured and _are_both(those):
                paths = wanted.apart(setup_of(those[0], told.catalog))
                found += [] if paths is None else [(paths, those)]
        if told.varied or not found:
            return []
        paths, those = min(found, key=lambda each: len(each[0]))
        there = wanted.setup.parts(wanted.cell.measured)
        numbers = {path: float(there[path]) for path in paths}
        at_point(those[0], numbers, told.catalog)
    except FiresteelError:
        return []  # No experiment of the checkout, or of numbers that do not vary.
    # Where rates vary, cells do not say theirs besides.
    keys = [key for key in _KEYS if key != "link" or not any(path.endswith(RATE) for path in paths)]
    words = [name, *(["--quick"] if quick else []), *only_words(cells, those, keys)]
    vary = (f"{path}={Path.of(path).typed(value)}" for path, value in numbers.items())
    return words + [word for text in vary for word in ("--vary", shlex.quote(text))]


def _are_both(cells: Iterable[Cell]) -> bool:
    return {cell.implementation for cell in cells} == BOTH


_KEYS = ("protocol", "cipher", "mac", "board", "topology", "link")


def only_words(
    cells: Sequence[Cell], fitting: Sequence[Cell], keys: Sequence[str] = _KEYS
) -> list[str]:
    """What keeps the fitting cells and as few others as `--only` can, as words of a command."""
    words = []
    for key in keys:
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
