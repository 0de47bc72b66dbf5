# SPDX-License-Identifier: Apache-2.0
"""What is held beside what, to show why figures are far from the published ones."""

from dataclasses import replace
from pathlib import Path

import pytest
from made_runs import results_of

from firesteel.board.profile import load_profile
from firesteel.compare import compare
from firesteel.evidence import two_cores, without_clients
from firesteel.figure import Figure
from firesteel.results import Results, figures_frame


def _transfer(metric: str, value: float, unit: str = "percent of the loaded core") -> Figure:
    return Figure(
        experiment="file-transfer",
        protocol="none",
        cipher="none",
        mac="none",
        implementation="software",
        parameter="8 MiB",
        metric=metric,
        unit=unit,
        value=value,
    )


def test_two_cores_part_interrupts_from_programs() -> None:
    figures = [_transfer("cpu", 14), _transfer("cpu_softirq", 5), _transfer("cpu_irq", 1)]
    (row,) = two_cores(compare(figures_frame(figures)))
    assert (row.name, row.cpu, row.interrupts, row.rest) == ("no tunnel", 14, 6, 8)
    assert row.published == 7.16
    assert row.deviation == pytest.approx(11.7, abs=0.1)


def test_two_cores_need_the_interrupts_part() -> None:
    assert two_cores(compare(figures_frame([_transfer("cpu", 14)]))) == []


def _handshakes(results: Results, seconds: float) -> Results:
    """With a time for each kind of key."""
    figures = [
        Figure(
            experiment="tls-connection-time",
            protocol="openvpn",
            cipher="aes-256-cbc",
            mac="none",
            implementation="hardware",
            parameter=key,
            metric="connection_time",
            unit="s",
            value=seconds * factor,
        )
        for key, factor in (("rsa-2048", 1), ("rsa-4096", 5))
    ]
    frame = figures_frame(figures)
    return replace(results, figures=frame, spread=frame)


def test_the_clients_part_is_what_slower_clients_add(tmp_path: Path) -> None:
    usual, slow = (
        results_of(
            tmp_path,
            lambda cell: (cell.protocol, cell.implementation) == ("openvpn", "hardware"),
            experiment=experiment,
        )
        for experiment in ("tls", "causes-clients")
    )
    fast, slower = (
        load_profile(name).cpu.instructions_per_second for name in ("clients", "clients-slow")
    )
    usual = _handshakes(usual, 0.07)
    slow = _handshakes(slow, 0.04 + 0.03 * fast / slower)
    rows = without_clients(usual, compare(usual.figures), [slow])
    assert [row.name for row in rows] == [
        f"OpenVPN AES-256-CBC:none, hardware, {key}" for key in ("rsa-2048", "rsa-4096")
    ]
    assert [row.left for row in rows] == pytest.approx([0.04, 0.2])
    assert rows[0].deviation == pytest.approx(0, abs=0.1)
    assert without_clients(usual, compare(usual.figures), [usual]) == []
