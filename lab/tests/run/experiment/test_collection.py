# SPDX-License-Identifier: Apache-2.0
"""A collection has the cells of the experiments it refers to, each once, and their limits."""

from pathlib import Path

import pytest

from firesteel.base.errors import FiresteelError
from firesteel.judge.places import Places
from firesteel.model.cell import Place
from firesteel.run.experiment.collection import Collection, load
from firesteel.run.experiment.experiment import select
from firesteel.run.experiment.sweep import sweep_of_options

TUNNELS = """\
title = "tunnels"
topology = "host-host"
measured = "board"
[[configurations]]
protocol = "none"
suite = "none:none"
[[configurations]]
protocol = "ipsec"
suite = ["aes-256-cbc:none", "aes-256-cbc:sha256"]
implementation = ["software", "hardware"]
[ping]
sizes = 56
count = 10
[limits]
[[limits.ratios]]
versus = { implementation = "software" }
most = { rtt_mean = 1 }
date = 2026-11-21
reason = "as the moon stood"
"""

PART = '[[parts]]\nexperiment = "tunnels"\n'


def written(directory: Path, text: str) -> Path:
    (directory / "tunnels.toml").write_text(TUNNELS.replace("sizes = 56", "sizes = [56]"))
    (directory / "other.toml").write_text(
        TUNNELS.replace("sizes = 56", "sizes = [1000]").replace("ipsec", "openvpn")
    )
    (directory / "all.toml").write_text('title = "all"\n' + text)
    return directory


def collection(directory: Path, text: str) -> Collection:
    found = load("all", written(directory, text))
    assert isinstance(found, Collection)
    return found


def labels(found: Collection, quick: bool = False) -> list[str]:
    return [cell.label for cell in found.cells(quick)]


def test_cells_that_two_parts_have_are_measured_once(tmp_path: Path) -> None:
    found = collection(tmp_path, PART + PART)
    assert len(labels(found)) == len(set(labels(found))) == 5
    assert len(found.cells(seeds=2)) == 10


def test_a_part_may_have_seeds_of_its_own(tmp_path: Path) -> None:
    other = PART.replace("tunnels", "other") + 'without = "protocol=none"\n'
    found = collection(tmp_path, PART + "seeds = 3\n" + other)
    assert [cell.seed for cell in found.cells()] == [1] * 5 + [2] * 5 + [3] * 5 + [1] * 4
    assert {cell.seed for cell in found.cells(seeds=2)} == {1, 2}


def test_a_short_part_measures_as_the_quick_run_does_and_leaves_nothing_out(
    tmp_path: Path,
) -> None:
    other = PART.replace("tunnels", "other") + 'without = "protocol=none"\n'
    part = PART + 'short = true\nquick = { without = "mac=sha256" }\n'
    directory = written(tmp_path, part + other)
    for name in ("tunnels", "other"):
        file = directory / f"{name}.toml"
        file.write_text(file.read_text().replace("count = 10", "count = 10\nquick.count = 4"))
    found = load("all", directory)
    counts = [plan.model_dump()["count"] for cell in found.cells() for plan in cell.plans]
    assert counts == [4] * 5 + [10] * 4
    assert len(found.cells(quick=True)) == 3 + 4


def test_a_sample_of_a_collection_has_one_budget_and_the_same_points(tmp_path: Path) -> None:
    other = PART.replace("tunnels", "other") + 'without = "protocol=none"\n'
    parts = PART + 'without = "mac=sha256"\n' + other
    sweep = sweep_of_options(["cpu.hertz=400..1600 MHz"], "lhs", 43)
    found = load("all", written(tmp_path, parts), sweep=sweep)
    cells = found.cells()
    assert len(cells) == 6 * (3 + 4), "of six points; a seventh would make 49"
    by_part = [{cell.profiles["board"] for cell in each} for each in (cells[:18], cells[18:])]
    assert by_part[0] == by_part[1]
    chosen = found.cells(only=["protocol=ipsec"])
    assert len(chosen) == 43 - 43 % 2
    assert chosen == select(chosen, ["protocol=ipsec"])
    few = load("all", tmp_path, sweep=sweep_of_options(["cpu.hertz=400..1600 MHz"], "lhs", 2))
    assert len(few.cells(only=["protocol=ipsec"])) == 2
    assert few.limits() == ()
    with pytest.raises(FiresteelError, match="a sample has 7 cells at each point"):
        few.cells()


def test_parts_leave_cells_out_and_quick_ones_more(tmp_path: Path) -> None:
    found = collection(
        tmp_path, PART + 'without = "mac=sha256"\nquick = { without = ["protocol=none"] }\n'
    )
    all_of_them = labels(found)
    assert all_of_them == [
        "no tunnel software",
        "ipsec aes-256-cbc:none software",
        "ipsec aes-256-cbc:none hardware",
    ]
    assert labels(found, quick=True) == all_of_them[1:]


def test_limits_are_those_whose_cells_are_measured(tmp_path: Path) -> None:
    whole = collection(tmp_path, PART).limits()
    assert [limit.of.suite for limit in whole] == ["aes-256-cbc:none", "aes-256-cbc:sha256"]
    part = collection(tmp_path, PART + 'without = "mac=sha256"\n').limits()
    assert part == whole[:1]
    assert collection(tmp_path, PART + 'without = "implementation=software"\n').limits() == ()


ELSEWHERE = PART + 'profiles = { board = "socrates-hash" }\n' + PART + 'link = "1 Gbit/s"\n'


def test_a_part_may_be_measured_elsewhere(tmp_path: Path) -> None:
    found = collection(tmp_path, PART + ELSEWHERE)
    assert len(labels(found)) == 15
    places = dict.fromkeys(cell.place for cell in found.cells())
    assert list(places) == [
        Place("socrates", "host-host", "board"),
        Place("socrates-hash", "host-host", "board"),
        Place("socrates", "host-host", "board", "1 Gbit/s"),
    ]
    assert found.cells()[5].profiles == {"board": "socrates-hash", "peer": "peer"}
    called = Places.of_cells(found.cells()).of_cell
    names = [called(cell) for cell in found.cells()]
    assert len(set(names)) == 15
    assert {names[number].rpartition(" [")[2] for number in (0, 5, 10)} == {
        "socrates]",
        "socrates-hash]",
        "socrates, 1 Gbit/s]",
    }


def test_a_part_may_be_measured_on_several_boards_and_vary_numbers(tmp_path: Path) -> None:
    parts = PART + 'boards = ["socrates", "gateway-a53"]\n'
    found = collection(
        tmp_path, parts + "vary = { cpu.count = [1, 4], quick = { cpu.count = 1 } }\n"
    )
    boards = [cell.profiles["board"] for cell in found.cells()]
    assert list(dict.fromkeys(boards)) == [
        "socrates",
        "socrates+cpu.count=4",
        "gateway-a53+cpu.count=1",
        "gateway-a53",
    ]
    assert {boards.count(board) for board in boards} == {5}
    assert found.varied == ("cpu.count",)
    assert len(found.cells(quick=True)) == 10


def test_limits_are_each_of_the_place_of_their_part(tmp_path: Path) -> None:
    limits = collection(tmp_path, PART + ELSEWHERE).limits()
    assert len(limits) == 6
    assert len({limit.place for limit in limits}) == 3
    assert {limit.place for limit in collection(tmp_path, PART).limits()} == {None}


def test_a_swept_part_leaves_the_limits_of_other_parts(tmp_path: Path) -> None:
    swept = PART + 'vary = { cpu.hertz = ["600 MHz", "900 MHz"] }\n'
    found = collection(tmp_path, swept + PART)
    assert {limit.place for limit in found.limits()} == {Place("socrates", "host-host", "board")}
    assert len(found.limits()) == 2
    quick = collection(tmp_path, swept.replace(" }", ', quick.cpu.hertz = "600 MHz" }'))
    assert quick.limits() == ()
    assert len(quick.limits(quick=True)) == 2


def test_limits_are_of_the_place_at_which_one_value_puts_their_part(tmp_path: Path) -> None:
    sweep = sweep_of_options(["cpu.hertz=600 MHz"])
    one = load("all", written(tmp_path, PART), sweep=sweep)
    assert one.limits() == load("tunnels", tmp_path, sweep=sweep).limits() != ()
    many = load("all", written(tmp_path, PART + ELSEWHERE), sweep=sweep)
    assert {limit.place for limit in many.limits()} == {cell.place for cell in many.cells()}
    assert len(many.limits()) == 6


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("parts = []\n", "key `parts`"),
        ('[[parts]]\nexperiment = "nothing"\n', "key `parts`: There is no experiment `nothing`"),
        ('[[parts]]\nexperiment = "tunnels.toml"\n', "allowed is an experiment's name"),
        (PART + 'without = "speed=fast"\n', r"key `parts\[1\].without"),
        (PART + 'without = "mac=gcm"\n', r"key `parts\[1\].without`: no cell of tunnels has mac="),
        (PART + 'without = ["protocol=none", "protocol=ipsec"]\n', "leaves out all cells"),
        (PART + 'profiles = { desk = "peer" }\n', "key `profiles.desk` is unknown"),
        (PART + 'link = "slow"\n', r"key `parts\[1\].link` is \"slow\"; allowed is a rate from"),
        (PART + '[[parts]]\nexperiment = "other"\n', "no tunnel software twice, measured in two"),
        (
            'topology = "host-host"\n' + PART,
            "key `topology` is unknown; allowed here: title, parts, profiles",
        ),
        (
            PART + '[profiles]\ncells = ["ipsec rot13"]\n',
            "key `profiles.cells`: there is no cell `ipsec rot13`; there are: no tunnel software; ",
        ),
        (
            PART + '[profiles]\ncells = ["no tunnel"]\nquick = ["no cell"]\n',
            "key `profiles.quick`: there is no cell `no cell`",
        ),
        (PART + "[profiles]\ncells = []\n", "key `profiles.cells`"),
        ('[[parts]]\nexperiment = "all"\n', "key `parts`: .*all.toml: key `parts` is unknown"),
    ],
)
def test_a_mistake_is_one_sentence(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(FiresteelError, match=says):
        load("all", written(tmp_path, text))
