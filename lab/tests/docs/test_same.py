# SPDX-License-Identifier: Apache-2.0
"""Two stores with equal figures, and the smallest difference."""

from pathlib import Path

from advice_store import RATE, Runs, cell

from firesteel.docs.same import compare_stores
from firesteel.store.store import Store


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
