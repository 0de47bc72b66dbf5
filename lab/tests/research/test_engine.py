# SPDX-License-Identifier: Apache-2.0
"""Predictions of published engines: what they are fitted to comes out, and a clock moves the part
of the CPU alone.
"""

import pytest

from firesteel.base.checkout import RECORDED
from firesteel.store.store import Store
from research.engine import Engine

ENGINE = Engine()


@pytest.mark.parametrize(
    "call",
    [call for call in ENGINE.calls if call.role == "fitted"],
    ids=lambda call: f"{call.chip}-{call.algorithm}-{call.size}",
)
def test_what_was_fitted_comes_out(call: object) -> None:
    assert isinstance(call, type(ENGINE.calls[0]))
    found = ENGINE.predicted(call.chip, call.algorithm, call.size)
    assert found == pytest.approx(call.size / call.mb_per_s)


def test_another_clock_changes_the_cpus_part_alone() -> None:
    cpu, engine = ENGINE.call
    for chip, slower in (("am62x", 1.0), ("am64x", 1.4), ("am62lx", 1.12)):
        byte = ENGINE.byte(chip, "aes-192-ecb") * 64 / 1e3
        found = ENGINE.predicted(chip, "aes-192-ecb", 64)
        assert found == pytest.approx(cpu * slower + engine + byte)


def test_the_cpu_computes_hashes_where_it_is_busy() -> None:
    assert ENGINE.predicted("am62lx", "sha256", 64) is None
    longer = ENGINE.predicted("am64x", "sha512", 8192) or 0
    shorter = ENGINE.predicted("am64x", "sha512", 4096) or 0
    # A byte of software, as published: 10.09 cycles at 1 GHz.
    assert longer - shorter == pytest.approx(4.096 * 10.09)


def test_a_chips_errors_are_of_ciphers_and_of_hashes() -> None:
    grid = ENGINE.deviations("", ENGINE.estimated(), by_chip=True)
    assert grid
    rows = [str(row[0]) for row in grid.rows]
    assert rows[:2] == ["am62x, AES", "am62x, hashes"]
    assert rows[-1] == "am62lx, AES", "its hashes are not predicted"


def test_the_cpu_use_of_boards_stands_beside_the_chips() -> None:
    busy = ENGINE.busy(Store(RECORDED))
    assert set(busy) == set(ENGINE.chips)
    grid = ENGINE.parts(busy)
    assert grid
    assert [str(row[-1]) for row in grid.rows] == [f"{use:.0f}" for use in busy.values()]
