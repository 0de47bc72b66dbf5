# SPDX-License-Identifier: Apache-2.0
"""Handshakes of an asynchronous server on boards with one, two and four public-key engines, whose
CPU is fast enough not to be the limit.
"""

from pathlib import Path

import pytest
from lab_run import measure

pytestmark = pytest.mark.thorough

_EXPERIMENT = """
title = "Handshakes of an asynchronous server"
topology = "host-host"
measured = "board"
profiles = {{ board = "{board}", peer = "clients" }}

[[configurations]]
protocol = "haproxy"
suite = "aes-256-gcm:gcm"
implementation = "hardware"

[handshakes]
keys = {{ haproxy = "rsa-4096" }}
alone = 1
clients = 16
seconds = {{ haproxy = 1 }}
"""


def _rate(directory: Path, board: str) -> float:
    (record,) = measure(directory / board, _EXPERIMENT.format(board=board))
    (rate,) = (each for each in record.figures if each.metric == "connections")
    return rate.value


def test_handshakes_scale_with_the_engines(tmp_path: Path) -> None:
    one, two, four = (
        _rate(tmp_path, board)
        for board in ("socrates-1600", "socrates-1600-2pk", "socrates-1600-4pk")
    )
    assert 1.9 <= two / one <= 2.1
    assert 3.6 <= four / one <= 4.2
