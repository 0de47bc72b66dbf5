# SPDX-License-Identifier: Apache-2.0
"""Assumptions: what a file may say, and what each means for a board."""

from collections import Counter
from pathlib import Path
from typing import Any, get_args

import pytest

from firesteel.base.errors import FiresteelError
from firesteel.base.quantity import in_words
from firesteel.boards.assumptions import (
    Assumption,
    Level,
    level_in_words,
    load_assumptions,
    name_at,
)
from firesteel.boards.cores import Timing
from firesteel.boards.numbers import with_number
from firesteel.boards.profile import (
    EVENTS,
    INSTRUCTIONS,
    INSTRUCTIONS_64,
    SHARING,
    Clock,
    Profile,
    load_processor,
    load_profile,
    scaled,
)
from firesteel.boards.topology import Topology, load_topology

SOCRATES = load_profile("socrates")
FLAT, ON_CYCLES = (SOCRATES.on_clock(clock) for clock in get_args(Clock))

FILE = """
[[assumptions]]
name = "register-access"
title = "register access"
parameter = "cores.*.timing.register_ns"
relative = false
low = 50
high = 1000
why = "Nobody has measured it."
"""


def board_of(level: Level) -> Profile:
    assert isinstance(level.content, Profile)
    return level.content


def named(name: str) -> Assumption:
    return next(each for each in load_assumptions() if each.name == name)


def made(**more: Any) -> Assumption:
    given = {"name": "x", "title": "x", "parameter": "cpu.hertz", "low": 0.5, "high": 2, "why": "x"}
    return Assumption.model_validate(given | more)


def costs_of(profile: Profile) -> dict[str, int]:
    pairs = (each.split(":") for each in (profile.cpu.costs or "").split("/"))
    return {name: int(value) for name, value in pairs}


def with_timing(*timings: Timing) -> Profile:
    (cores,) = SOCRATES.cores
    several = (
        cores.model_copy(update={"name": f"crypto{number}", "timing": timing})
        for number, timing in enumerate(timings)
    )
    return SOCRATES.model_copy(update={"cores": tuple(several)})


def test_a_wait_that_a_board_does_not_have_may_be_added() -> None:
    wait = named("multiplier-wait")
    found = wait.on(SOCRATES)
    assert found is not None
    assert (found.nominal, found.low.value, found.high.value, found.unit) == (0, 1, 9, "cycles")
    timing = board_of(found.high).cores[0].timing
    assert timing.pk_row_cycles == 9
    assert timing.model_copy(update={"pk_row_cycles": None}) == SOCRATES.cores[0].timing
    own = wait.on(with_timing(Timing(pk_row_cycles=5)))
    assert own is not None
    assert own.nominal == 5
    assert wait.on(with_timing(Timing(zero=True))) is None
    assert wait.on(SOCRATES.model_copy(update={"cores": ()})) is None


def test_every_class_of_costs_is_in_one_assumption() -> None:
    found = Counter(name for each in load_assumptions() for name in each.classes or ())
    assert found == Counter(INSTRUCTIONS + EVENTS + SHARING + INSTRUCTIONS_64)


def test_costs_of_64_bit_code_are_assumed_of_boards_that_have_it() -> None:
    assumption = named("instructions-64-cycles")
    assert assumption.on(ON_CYCLES) is None
    wide = load_processor("cortex-a53").table(1_400_000_000)
    cpu = ON_CYCLES.cpu.model_copy(update={"costs": wide})
    found = assumption.on(ON_CYCLES.model_copy(update={"cpu": cpu}))
    assert found is not None
    low, high = costs_of(board_of(found.low)), costs_of(board_of(found.high))
    usual = costs_of(ON_CYCLES.model_copy(update={"cpu": cpu}))
    # A quarter of two eighths of a cycle is lost in rounding.
    assert all(low[name] < high[name] for name in INSTRUCTIONS_64 if usual[name] > 2)


def test_costs_of_sharing_are_assumed_of_several_cpus_alone() -> None:
    assert named("sharing").on(ON_CYCLES) is None
    found = named("sharing").on(load_profile("socrates-dual"))
    assert found is not None
    low, high = costs_of(board_of(found.low)), costs_of(board_of(found.high))
    assert {high[name] / low[name] for name in SHARING} == {6}


def test_values_are_the_boards_own_defaults_included() -> None:
    found = named("register-access").on(SOCRATES)
    assert found is not None
    assert (found.unit, found.nominal, found.low.value, found.high.value) == ("ns", 120, 50, 1000)
    (cores,) = board_of(found.high).cores
    assert cores.timing.register_ns == 1000
    assert board_of(found.low) == SOCRATES.model_copy(
        update={"cores": (cores.model_copy(update={"timing": Timing(register_ns=50)}),)}
    ), "all else is as it was"


def test_all_windows_of_cores_vary_but_those_that_take_no_time() -> None:
    board = with_timing(Timing(clock_hz=50_000_000), Timing(), Timing(zero=True))
    found = named("core-clock").on(board)
    assert found is not None
    assert (found.unit, found.nominal, found.low.value) == ("×", 1, 0.5)
    low = board_of(found.low).cores
    assert [cores.timing.clock_hz for cores in low] == [25_000_000, 50_000_000, None]
    assert low[2].timing.zero
    one = made(parameter="cores.crypto1.timing.clock_hz").on(board)
    assert one is not None
    assert one.nominal == 100_000_000
    assert board_of(one.low).cores[0] == board.cores[0]


@pytest.mark.parametrize(
    ("name", "board"),
    [
        ("processor-frequency", ON_CYCLES),
        ("neon-cycles", ON_CYCLES),
        ("instruction-rate", FLAT),
    ],
)
def test_it_means_nothing_where_the_clock_counts_something_else(name: str, board: Profile) -> None:
    other = FLAT if board is ON_CYCLES else ON_CYCLES
    assert named(name).on(board) is not None
    assert named(name).on(other) is None


def test_classes_of_costs_vary_and_no_others() -> None:
    found = named("branch-cycles").on(ON_CYCLES)
    assert found is not None
    before, after = costs_of(ON_CYCLES), costs_of(board_of(found.high))
    different = {name for name, value in before.items() if after[name] != value}
    assert different == set(named("branch-cycles").classes or ())
    assert after["indirect-branch"] == round(before["indirect-branch"] * 1.25)
    assert list(after) == list(before)


def test_memory_keeps_its_time_when_the_processor_gets_faster() -> None:
    found = named("processor-frequency").on(ON_CYCLES)
    assert found is not None
    fast, usual = board_of(found.high), ON_CYCLES
    assert (usual.cpu.hertz, fast.cpu.hertz) == (800_000_000, 1_600_000_000)
    assert costs_of(fast)["integer"] == costs_of(usual)["integer"]
    assert costs_of(fast)["load-memory"] > costs_of(usual)["load-memory"]


def test_scaled_costs_are_rounded_and_never_become_free() -> None:
    table = "integer:4/load:0/branch:1/data-sets:256"
    assert scaled(table, ["integer", "load"], 0.75) == "integer:3/load:0/branch:1/data-sets:256"
    assert scaled(table, ["branch"], 0.25) == table
    with pytest.raises(ValueError, match="no class `neon`; there are: integer"):
        scaled(table, ["neon"], 2)
    with pytest.raises(ValueError, match="`integer` would cost 5000 cycles; allowed are 2047"):
        scaled(table, ["integer"], 10_000)


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [
        (640.4, "ns", "640 ns"),
        (1000, "ns", "1 µs"),
        (70e6, "Hz", "70 MHz"),
        (1.25e9, "Hz", "1.25 GHz"),
        (554e6, "1/s", "554 MIPS"),
        (8, "cycles", "8 cycles"),
        (0.75, "×", "×0.75"),
        (1024, "MiB", "1024 MiB"),
        (3, "", "3"),
    ],
)
def test_numbers_are_told_with_their_units(value: float, unit: str, said: str) -> None:
    assert in_words(value, unit) == said


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("low = 1000", "`low` is 1000 and `high` 1000; `high` must be larger"),
        ("low = 0", "low` is 0; allowed is greater than 0"),
        ('parameter = "cores.*.timing.speed"', "`speed` of `cores.*.timing.speed` is unknown"),
        ('parameter = "cores.*.timing.fetcher"', "is not a number of a profile"),
        ('classes = ["load"]', "`classes` are for `cpu.costs` only"),
        ('parameter = "cpu.costs"', "`cpu.costs` needs `classes`"),
        ('parameter = "cpu.costs"\nclasses = ["load"]', "leave out `relative`"),
        (
            'parameter = "cpu.costs"\nrelative = true\nclasses = ["lode"]',
            "`classes` has `lode`; allowed are integer",
        ),
    ],
)
def test_a_mistake_is_told_in_one_sentence(tmp_path: Path, change: str, said: str) -> None:
    keys = [line.split(" ")[0] for line in change.splitlines()]
    kept = [line for line in FILE.splitlines() if line.split(" ")[0] not in keys]
    path = tmp_path / "assumptions.toml"
    path.write_text("\n".join([*kept, change, ""]))
    with pytest.raises(FiresteelError) as error:
        load_assumptions(path)
    assert said in str(error.value)
    assert str(path) in str(error.value)
    assert str(error.value).count("\n") == 0


def test_what_a_board_may_not_have_is_told() -> None:
    with pytest.raises(FiresteelError, match="`x` cannot vary: `cpu.hertz` would be .*; allowed"):
        made(high=1e6).on(ON_CYCLES)
    with pytest.raises(FiresteelError, match="cannot vary: `integer` would cost"):
        made(parameter="cpu.costs", classes=("integer",), high=1e6).on(ON_CYCLES)
    board = with_timing(Timing(register_ns=50), Timing())
    with pytest.raises(FiresteelError, match=r"is several numbers \(50, 120\), one is allowed"):
        named("register-access").on(board)


def test_a_range_ends_at_the_least_number_that_a_file_may_have() -> None:
    short = with_number(load_topology("host-host"), "links.*.latency_ns", 5_000)
    found = named("wire-latency").on(short)
    assert found is not None
    assert (found.low.value, found.nominal, found.high.value) == (100, 5_000, 10_000)


def test_cache_maintenance_varies_where_dma_needs_it_alone() -> None:
    maintenance = named("cache-maintenance")
    assert maintenance.on(SOCRATES) is None
    found = maintenance.on(load_profile("socrates-noncoherent"))
    assert found is not None
    usual = costs_of(load_profile("socrates-noncoherent"))["cache-maintenance"]
    assert costs_of(board_of(found.high))["cache-maintenance"] == 2 * usual


def test_links_vary_in_a_topology_and_nowhere_else() -> None:
    latency = named("wire-latency")
    assert latency.on(SOCRATES) is None
    assert latency.on(load_topology("one-board")) is None, "it has no link"
    wire = load_topology("host-host")
    found = latency.on(wire)
    assert found
    assert (found.unit, found.nominal) == ("ns", 568_000)
    assert (found.low.value, found.high.value) == (5_680, 1_136_000)
    assert isinstance(found.low.content, Topology)
    (link,) = found.low.content.links
    assert link == wire.links[0].model_copy(update={"latency_ns": 5_680})
    assert found.low.content.nodes == wire.nodes


@pytest.mark.parametrize(
    ("assumption", "value", "words"),
    [
        ("register-access", 640, "register access 640 ns"),
        ("neon-cycles", 0.5, "NEON and floats ×0.5"),
    ],
)
def test_a_varied_board_is_told_in_words(assumption: str, value: float, words: str) -> None:
    assert level_in_words(name_at("socrates", assumption, value)) == words
    assert level_in_words("socrates+unknown-5") == "socrates+unknown-5"
