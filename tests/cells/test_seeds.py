# SPDX-License-Identifier: Apache-2.0
"""Another seed makes another board of the same kind: other packets, and figures that are near."""

from pathlib import Path

import pytest
from lab_run import measure

EXPERIMENT = """
title = "Two seeds"
topology = "host-host"
measured = "board"
seeds = 2

[[configurations]]
protocol = "ipsec"
suite = "aes-256-cbc:sha256"

[ping]
sizes = [1000]
count = 20
"""


def test_seeds_differ_and_their_figures_are_near(tmp_path: Path) -> None:
    first, second = measure(tmp_path, EXPERIMENT)
    assert (first.cell.seed, second.cell.seed) == (1, 2)
    assert first.trace != second.trace
    assert first.versions.jobs != second.versions.jobs
    assert first.versions.boards == second.versions.boards
    values = [
        {figure.metric: figure.value for figure in record.figures} for record in (first, second)
    ]
    assert values[0] != values[1]
    for metric in ("rtt_mean", "cpu"):
        assert values[0][metric] == pytest.approx(values[1][metric], rel=0.05)
