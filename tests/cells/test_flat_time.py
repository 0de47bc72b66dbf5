# SPDX-License-Identifier: Apache-2.0
"""The instructions a byte by which flat time's error is told are those of the guest's OpenSSL."""

from pathlib import Path

import pytest
from lab_run import measure

from firesteel.boards.profile import load_profile
from firesteel.judge.replication.method import Cycles, load_cycles

EXPERIMENT = """
title = "What a byte costs"
topology = "one-board"
measured = "board"
profiles = {{ board = "{profile}" }}

[[configurations]]
protocol = "openssl"
suite = {suites}

[speed]
sizes = [16384]
seconds = 1
"""


@pytest.mark.parametrize("cycles", load_cycles(), ids=lambda cycles: cycles.board.profile)
def test_the_committed_costs_are_measured(tmp_path: Path, cycles: Cycles) -> None:
    costs = {each.suite: each.instructions_per_byte for each in cycles.algorithms}
    rate = load_profile(cycles.board.profile).on_clock("flat").cpu.rate
    text = EXPERIMENT.format(profile=cycles.board.profile, suites=list(costs))
    measured = {
        f"{record.cell.cipher}:{record.cell.mac}": rate / (figure.value * 1e6)
        for record in measure(tmp_path, text)
        for figure in record.figures
        if figure.metric == "throughput"
    }
    # What the clock's tick and the program itself take besides is a part of a percent.
    assert measured == pytest.approx(costs, rel=0.005)
