# SPDX-License-Identifier: Apache-2.0
"""What all rows say of costs: what a fit has not seen, and whether any costs would do."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from made_calibration import processor
from made_counts import as_prior, counted_run

from research import ridge
from research.costs import AllRows, all_rows, code, counted
from research.processor import load_priors
from research.ridge import Problem, minimax


@pytest.fixture(autouse=True)
def few_spreads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ridge, "SPREADS", (0.125, 2.0))


def found(tmp_path: Path, true: dict[str, float]) -> AllRows:
    results, store = counted_run(tmp_path, true)
    return all_rows(processor(), counted(processor(), results, store), load_priors(processor()))


def test_priors_that_are_right_predict_all_code(tmp_path: Path) -> None:
    every = found(tmp_path, as_prior())
    of_kind = {each.kind: each for each in every.unseen}
    assert every.rows == sum(each.rows for each in every.unseen)
    assert of_kind["kernel"].worst < 1
    assert of_kind["kernel"].is_met
    # The logs have others' figures of the same operations as the guides, which no cost can meet.
    assert of_kind["compiled"].worst_row.startswith(("zedboard-", "socrates-"))


def test_costs_that_other_code_says_little_of_are_farther_off(tmp_path: Path) -> None:
    far = found(tmp_path / "far", {name: value * 3 for name, value in as_prior().items()})
    near = found(tmp_path / "near", as_prior())
    for there, here in zip(far.unseen, near.unseen, strict=True):
        assert there.worst > here.worst
    assert max(each.worst for each in far.unseen if each.kind == "kernel") > 5


def test_rows_of_one_code_are_those_of_one_file_of_the_assembler() -> None:
    codes = {cost.id: code(cost) for cost in processor().costs}
    assert codes["sha224-16"] == codes["sha256-integer-8192"] == "sha256-armv4"
    assert codes["aes-128-ecb-16"] == codes["socrates-aes-256-cbc-64"] == "aes-armv4"
    assert codes["aes-128-ctr-8192"] == codes["aes-128-cbc-decrypt-8192"] == "bsaes-armv7"
    assert codes["md5-16"] != codes["des-ede3-cbc-16"]
    assert codes["fork"] != codes["read"]


def two_costs(*counts: tuple[float, float]) -> Problem:
    """Rows that should come to 1, about two costs whose priors are 1."""
    return Problem(
        counts=np.array(counts),
        tolerance=np.full(len(counts), 0.1),
        prior=np.ones(2),
        looseness=np.ones(2),
        least=np.full(2, 0.125),
    )


def test_costs_that_suit_all_rows_are_found() -> None:
    assert minimax(two_costs((0.5, 0), (0, 2))) == pytest.approx(0)


def test_rows_that_contradict_each_other_are_as_far_off_as_half_of_what_parts_them() -> None:
    # 1·v and 1.5·v: v = 0.8 leaves both 0.2 off, which is 2 tolerances.
    assert minimax(two_costs((1, 0), (1.5, 0))) == pytest.approx(2)


def test_costs_stay_near_their_priors_and_over_the_least() -> None:
    # 0.05·v = 1 wants v = 20, and may have 4.
    assert minimax(two_costs((0.05, 0))) == pytest.approx(8)
    # 8·v = 1 wants v = 0.125, and may have 0.5.
    held = replace(two_costs((8, 0)), least=np.full(2, 0.5))
    assert minimax(held) == pytest.approx(30)
