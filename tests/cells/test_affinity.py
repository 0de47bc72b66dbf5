# SPDX-License-Identifier: Apache-2.0
"""Each setting of an affinity moves work of a board with two CPUs from one to the other."""

from pathlib import Path

import pytest
from lab_run import measure

_EXPERIMENT = """
title = "A file through IPsec on the cores, which interrupt, by four affinities"
topology = "host-host"
measured = "board"
profiles = { board = "socrates-dual" }

[[configurations]]
protocol = "ipsec"
suite = "aes-256-cbc:none"
implementation = "hardware"
completion = "irq"
affinity = [
    { irq = "0", taskset = "0" },
    { irq = "1", taskset = "0" },
    { irq = "0", rps = "1", taskset = "0" },
    { irq = "0", taskset = "1" },
]

[transfer]
size = "1 MiB"
"""

IDLE = 2.0
"""Percent of the time that a CPU without work of the measurement has at most: ticks, and workers of
the kernel."""


@pytest.mark.thorough
def test_each_setting_moves_its_part_to_the_other_cpu(tmp_path: Path) -> None:
    records = measure(tmp_path, _EXPERIMENT)
    use = {
        record.cell.pinned: tuple(
            next(each.value for each in record.figures if each.metric == metric)
            for metric in ("cpu0", "cpu1", "cpu_softirq", "cpu_irq")
        )
        for record in records
    }
    all_on_0 = use["irq 0 taskset 0"]
    assert all_on_0[1] < IDLE
    # Those of the network and of the cores: what they take moves, and no more.
    cpu0, cpu1, softirq, irq = use["irq 1 taskset 0"]
    assert cpu1 == pytest.approx(softirq + irq, rel=0.25)
    assert cpu0 > IDLE
    # The other CPU is sent packets, and decrypts them.
    assert use["irq 0 rps 1 taskset 0"][1] > 5 * IDLE
    assert all_on_0[0] > use["irq 0 rps 1 taskset 0"][0] > 5 * IDLE
    # Programs alone.
    cpu0, cpu1, softirq, irq = use["irq 0 taskset 1"]
    assert cpu0 == pytest.approx(softirq + irq, rel=0.25)
    assert cpu1 > IDLE
