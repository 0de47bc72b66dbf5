# SPDX-License-Identifier: Apache-2.0
"""Affinity, from an experiment's file to a cell, its names and its job."""

from pathlib import Path

import pytest
from workloads.sites import jobs_of

from firesteel.base.errors import FiresteelError
from firesteel.model.cell import Affinity, Cell
from firesteel.model.identity import side_of
from firesteel.run.experiment.experiment import load_experiment, select
from firesteel.workloads import titles

_FILE = """
title = "t"
topology = "host-host"
measured = "board"
profiles = {{ board = "{board}" }}

[[configurations]]
protocol = "ipsec"
suite = "none:none"
affinity = {affinity}

[ping]
sizes = [56]
count = 10
"""


def cells(tmp_path: Path, affinity: str, board: str = "socrates-dual") -> tuple[Cell, ...]:
    path = tmp_path / "x.toml"
    path.write_text(_FILE.format(affinity=affinity, board=board))
    return load_experiment(str(path)).cells()


@pytest.mark.parametrize(
    ("written", "meant"),
    [("0", "0"), ("0,1", "0-1"), ("1-1", "1"), ("3,0-1,2", "0-3"), ("2,0", "0,2")],
)
def test_one_set_of_cpus_is_one_cell(written: str, meant: str) -> None:
    assert Affinity(irq=written) == Affinity(irq=meant)
    assert Affinity(irq=written).text == f"irq {meant}"


def test_settings_multiply_and_are_in_every_name(tmp_path: Path) -> None:
    free, pinned = cells(tmp_path, '[{}, { irq = "0", taskset = "1" }]')
    assert "affinity" not in free.model_dump_json()
    assert Cell.model_validate_json(pinned.model_dump_json()) == pinned
    assert pinned.label == "ipsec none:none software irq 0 taskset 1"
    assert side_of(pinned).label == pinned.label
    assert titles.of_cell(pinned) == "IPsec none:none, irq 0 taskset 1"
    assert select((free, pinned), ["affinity=irq 0 taskset 1"]) == (pinned,)
    assert select((free, pinned), ["affinity=none"]) == (free,)


def test_a_job_begins_with_its_settings(tmp_path: Path) -> None:
    free, pinned = cells(tmp_path, '[{}, { irq = "1", rps = "0-1", taskset = "0" }]')
    run = jobs_of(free)["board"].files["/job/run"].content
    begun = jobs_of(pinned)["board"].files["/job/run"].content
    assert begun.endswith(run)
    irq, rps, taskset = begun.removesuffix(run).decode().splitlines()
    assert irq == "echo 2 >/proc/irq/default_smp_affinity || exit"
    assert "echo 3 >$cpus" in rps
    assert taskset == "busybox taskset -p 1 $$ || exit"
    assert jobs_of(free)["peer"] == jobs_of(pinned)["peer"]


@pytest.mark.parametrize(("board", "mask"), [("socrates", "1"), ("socrates-dual", "3")])
def test_all_are_those_of_the_board(tmp_path: Path, board: str, mask: str) -> None:
    (cell,) = cells(tmp_path, '[{ rps = "all" }]', board)
    assert cell.label == "ipsec none:none software rps all"
    assert f"echo {mask} >$cpus" in jobs_of(cell)["board"].files["/job/run"].content.decode()


@pytest.mark.parametrize(
    ("affinity", "board", "said"),
    [
        ('[{ irq = "2" }]', "socrates-dual", "`affinity.irq` is 2; .* has the CPUs 0-1"),
        ('[{ taskset = "0,3" }]', "socrates-dual", "`affinity.taskset` is 0,3; .* CPUs 0-1"),
        (
            '[{ rps = "0" }]',
            "socrates",
            '`socrates` .* has one CPU; allowed there is `affinity.rps` "all"',
        ),
        ('[{ irq = "1-0" }]', "socrates-dual", 'affinity.1..irq` is "1-0"; the range 1-0 ends'),
        ('[{ irq = "any" }]', "socrates-dual", 'affinity.1..irq` is "any"; .* "0,2", or "all"'),
        (
            '{ irq = "1" }',
            "socrates-dual",
            "key `configurations.1..affinity` .* allowed is an array",
        ),
        ('[{ irq = "0" }, { irq = "0-0" }]', "socrates-dual", "none software irq 0 more than once"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, affinity: str, board: str, said: str) -> None:
    with pytest.raises(FiresteelError, match=said) as caught:
        list(map(jobs_of, cells(tmp_path, affinity, board)))
    assert "\n" not in str(caught.value)
