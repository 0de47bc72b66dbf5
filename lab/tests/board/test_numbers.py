# SPDX-License-Identifier: Apache-2.0
"""Numbers of boards and links by their paths, and what they are called."""

import re

import pytest

from firesteel.base.errors import FiresteelError
from firesteel.board.numbers import (
    Path,
    base_of,
    board_in_words,
    made_name,
    name_in_words,
    numbers_at,
)
from firesteel.board.parameters import numbers_of, with_number
from firesteel.board.profile import load_profile
from firesteel.board.quantity import in_unit, split
from firesteel.board.topology import load_profiles, load_topology


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("cpu.hertz", "processor frequency"),
        ("cores.crypto0.timing.clock_hz", "clock of crypto0"),
        ("cores.*.timing.register_ns", "register access of all cores"),
        ("cores.crypto0.timing.aes128_cycles", "aes128 of crypto0"),
        ("cores.crypto0.pk_multipliers", "number of multipliers of crypto0"),
        ("links.wire.latency_ns", "latency of wire"),
        ("links.*.rate_bit_s", "bit rate of all links"),
        ("peer:memory.mebibytes", "memory of peer"),
        ("cpu.level_2.sets", "number of sets"),
    ],
)
def test_numbers_have_names_for_people(path: str, title: str) -> None:
    Path.of(path).check()
    assert Path.of(path).title == title


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        ("cpu.hertz", 999_999, "would be 999.999 kHz; allowed are 1 MHz and more"),
        ("cpu.instructions_per_second", 800, "would be 0.0008 MIPS; allowed are 1 MIPS and more"),
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
    board = load_profile("socrates")
    assert with_number(board, "cores.*.timing.clock_hz", 100e6) == board
    assert with_number(board, "cores.*.pk_multipliers", 16) == board
    assert with_number(board, "cpu.hertz", 800e6) == board
    assert numbers_of(
        with_number(board, "cores.*.timing.register_ns", 0), "cores.*.timing.register_ns"
    ) == (0,)
    with pytest.raises(FiresteelError, match="would be 3; allowed is 1, 2, 4, 8, 16 or 32"):
        with_number(board, "cores.*.timing.dma_bytes_per_beat", 3)
