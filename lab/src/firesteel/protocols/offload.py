# SPDX-License-Identifier: Apache-2.0
"""The cores' share of a cell's work, by their own counters.

A hardware cell fails if its cores did not do their expected work, unless the stack's account shows
that it chose software.  Any other cell fails if the cores did anything.  Each engine that a cell
needs is checked separately: AES on the cores does not make up for a MAC that software computed.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from firesteel.boards.profile import STORAGE, Profile
from firesteel.boards.result import NodeResult
from firesteel.model.cell import Cell
from firesteel.protocols.provider_statistics import Statistics, StatisticsError
from firesteel.protocols.window import CellFailure, mark_of

_PATH = re.compile(r"^(\S+) (software-small|software-full) (\d+) (\d+)$", re.MULTILINE)
"""Algorithm, path, requests, bytes: as driver/debugfs.c writes them."""

_ASIDE = re.compile(r"^(\S+)-firesteel aside ", re.MULTILINE)
"""An algorithm that never pays, for which the kernel takes its own software."""


@dataclass(frozen=True)
class Account:
    """What was counted on one node from before the first measurement to after the last.

    `left` are bytes that the kernel's driver left to software because the core would have cost more
    time, or because its queue was full.  `aside` are algorithms, such as `gcm-aes`, that the driver
    never got, because the kernel uses its software if a core never pays.

    The other members count requests of programs by the provider's kind of work (`cbc`, `rsa`;
    provider/base/work.h).  `small` has requests that software does faster, or faster than the core
    with its queue.  `other` has requests left to software for any other reason: the core does not
    support them, may not do them, or failed.  `never` has the kinds that the provider did not offer
    to a program, because the core is slower for any size.
    """

    left: int
    aside: frozenset[str]
    small: Counter[str]
    other: Counter[str]
    never: frozenset[str]

    def is_chosen(self, works: Sequence[str]) -> bool:
        """Whether programs had software for work of these kinds, and for no other reason than that
        it is faster.
        """
        asked = any(self.small[work] > 0 or work in self.never for work in works)
        return asked and not any(self.other[work] for work in works)

    def is_aside(self, cell: Cell) -> bool:
        """Whether the driver has stepped aside for the algorithm that the cell asks the kernel
        for.
        """
        mode = cell.cipher.removesuffix("-esp").rpartition("-")[2]
        if cell.cipher == "none":
            names = {cell.mac}
        elif cell.mac in ("none", mode):
            names = {f"{mode}-aes", f"rfc4106-{mode}-aes", f"authenc-null-{mode}-aes"}
        else:
            names = {f"authenc-hmac-{cell.mac.removeprefix('hmac-')}-{mode}-aes"}
        return not names.isdisjoint(self.aside)


def account_of(node: NodeResult) -> Account:
    """The account of a node; an empty one where it gave none, as nodes without cores and records
    of before 2026-11-26.

    Raises `CellFailure` where a part of it is missing or damaged.
    """
    driver = [text.decode(errors="replace") for text in _item(node, "driver")]
    before, after = (sum(int(size) for *_, size in _PATH.findall(text)) for text in driver)
    small: Counter[str] = Counter()
    other: Counter[str] = Counter()
    never: set[str] = set()
    try:
        earlier, later = (Statistics.all_of(data, node.name) for data in _item(node, "programs"))
    except StatisticsError as error:
        raise CellFailure(f"Node {node.name}: the provider's statistics: {error}") from None
    for programs, sign in ((earlier, -1), (later, 1)):
        for work in (work for program in programs for work in program.works):
            small[work.name] += sign * work.chosen
            other[work.name] += sign * (work.software - work.chosen)
    for program in later:
        if program.device:
            never.update(work.name for work in program.works if work.break_even is None)
    aside = frozenset(_ASIDE.findall(driver[1]))
    return Account(after - before, aside, small, other, frozenset(never))


def _item(node: NodeResult, name: str) -> tuple[bytes, bytes]:
    """Before and after; both empty where there is neither."""
    before, after = (node.data.get(f"{name}.{when}") for when in ("before", "after"))
    if (before is None) != (after is None):
        raise CellFailure(f"Node {node.name} sent one of two accounts of its {name}.")
    return before or b"", after or b""


_AES, _HASH = "aes_bytes", "hash_bytes"
"""Counters of a window of cores: bytes of messages that its engines worked on."""

ENGINES = {_AES: "aes", _HASH: "hash"}
"""What a profile's file calls the engine of a counter."""

_HASHES = ("sha256", "hmac-sha256")
"""The MACs that a hash engine computes."""

LARGE = 1024
"""The smallest request, in bytes, in which the cores must take part: on every board the driver's
estimate then favours the core.
"""

POLLED_PERCENT = 99
"""The least share of all cores' starts that end without an interrupt by `poll`: a request waits for
one if it meets a core that another request polls.
"""

LARGE_PERCENT = 95
"""The share of the bytes of large requests."""

UNTOUCHED = 1.0
"""Percent of the payload that the cores did, up to which it was left to software."""


def is_untouched(percent: float | None) -> bool:
    """Whether the cores did so little of the payload; not if that was not measured."""
    return percent is not None and percent <= UNTOUCHED


_HASH_WORKS = ("digest", "hmac")
_PUBLIC_KEY_WORKS = ("rsa", "dh", "ecdsa", "ecdh", "x25519", "ed25519")
"""Kinds of work as provider/base/work.h has them."""


def engines(cell: Cell, profile: Profile | None = None) -> tuple[str, ...]:
    """The counters of the engines that the cell's suite needs; with a profile, of those that
    such a board has.

    Without a hash core the driver leaves the MAC of a cipher to the CPU.
    """
    wanted = {_AES: cell.cipher != "none", _HASH: cell.mac in _HASHES}
    return tuple(
        counter
        for counter, needed in wanted.items()
        if needed
        and (profile is None or any(getattr(each, ENGINES[counter]) for each in profile.cores))
    )


def cores_growth(node: NodeResult, begin: str, end: str) -> dict[str, int]:
    """What each counter of the node's cores grew by between two marks, as `cores.NAME.COUNTER`."""
    before, after = mark_of(node, begin).cores, mark_of(node, end).cores
    return {
        f"cores.{name}.{counter}": value - before[name][counter]
        for name, counters in after.items()
        if name != STORAGE
        for counter, value in counters.items()
    }


def cores_proof(cell: Cell, node: NodeResult, *, kernel: bool = False) -> dict[str, int]:
    """What each counter of the measured node's cores grew by from before the first measurement to
    after the last.  `kernel`: see `is_choice`.

    Raises `CellFailure` if an engine of a hardware cell did nothing although software was not
    chosen, or if the driver did not wait as configured.  Also if the cores worked for another
    implementation.
    """
    growth = cores_growth(node, "proof.before", "proof.after")
    check_idle(cell, growth)
    if cell.on_cores and offloaded(cell, node, growth) == 0:
        wanted = engines(cell, node.profile)
        if is_choice(cell, node, 0, 1, wanted, kernel=kernel):
            return growth
        idle = [counter for counter in wanted if engine_growth(growth, counter) == 0]
        raise CellFailure(
            f"Cell {cell.label}: the cores did none of its work ({', '.join(idle) or 'no engine'})."
        )
    _check_completion(cell, growth)
    return growth


def _check_completion(cell: Cell, growth: dict[str, int]) -> None:
    """Raises `CellFailure` if the driver did not wait as configured."""
    interrupts, starts = (engine_growth(growth, each) for each in ("cm_interrupts", "cm_starts"))
    by_poll = 100 * interrupts <= (100 - POLLED_PERCENT) * starts
    if (cell.completion == "poll" and not by_poll) or (cell.completion == "irq" and not interrupts):
        raise CellFailure(
            f"Cell {cell.label}: the cores raised {interrupts} interrupts for {starts} starts, "
            f"which contradicts completion by {cell.completion}. By poll, {POLLED_PERCENT} % of "
            "starts must end without an interrupt; by irq, there must be some."
        )


def check_idle(cell: Cell, growth: dict[str, int]) -> None:
    """Raises `CellFailure` if the cores worked for an implementation without cores."""
    if not cell.on_cores and any(growth.values()):
        raise CellFailure(
            f"Cell {cell.label}: the cores did part of its work, though it does not use them."
        )


def offloaded(cell: Cell, node: NodeResult, growth: dict[str, int]) -> int:
    """Bytes that all engines that the cell needs have worked on."""
    wanted = engines(cell, node.profile)
    return min((engine_growth(growth, counter) for counter in wanted), default=0)


def offloaded_percent(cell: Cell, node: NodeResult, run: str, size: int) -> float:
    """How much of `size` bytes the cores worked on between the marks `RUN.begin` and `RUN.end`."""
    growth = cores_growth(node, f"{run}.begin", f"{run}.end")
    return min(100.0, 100 * offloaded(cell, node, growth) / size)


def check_share(cell: Cell, node: NodeResult, run: str, size: int, *, kernel: bool = False) -> None:
    """Raises `CellFailure` when the cores did not do their part of a run of `size` bytes, all in
    large requests, and the stack did not choose software for it.  `kernel`: see `is_choice`.
    """
    done = offloaded(cell, node, cores_growth(node, f"{run}.begin", f"{run}.end"))
    if 100 * done >= LARGE_PERCENT * size:
        return
    least = size * LARGE_PERCENT // 100
    if not is_choice(cell, node, done, least, engines(cell, node.profile), kernel=kernel):
        raise CellFailure(
            f"Run {run}: the cores worked on {100 * done / size:.0f} % of {size} bytes; at least "
            f"{LARGE_PERCENT} % are expected."
        )


def is_choice(
    cell: Cell,
    node: NodeResult,
    done: int,
    wanted: int,
    counters: Sequence[str],
    *,
    kernel: bool = False,
) -> bool:
    """Whether the stack chose software for what the cores have not done of the work `wanted`.

    The driver must have left that many bytes to software by choice or, where the `kernel` does the
    cell's cryptography, have stepped aside and given the cores next to nothing.  The provider
    counts requests, not bytes, so software may have done any share of the bytes.  Therefore it must
    have chosen software for all requests that the cores did not get, and the cores must have got
    next to nothing.  `counters` are the counters of the engines that the work needs; without any
    there is nothing to choose.
    """
    if not counters:
        return False
    account = account_of(node)
    if account.left and done + account.left >= wanted:
        return True
    untouched = 100 * done <= UNTOUCHED * wanted
    if kernel and account.is_aside(cell):
        return untouched
    # What the provider calls work of an engine that programs need for the cell's payload
    works = {_AES: (cell.cipher.rpartition("-")[2],), _HASH: _HASH_WORKS}
    chosen = all(account.is_chosen(works[counter]) for counter in counters)
    return chosen and untouched


def is_choice_of_keys(node: NodeResult, done: int, wanted: int, each: int) -> bool:
    """Whether the provider chose software for the operations of public keys that the core has not
    done of those `wanted`, of which a request takes `each`.

    Requests are counted, so any share may be software's: with many clients at once, it does what
    would wait longer for the core.
    """
    account = account_of(node)
    if not account.is_chosen(_PUBLIC_KEY_WORKS):
        return False
    left = each * sum(account.small[work] for work in _PUBLIC_KEY_WORKS)
    is_offered = account.never.isdisjoint(_PUBLIC_KEY_WORKS)
    return done + left >= wanted or not is_offered


def engine_growth(growth: dict[str, int], counter: str) -> int:
    """What a counter grew by, of all windows together."""
    return sum(count for name, count in growth.items() if name.endswith(f".{counter}"))
