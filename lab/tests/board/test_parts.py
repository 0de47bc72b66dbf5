# SPDX-License-Identifier: Apache-2.0
"""What a board says, by path."""

import pytest

from firesteel.board.cores import CLOCK_HZ, REGISTER_NS, Fault, Timing
from firesteel.board.parameters import changed
from firesteel.board.parts import cost_at, parts_of_board, parts_of_link, unit_at
from firesteel.board.processor import scaled
from firesteel.board.profile import Profile, load_profile
from firesteel.board.topology import load_topology

SOCRATES = load_profile("socrates")


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


def test_a_default_that_is_spelt_out_is_the_same() -> None:
    (cores,) = SOCRATES.cores
    told = Timing(clock_hz=CLOCK_HZ, register_ns=REGISTER_NS)
    spelt = SOCRATES.model_copy(update={"cores": (cores.model_copy(update={"timing": told}),)})
    assert parts_of_board(spelt) == parts_of_board(SOCRATES)


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


@pytest.mark.parametrize("path", ["cpu.costs.nonesuch", "cpu.hertz"])
def test_other_paths_have_no_cost(path: str) -> None:
    assert cost_at(SOCRATES, path) is None
    assert cost_at(SOCRATES.on_clock("flat"), "cpu.costs.load") is None


def test_all_costs_are_told_where_the_processor_is_not_known() -> None:
    cpu = SOCRATES.cpu.model_copy(update={"processor": "nonesuch"})
    said = parts_of_board(SOCRATES.model_copy(update={"cpu": cpu}))
    assert said["cpu.costs.load"] == cost_at(SOCRATES, "cpu.costs.load")


def test_faults_are_words() -> None:
    (cores,) = SOCRATES.cores
    faulty = cores.model_copy(update={"faults": (Fault(kind="late", rate=9, factor=2),)})
    said = parts_of_board(SOCRATES.model_copy(update={"cores": (faulty,)}))
    assert said["cores.crypto0.faults"] == "late:rate=9:factor=2"


def test_a_link_says_what_it_is_like() -> None:
    (link,) = load_topology("host-host").links
    assert set(parts_of_link(link)) == {"rate_bit_s", "latency_ns", "queue_frames"}
