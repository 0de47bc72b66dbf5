# SPDX-License-Identifier: Apache-2.0
"""Cells on boards and links that differ in numbers alone."""

from pathlib import Path

import pytest

from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.boards.catalog import at_point, origin_of
from firesteel.boards.numbers import numbers_of
from firesteel.protocols.site import site_of
from firesteel.run.experiment.collection import load
from firesteel.run.experiment.experiment import Experiment, select
from firesteel.run.experiment.sweep import Method, sweep_of_options

CLOCK = "cores.crypto0.timing.clock_hz"


def told(*vary: str, method: Method | None = None, budget: int | None = None) -> Experiment:
    found = load("openvpn", sweep=sweep_of_options(vary, method, budget))
    assert isinstance(found, Experiment)
    return found


def boards(experiment: Experiment) -> list[str]:
    return list(dict.fromkeys(cell.profiles["board"] for cell in experiment.cells(True)))


def test_every_cell_is_measured_at_every_point() -> None:
    plain, swept = load("openvpn"), told(f"{CLOCK}=50MHz,100MHz,200MHz", "cpu.hertz=1.6 GHz")
    cells = swept.cells(True)
    assert len(cells) == 3 * len(plain.cells(True))
    assert len({cell.model_dump_json() for cell in cells}) == len(cells)
    assert boards(swept) == [
        "socrates+cores.crypto0.timing.clock_hz=50000000+cpu.hertz=1600000000",
        "socrates+cpu.hertz=1600000000",
        "socrates+cores.crypto0.timing.clock_hz=200000000+cpu.hertz=1600000000",
    ], "100 MHz is what the board has anyway"
    for cell in cells:
        site = site_of(cell, swept.catalog)
        assert numbers_of(site.profiles["board"], "cpu.hertz") == (1.6e9,)
    assert swept.varied == (CLOCK, "cpu.hertz")


def test_links_and_other_boards_vary_with_the_topology() -> None:
    swept = told("links.*.latency_ns=20 µs,1 ms", "peer:cpu.instructions_per_second=4 GIPS")
    cell = swept.cells(True)[-1]
    assert cell.topology == (
        "host-host+links.*.latency_ns=1000000+peer:cpu.instructions_per_second=4000000000"
    )
    site = site_of(cell, swept.catalog)
    assert {link.latency_ns for link in site.topology.links} == {1_000_000}
    assert site.profiles["peer"].cpu.instructions_per_second == 4_000_000_000
    assert cell.profiles["board"] == "socrates"


def test_a_rate_that_the_cell_has_for_all_links_goes_into_its_topology() -> None:
    experiment = load("openvpn")
    (cell, *_) = experiment.cells(True)
    cell = cell.model_copy(update={"link_rate_bit_s": 1_000_000_000})
    made = at_point(cell, {"links.wire.rate_bit_s": 2e9}, experiment.catalog)
    assert made.link_rate_bit_s is None
    rates = [link.rate_bit_s for link in site_of(made, experiment.catalog).topology.links]
    assert rates == [2_000_000_000]


def test_a_cell_at_a_point_knows_where_it_is_from() -> None:
    experiment = load("openvpn")
    cell = experiment.cells(True)[-1]
    point = {"cpu.hertz": 1.6e9, "links.wire.latency_ns": 5e5, "peer:memory.mebibytes": 512.0}
    made = at_point(cell, point, experiment.catalog)
    assert origin_of(made, experiment.catalog) == (cell, point)
    again = at_point(made, {CLOCK: 2e8}, experiment.catalog)
    assert origin_of(again, experiment.catalog) == (cell, {**point, CLOCK: 2e8})
    assert at_point(cell, {"cpu.hertz": 8e8}, experiment.catalog) == cell, "it has that"


def test_the_budget_of_a_sample_is_for_what_is_chosen() -> None:
    vary = (f"{CLOCK}=50..400 MHz log",)
    chosen = ("implementation=hardware", "suite=aes-256-gcm")
    experiment = told(*vary, method="lhs", budget=20)
    (one,) = select(load("openvpn").cells(True), chosen)
    cells = experiment.cells(True, only=chosen)
    assert len(cells) == 20 == len(select(cells, chosen))
    assert {cell.label for cell in cells} == {one.label}
    assert len(experiment.cells(True, seeds=3, only=chosen)) == 18
    at_one_point = (*chosen, f"board={cells[7].profiles['board']}")
    assert select(experiment.cells(True, only=at_one_point), at_one_point) == (cells[7],)
    with pytest.raises(FiresteelError, match="no cell has that suite; there are: "):
        select(experiment.cells(True, only=["suite=x"]), ["suite=x"])


@pytest.mark.parametrize(("method", "points"), [("lhs", 9), ("sobol", 8)])
def test_a_sample_has_a_budget_and_is_the_same_every_time(method: Method, points: int) -> None:
    count = len(load("openvpn").cells(True))
    budget = 9 * count + 1
    vary = (f"{CLOCK}=50..400 MHz log", "cores.crypto0.timing.register_ns=50,120,1000")
    cells = told(*vary, method=method, budget=budget).cells(True)
    assert len(cells) == points * count
    assert cells == told(*vary, method=method, budget=budget).cells(True)
    with pytest.raises(FiresteelError, match="allowed are at least "):
        told(*vary, method=method, budget=2).cells(True)
    with pytest.raises(FiresteelError, match="points; allowed are 1,000,000"):
        told(*vary, method=method, budget=1_000_000_000).cells(True)


@pytest.mark.parametrize(
    ("vary", "why"),
    [
        ("cpu.hertz", "allowed is PATH=VALUES"),
        ("cpu.herz=1", "`herz` of `cpu.herz` is unknown; allowed here: model"),
        ("cpu.model=1", "not a number of a profile"),
        ("links.wire.kind=1", "not a number of a topology"),
        ("cores.crypto0.faults.0.rate=1", "which have no names"),
        ("cpu.hertz=fast", '"fast" is not a number'),
        ("cpu.hertz=1", "`cpu.hertz` would be 1 Hz; allowed are 1 MHz and more"),
        ("cpu.hertz=1..2GHz", "the range has no number of values; allowed is LOW..HIGHxN"),
        ("cores.crypto0.pk_multipliers=1,5", "would be 5; allowed is 1, 4, 16, 64 or 256"),
        ("cores.crypto9.timing.clock_hz=1GHz", "the board `socrates` has no such number"),
        ("links.cable.latency_ns=1ms", "the topology `host-host` has no such number"),
        ("nobody:cpu.hertz=1GHz", "there is no node `nobody`; the nodes are: board, peer"),
        ("cpu.instructions_per_second=1 GIPS", "whose clock counts cycles"),
        ("cpu.quantum_ns=500,10000", "no difference to the board `socrates`, which has one CPU"),
        (
            "memory.mebibytes=512..1000000x3000,1",
            "would be [0-9]+ MiB; allowed are 3072 MiB and less",
        ),
    ],
)
def test_mistakes_are_told_in_a_sentence(vary: str, why: str) -> None:
    with pytest.raises(FiresteelError, match=why) as caught:
        told(vary).cells(True)
    assert "\n" not in str(caught.value)


def test_what_only_several_cpus_have_varies_with_their_number() -> None:
    swept = told("cpu.quantum_ns=500 ns,10 µs", "cpu.count=2")
    assert len(swept.cells(True)) == 2 * len(load("openvpn").cells(True))


@pytest.mark.parametrize(
    ("one", "other", "number"),
    [
        (f"{CLOCK}=60MHz", "cores.*.timing.clock_hz=50,100MHz", f"`{CLOCK}` of the node `board`"),
        ("cpu.hertz=1GHz", "board:cpu.hertz=1.6GHz", "`cpu.hertz` of the node `board`"),
        ("links.*.latency_ns=1ms", "links.wire.latency_ns=2ms", "`links.wire.latency_ns` of the"),
    ],
)
def test_two_paths_to_one_number_are_refused(one: str, other: str, number: str) -> None:
    for vary in ((one, other), (other, one)):
        with pytest.raises(FiresteelError, match="that is the same number as") as caught:
            told(*vary).cells(True)
        assert number in str(caught.value)
        assert "\n" not in str(caught.value)


def test_what_varies_twice_or_too_much_is_a_mistake() -> None:
    with pytest.raises(FiresteelError, match="varies already"):
        told("cpu.hertz=1GHz", "cpu.hertz=2GHz")
    with pytest.raises(FiresteelError, match="allowed are 1,000,000"):
        told("cpu.hertz=1..2GHzx1001", f"{CLOCK}=50..400MHzx1001").cells(True)


def written(tmp_path: Path, tables: str) -> Path:
    source = CHECKOUT / "experiments" / "openvpn.toml"
    path = tmp_path / "mine.toml"
    path.write_text(source.read_text(encoding="utf-8") + tables, encoding="utf-8")
    return path


def test_a_file_says_what_varies_and_options_override_it(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        '[vary]\ncpu.hertz = ["800 MHz", "1.6 GHz"]\n'
        '"cores.*.timing.clock_hz" = "50..200 MHz x3 log"\n',
    )
    found = load(str(path))
    count = len(load("openvpn").cells(True))
    assert len(found.cells(True)) == 6 * count
    sweep = sweep_of_options(["cpu.hertz=1GHz"])
    other = load(str(path), sweep=sweep)
    assert other.varied == ("cores.*.timing.clock_hz", "cpu.hertz")
    assert len(other.cells(True)) == 3 * count
    assert found.limits() == (), "limits are for boards as they are"


def test_a_quick_run_may_vary_other_values_unless_an_option_says_which(tmp_path: Path) -> None:
    path = str(written(tmp_path, "[vary]\ncpu.count = [1, 2, 4]\nquick.cpu.count = [1, 4]\n"))
    count = len(load("openvpn").cells(True))
    assert len(load(path).cells(True)) == 2 * count
    assert len(load(path).cells(False)) == 3 * len(load("openvpn").cells(False))
    sweep = sweep_of_options(["cpu.count=1,2,4"])
    assert len(load(path, sweep=sweep).cells(True)) == 3 * count


@pytest.mark.parametrize(
    ("tables", "why"),
    [
        ("[vary]\ncpu.herz = 1\n", "`vary.cpu.herz`: `herz` of"),
        ('[vary]\ncpu.hertz = "1 MB"\n', "is not a unit for this key"),
        ("[vary]\nquick.cpu.count = 1\n", "`vary.quick.cpu.count`: allowed are paths that"),
        ("[vary]\ncpu.hertz = [true]\n", "vary"),
        ("vary = 5\n[x]\n", "vary"),
        ('[sample]\nmethod = "lhs"\n', "`sample` needs `vary`"),
        ('[vary]\ncpu.hertz = "1..2GHz"\n[sample]\nmethod = "best"\n', "'lhs' or 'sobol'"),
    ],
)
def test_mistakes_in_a_file_name_the_file(tmp_path: Path, tables: str, why: str) -> None:
    path = written(tmp_path, tables)
    with pytest.raises(FiresteelError, match=why) as caught:
        load(str(path))
    assert all(line.startswith(str(path)) for line in str(caught.value).splitlines())


def test_cells_are_chosen_by_the_board_that_theirs_is_made_of() -> None:
    cells = told(f"{CLOCK}=50,100MHz", "links.wire.latency_ns=1ms").cells(True)
    assert select(cells, ["board=socrates", "topology=host-host"]) == cells
    one = select(cells, [f"board=socrates+{CLOCK}=50000000"])
    assert len(one) == len(cells) // 2
