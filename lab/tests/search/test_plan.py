# SPDX-License-Identifier: Apache-2.0
"""What a study measures: pairs, each on every board that matters to it, and nothing twice."""

import json
import lzma

import pytest
from made_sensitivity import CBC, plan_of

from firesteel.base.checkout import RECORDED
from firesteel.base.errors import FiresteelError
from firesteel.boards.assumptions import Assumption, load_assumptions
from firesteel.boards.numbers import numbers_of
from firesteel.model.cell import ON_CORES
from firesteel.protocols.site import site_of
from firesteel.run.experiment.collection import load
from firesteel.search.plan import make_plan


def labels(cells: object) -> list[str]:
    return [cell.label for cell in cells]  # type: ignore[attr-defined]


def test_verdicts_are_made_of_hardware_its_software_and_traffic_without_a_tunnel() -> None:
    _, plan = plan_of("core-clock")
    assert labels(plan.cells) == [
        "no tunnel software",
        "openvpn aes-256-cbc:none software",
        "openvpn aes-256-cbc:none hardware",
    ]
    _, whole = plan_of("core-clock", only=())
    assert "openvpn none:none software" not in labels(whole.cells), "nothing is compared with it"
    assert len(whole.cells) == 7


def test_only_what_the_answer_counts_is_measured_unless_it_is_asked_for() -> None:
    _, plan = plan_of("core-clock", only=(), experiment="ipsec")
    assert not [cell for cell in plan.cells if cell.completion not in (None, "adaptive")]
    assert not [cell for cell in plan.cells if cell.implementation == "software-as-installed"]
    only = ("completion=poll", *CBC)
    _, asked = plan_of("core-clock", only=only, experiment="ipsec")
    assert labels(asked.cells)[-1] == "ipsec aes-256-cbc:none hardware poll"


def test_set_cpus_count_where_no_others_were_measured() -> None:
    _, steered = plan_of("core-clock", only=(), experiment="cpus")
    assert "rps all" in {cell.pinned for cell in steered.cells}
    _, both = plan_of("core-clock", only=(), experiment="scaling-forwarding")
    assert {cell.pinned for cell in both.cells} == {""}


def test_timing_of_cores_touches_cells_on_cores_alone() -> None:
    told, plan = plan_of("register-access")
    varied = [cell.label for cell in plan.all_cells[len(plan.cells) :]]
    assert varied == ["openvpn aes-256-cbc:none hardware"] * 2
    assert labels(plan.untouched()) == labels(plan.cells)[:2]
    low, high = (cell.profiles for cell in plan.varied.values())
    assert low == {"board": "socrates+register-access-50", "peer": "peer"}
    assert high["board"] == "socrates+register-access-1000"
    (cores,) = told.catalog.profile(high["board"]).cores
    assert cores.timing.register_ns == 1000


def test_the_processor_touches_all_cells() -> None:
    told, plan = plan_of("processor-frequency")
    assert len(plan.varied) == 2 * len(plan.cells)
    assert plan.untouched() == []
    for cell in plan.varied.values():
        site = site_of(cell, told.catalog)
        peer = site_of(plan.cells[0], told.catalog).profiles["peer"]
        assert site.profiles["peer"] == peer, "only the measured board differs"
        (hertz,) = numbers_of(site.profiles["board"], "cpu.hertz")
        assert hertz in (400_000_000, 1_600_000_000)


def test_all_that_means_something_varies_unless_some_are_named() -> None:
    _, plan = plan_of()
    unknown = ("instruction-rate", "cache-maintenance", "sharing", "instructions-64-cycles")
    named = (each.name for each in load_assumptions())
    known = [name for name in named if name not in unknown and not name.startswith("storage-")]
    assert [each.name for each in plan.assumptions] == known
    assert plan.left_out == ()
    _, one = plan_of("core-clock")
    assert one.left_out == tuple(name for name in known if name != "core-clock")
    _, flat = plan_of(clock="flat")
    on_cores = ["register-access", "dma-latency", "core-clock", "multiplier-wait"]
    on_flat = [*on_cores, "instruction-rate", "wire-latency"]
    assert [each.name for each in flat.assumptions] == on_flat


def test_what_is_the_same_board_is_measured_once() -> None:
    same = Assumption(
        name="x",
        title="x",
        parameter="cores.*.timing.register_ns",
        relative=False,
        low=120,
        high=240,
        why="x",
    )
    told = load("openvpn")
    plan = make_plan(told, told.cells(True), CBC, [same], ())
    assert len(plan.varied) == 1
    hardware = plan.cells[-1]
    assert plan.at(hardware, {"x": "low"}) == hardware
    assert plan.at(hardware, {"x": "high"}) != hardware


@pytest.mark.parametrize(
    ("only", "names", "said"),
    [
        (("implementation=software",), (), "none of the chosen cells is in hardware with its"),
        (CBC, ("speed",), "--assumption speed: there is no such assumption; there are: register-"),
        (CBC, ("instruction-rate",), "-rate: it means nothing for the board socrates: what"),
        (("suite=des:none",), (), "no cell has that suite"),
    ],
)
def test_what_makes_no_sense_is_told(only: tuple[str], names: tuple[str], said: str) -> None:
    with pytest.raises(FiresteelError) as error:
        plan_of(*names, only=only)
    assert said in str(error.value)


def test_no_recorded_software_has_ever_waited_for_the_cores() -> None:
    """Why software is not measured again for other timings of the cores: the clock has counted what
    their registers cost a processor since power-on, and in software that was nothing.
    """
    waited: dict[bool, set[bool]] = {True: set(), False: set()}
    for path in (RECORDED / "records").rglob("*.json"):
        record = json.loads(path.read_text(encoding="utf-8"))
        if "observed" not in record:
            continue  # Of the first format.
        cell, key = record["cell"], path.stem
        packed = RECORDED / "observations" / key[:2] / f"{key}.json.xz"
        observed = json.loads(lzma.decompress(packed.read_bytes()))
        last = observed["nodes"][cell["measured"]]["marks"][-1]
        waited[cell["implementation"] in ON_CORES].add(last["stalled_ns"] > 0)
    assert waited == {False: {False}, True: {True}}
