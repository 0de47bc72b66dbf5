# SPDX-License-Identifier: Apache-2.0
"""Requests to the kernel's crypto API on a real board: exact, right, and the same on every run."""

from pathlib import Path

import pytest
from bench import other_load
from lab_run import measure

from firesteel.protocols.crypto_api import CRYPTO_API
from firesteel.store.record import Record

EXPERIMENT = """
title = "Requests"
topology = "one-board"
measured = "board"
profiles = {{ board = "socrates-virtio" }}

[[configurations]]
protocol = "crypto-api"
suite = {suites}
implementation = "software"

[[configurations]]
protocol = "crypto-api"
suite = "aes-256-cbc:none"
implementation = ["hardware", "virtio-crypto"]

[crypto]
sizes = [64, 1400, 4096]
requests = 20
in_flight = [1, 8]
directions = ["encrypt", "decrypt"]
"""


def instructions(record: Record, parameter: str) -> float:
    (found,) = [
        figure.value
        for figure in record.figures
        if figure.workload == "kernel-crypto"
        and figure.parameter.text == parameter
        and figure.metric == "instructions_per_request_p50"
    ]
    return found


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> list[Record]:
    """Every suite in software, and virtio-crypto; a result that is not the reference's fails."""
    return measure(
        tmp_path_factory.mktemp("requests"), EXPERIMENT.format(suites=list(CRYPTO_API.suites))
    )


def test_every_suite_is_measured_and_gives_the_reference_s_results(measured: list[Record]) -> None:
    assert len(measured) == len(CRYPTO_API.suites) + 2
    for record in measured:
        assert record.proof["crypto_requests"] > 0
        # A device's driver has as much to do for any size, and may leave small ones to software.
        assert instructions(record, "64 B") < instructions(record, "1400 B") or (
            record.cell.implementation != "software"
        )


def test_a_device_costs_less_than_software_for_a_packet(measured: list[Record]) -> None:
    (software,) = [
        record
        for record in measured
        if (record.cell.cipher, record.cell.mac) == ("aes-256-cbc", "none")
        and record.cell.implementation == "software"
    ]
    device = measured[-1]
    assert device.cell.implementation == "virtio-crypto"
    assert device.proof["crypto_asynchronous"] == 18 * 20
    assert instructions(device, "1400 B") < instructions(software, "1400 B") / 5
    cores = measured[-2]
    assert cores.cell.implementation == "hardware"
    assert instructions(cores, "1400 B") <= instructions(device, "1400 B") * 0.6


@pytest.mark.thorough
def test_foreign_load_does_not_change_an_instruction(
    measured: list[Record], tmp_path: Path
) -> None:
    with other_load():
        again = measure(tmp_path, EXPERIMENT.format(suites=["aes-256-gcm-esp:gcm"]))
    by_key = {record.key: record for record in measured}
    assert len(again) == 3
    for record in again:
        assert by_key[record.key] == record


def test_the_cores_serve_large_requests(measured: list[Record]) -> None:
    hardware = measured[-2]
    assert hardware.cell.implementation == "hardware"
    shares = {
        figure.parameter.text: figure.value
        for figure in hardware.figures
        if figure.metric == "offloaded" and figure.workload == "kernel-crypto"
    }
    assert shares["4096 B"] == shares["4096 B, 8 in flight"] == 100
    assert hardware.proof["cores.crypto0.aes_bytes"] > 0
    assert instructions(hardware, "4096 B") < instructions(hardware, "64 B") * 4
