# SPDX-License-Identifier: Apache-2.0
"""What configurations cost: a row for each, and for each way in which its files came."""

import polars as pl
from made_pairs import row
from made_results import results_in

from firesteel.terminal.costs import cost_grid


def test_files_that_came_by_another_way_have_a_row_of_their_own() -> None:
    told = [("16 MiB", 9.0), ("16 MiB, by http", 8.0)]
    rows = [row("throughput", value, parameter=at) for at, value in told]
    grid = cost_grid(results_in(pl.DataFrame(rows)))
    assert grid is not None
    assert [(label, list(cells)) for label, cells in grid.rows] == [
        ("IPsec AES-256-GCM", ["9.00"]),
        ("IPsec AES-256-GCM, by http", ["8.00"]),
    ]
