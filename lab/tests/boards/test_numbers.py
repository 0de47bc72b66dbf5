# SPDX-License-Identifier: Apache-2.0
"""Numbers of boards and links by their paths, and what they are called."""

import re

import pytest

from firesteel.base.errors import FiresteelError
from firesteel.base.quantity import in_unit, split
from firesteel.boards.cores import CLOCK_HZ, REGISTER_NS
from firesteel.boards.numbers import (
    Path,
    base_of,
    board_in_words,
    changed,
    cost_at,
    made_name,
    name_in_words,
    numbers_at,
    numbers_of,
    parts_of_board,
    unit_at,
    with_number,
)
from firesteel.boards.profile import Profile, load_profile, scaled
from firesteel.boards.topology import load_profiles, load_topology

SOCRATES = load_profile("socrates")


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("cpu.hertz", "processor frequency"),
        ("cores.crypto0.timing.clock_hz", "clock of crypto0"),
        ("cores.*.timing.register_ns", "register access of all cores"),
        ("links.wire.latency_ns", "latency of wire"),
        ("peer:memory.mebibytes", "memory of peer"),
        ("cores.*.count", "number of crypto cores"),
        ("peer:cpu.count", "number of CPUs of peer"),
    ],
)
def test_numbers_have_names_for_people(path: str, title: str) -> None:
    Path.of(path).check()
    assert Path.of(path).title == title


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        ("cpu.hertz", 999_999, "would be 999.999 kHz; allowed are 1 MHz and more"),
        ("cores.*.timing.register_ns", 2e6, "would be 2 ms; allowed are 1 ms and less"),
    ],
)
def test_a_refused_number_has_its_unit(path: str, value: float, problem: str) -> None:
    with pytest.raises(FiresteelError, match=f"^`{re.escape(path)}` {problem}[.]$"):
        with_number(load_profile("socrates"), path, value)


def test_names_of_boards_say_what_their_numbers_are() -> None:
    name = made_name("socrates", {"cpu.hertz": 1e9, "cores.*.timing.register_ns": 50})
    assert name == "socrates+cores.*.timing.register_ns=50+cpu.hertz=1000000000"
    assert name_in_words(name) == "register access of all cores 50 ns, processor frequency 1 GHz"
    assert base_of(name) == "socrates"
    several = made_name("socrates", {"cpu.count": 4, "cores.crypto0.count": 1})
    assert name_in_words(several) == "1 crypto core, 4 CPUs"
    for other in ("socrates", "socrates+register-access-50", "a+b=c"):
        assert name_in_words(other) == base_of(other) == board_in_words(other) == other
    assert board_in_words("socrates+cpu.hertz=1e9") == "socrates with processor frequency 1 GHz"


@pytest.mark.parametrize(
    ("path", "value", "typed"),
    [
        ("cpu.hertz", 1.2e9, "1.2GHz"),
        ("cpu.hertz", 653_123_457, "653.123457MHz"),
        ("cores.*.timing.register_ns", 640, "640ns"),
        ("cores.crypto0.pk_multipliers", 64, "64"),
    ],
)
def test_a_number_is_typed_to_the_last_digit(path: str, value: float, typed: str) -> None:
    of = Path.of(path)
    assert of.typed(value) == typed
    number, unit = split(typed)
    assert in_unit(number, unit, of.unit) == value


def test_a_number_is_found_on_boards_and_links() -> None:
    topology = load_topology("host-host")
    profiles = load_profiles(topology)

    def found(path: str) -> tuple[float | None, ...]:
        return numbers_at(path, topology, profiles, "board")

    assert found("cpu.hertz") == (800e6,)
    assert found("links.*.queue_frames") == (2,)
    assert found("cores.*.timing.clock_hz") == (100e6,), "the model's default"
    assert found("cores.crypto0.pk_multipliers") == (16,)
    assert found("cores.crypto0.timing.aes128_cycles") == (None,), "the model alone knows it"
    assert found("cores.crypto7.timing.clock_hz") == ()
    assert found("nobody:cpu.hertz") == ()


def test_a_number_that_is_used_anyway_makes_no_other_board() -> None:
    board = SOCRATES
    assert with_number(board, "cores.*.timing.clock_hz", 100e6) == board
    assert with_number(board, "cores.*.pk_multipliers", 16) == board
    assert with_number(board, "cpu.hertz", 800e6) == board
    assert numbers_of(
        with_number(board, "cores.*.timing.register_ns", 0), "cores.*.timing.register_ns"
    ) == (0,)
    with pytest.raises(FiresteelError, match="would be 3; allowed is 1, 2, 4, 8, 16 or 32"):
        with_number(board, "cores.*.timing.dma_bytes_per_beat", 3)


def with_costs(profile: Profile, **factors: float) -> Profile:
    costs = profile.cpu.costs or ""
    for name, factor in factors.items():
        costs = scaled(costs, [name], factor)
    return profile.model_copy(
        update={"cpu": profile.cpu.model_copy(update={"costs": costs})},
    )


def test_defaults_are_values_and_names_are_in_paths() -> None:
    said = parts_of_board(SOCRATES)
    assert said["cores.crypto0.timing.clock_hz"] == CLOCK_HZ
    assert said["cores.crypto0.timing.register_ns"] == REGISTER_NS
    assert said["memory.dma"] == "coherent"
    assert not [path for path in said if path.endswith((".name", ".counted", "cpu.costs"))]


def test_what_the_clock_does_not_count_is_left_out() -> None:
    cycles, flat = (set(parts_of_board(SOCRATES.on_clock(clock))) for clock in ("cycles", "flat"))
    assert cycles - flat == {"cpu.hertz", "cpu.processor"}
    assert flat - cycles == {"cpu.instructions_per_second"}


def test_costs_are_told_where_they_are_not_those_of_the_file() -> None:
    faster = changed(SOCRATES, "cpu.hertz", lambda hertz: hertz * 2)
    assert set(parts_of_board(faster)) == set(parts_of_board(SOCRATES))
    path = "cpu.costs.load"
    usual = cost_at(SOCRATES, path)
    assert usual
    said = parts_of_board(with_costs(SOCRATES, load=3))
    assert said[path] == usual * 3
    assert unit_at(path) == "cycles"
    assert set(said) - set(parts_of_board(SOCRATES)) == {path}
