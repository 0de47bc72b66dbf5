# SPDX-License-Identifier: Apache-2.0
"""Two stores with equal figures, and the smallest difference."""

from pathlib import Path

import pytest
from advice_store import RATE, Runs, cell

from firesteel.base.errors import FiresteelError
from firesteel.store.store import Store
from tools.same import compare_stores


def test_equal_figures_are_equal_in_every_digit(tmp_path: Path) -> None:
    one, other = (Runs(Store(tmp_path / name)) for name in ("one", "other"))
    one.add((cell(), {RATE: 5.0}), (cell("hardware"), {RATE: 8.0}))
    other.add((cell(), {RATE: 5.0}), qemu="another")
    (same,) = compare_stores(one.store, other.store)
    assert (same.cells, same.missing, same.differences) == (1, 1, ())
    other.add((cell("hardware"), {RATE: 8.0 + 1e-14}))
    (same,) = compare_stores(one.store, other.store)
    assert same.cells == 2
    (difference,) = same.differences
    assert difference.startswith(
        "openvpn aes-256-cbc:sha256 hardware: file-transfer 16 MiB through"
    )


def test_what_shares_nothing_is_not_equal(tmp_path: Path) -> None:
    one, other, empty = (Store(tmp_path / name) for name in ("one", "other", "empty"))
    Runs(one).add((cell(), {RATE: 5.0}))
    Runs(other).add((cell("hardware"), {RATE: 5.0}))
    for stores in ((one, other), (one, empty), (empty, one)):
        with pytest.raises(FiresteelError, match="share no cell"):
            compare_stores(*stores)
