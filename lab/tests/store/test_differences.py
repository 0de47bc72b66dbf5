# SPDX-License-Identifier: Apache-2.0
"""What tells the boards and links of two records apart."""

from firesteel.boards.numbers import changed
from firesteel.boards.profile import Profile, load_profile
from firesteel.boards.topology import load_profiles, load_topology
from firesteel.store.setup import Setup, board_in_words, differences

SOCRATES = load_profile("socrates")


def setup(board: Profile = SOCRATES, peer: Profile | None = None, **link: int) -> Setup:
    topology = load_topology("host-host").override(links={"wire": link})
    profiles = load_profiles(topology) | {"board": board} | ({"peer": peer} if peer else {})
    return Setup(topology=topology, profiles=profiles)


def told(before: Setup, after: Setup) -> list[tuple[str, str, str]]:
    return [
        (each.path, each.text(each.before), each.text(each.after))
        for each in differences(before, after, "board")
    ]


def test_numbers_have_units_and_both_values() -> None:
    faster = changed(SOCRATES, "cores.*.timing.clock_hz", lambda hertz: hertz * 2)
    assert told(setup(), setup(faster, rate_bit_s=10**9, latency_ns=2_000_000)) == [
        ("cores.crypto0.timing.clock_hz", "100 MHz", "200 MHz"),
        ("links.wire.rate_bit_s", "100 Mbit/s", "1 Gbit/s"),
        ("links.wire.latency_ns", "568 µs", "2 ms"),
    ]


def test_other_nodes_are_named() -> None:
    slow = changed(load_profile("peer"), "cpu.instructions_per_second", lambda rate: rate / 2)
    (found,) = differences(setup(), setup(peer=slow), "board")
    assert found.path == "peer:cpu.instructions_per_second"
    assert found.factor == 0.5


def test_a_window_of_cores_that_one_side_lacks_is_one_difference() -> None:
    found = told(setup(), setup(load_profile("socrates-hash")))
    assert [each[:2] for each in found] == [
        ("cores.crypto0.hash", "no"),
        ("cores.crypto1", "–"),
    ]
    assert found[1][2].startswith("AES, hash; PCI, 100 MHz")


def test_boards_that_differ_in_their_cpus_are_told_apart() -> None:
    dual = load_profile("socrates-dual")
    assert told(setup(), setup(dual)) == [("cpu.count", "1", "2")]
    in_words = f"socrates-dual: 2 × {board_in_words(SOCRATES)}"
    assert (
        setup(dual).in_short("board").replace("socrates:", "socrates-dual:", 1).startswith(in_words)
    )


def test_usual_costs_are_told_beside_others() -> None:
    costs = (SOCRATES.cpu.costs or "").replace("/load:", "/load:9")
    cpu = SOCRATES.cpu.model_copy(update={"costs": costs})
    (found,) = differences(setup(), setup(SOCRATES.model_copy(update={"cpu": cpu})), "board")
    assert (found.path, found.unit) == ("cpu.costs.load", "cycles")
    assert found.before is not None
    assert found.after is not None


def test_the_shape_is_what_is_connected_with_what() -> None:
    assert setup().shape == setup(load_profile("socrates-hash"), rate_bit_s=10**9).shape
    other = load_topology("board-serves")
    elsewhere = Setup(topology=other, profiles=load_profiles(other))
    assert elsewhere.shape != setup().shape
