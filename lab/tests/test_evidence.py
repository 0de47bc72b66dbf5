# SPDX-License-Identifier: Apache-2.0
"""What is held beside what, to show why figures are far from the published ones."""

from dataclasses import replace
from pathlib import Path

import pytest
from made_runs import results_of

from firesteel import evidence
from firesteel.board.profile import Profile, load_profile
from firesteel.compare import compare
from firesteel.evidence import WithoutClients, two_cores, without_clients
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


def _with_clients(tmp_path: Path, seconds: float, slow_seconds: float) -> list[WithoutClients]:
    """Of one handshake with RSA-2048 on the core, with the usual clients and with slow ones."""
    usual, slow = (
        results_of(
            tmp_path,
            lambda cell: (cell.protocol, cell.implementation) == ("openvpn", "hardware"),
            experiment=experiment,
        )
        for experiment in ("tls", "causes-clients")
    )
    usual = _handshakes(usual, seconds)
    assert without_clients(usual, compare(usual.figures), [usual]) == []
    rows = without_clients(usual, compare(usual.figures), [_handshakes(slow, slow_seconds)])
    assert [row.name for row in rows] == [
        f"OpenVPN AES-256-CBC:none, hardware, {key}" for key in ("rsa-2048", "rsa-4096")
    ]
    return rows


def test_the_clients_part_is_what_slower_clients_add(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def in_software(name: str) -> Profile:
        return load_profile(name).model_copy(update={"cores": ()})

    monkeypatch.setattr(evidence, "load_profile", in_software)
    fast, slower = (
        load_profile(name).cpu.instructions_per_second for name in ("clients", "clients-slow")
    )
    rows = _with_clients(tmp_path, 0.07, 0.04 + 0.03 * fast / slower)
    assert [row.left for row in rows] == pytest.approx([0.04, 0.2])
    assert rows[0].deviation == pytest.approx(0, abs=0.1)


def test_clients_with_a_core_have_no_part(tmp_path: Path) -> None:
    rows = _with_clients(tmp_path, 0.07, 0.9)
    assert [row.left for row in rows] == [0.07, 0.35]
