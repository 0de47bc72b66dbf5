# SPDX-License-Identifier: Apache-2.0
"""Every published statement that is of no table has ours beside it, or a reason."""

import polars as pl
from made_results import results_in

from firesteel.analysis.published import read_published
from firesteel.analysis.rows import Result
from firesteel.analysis.sheet import MISSING
from firesteel.replication.counterparts import NOT_MEASURED, is_of_a_table
from firesteel.report.statements import statements_sheet


def figures(**values: tuple[float, float]) -> list[Result]:
    """Figures in software and hardware, by `experiment__metric`."""
    rows = []
    for name, pair in values.items():
        experiment, metric = name.split("__")
        handshakes = experiment == "tls_connections"
        for implementation, value in zip(("software", "hardware"), pair, strict=True):
            rows.append(
                {
                    "experiment": experiment.replace("_", "-"),
                    "protocol": "openvpn" if handshakes else "ipsec",
                    "cipher": "aes-256-cbc",
                    "mac": "none" if handshakes else "sha256",
                    "implementation": implementation,
                    "parameter": "rsa-4096" if handshakes else "8 MiB",
                    "metric": metric,
                    "unit": "1",
                    "value": value,
                    "completion": "",
                    "as_in_2015": "",
                }
            )
    return results_in(pl.DataFrame(rows))


def told(part: list[Result]) -> dict[str, list[str]]:
    """Published, ours, unit, where and remark by what the statement is of."""
    sheet = statements_sheet(part)
    assert sheet
    return {str(row[0]): [str(text) for text in row[1:]] for row in sheet.rows}


def test_no_published_row_is_left_out() -> None:
    sheet = statements_sheet([])
    assert sheet
    rows = read_published()
    assert (
        len(sheet.rows) == sum(not is_of_a_table(row["source"], row["table"]) for row in rows) > 10
    )
    assert all(row[2] == MISSING and row[5] for row in sheet.rows), "each has its reason"


def test_the_slides_ratios_are_those_of_our_figures() -> None:
    rows = told(
        figures(
            tls_connections__connections=(50.0, 300.0),
            tls_connections__cpu=(96.0, 4.8),
            file_transfer__throughput=(7.0, 10.5),
            file_transfer__cpu_seconds_per_mb=(0.15, 0.075),
        )
    )
    ours = [row[1] for row in rows.values() if row[3] == "delhaye2015 slides"]
    assert sorted(ours) == ["+50", "2.0", "20", "6.0"]


def test_what_a_run_does_not_have_is_said_to_be_missing() -> None:
    rows = told(figures(tls_connections__connections=(50.0, 300.0)))
    missing = [row for name, row in rows.items() if name.startswith("IPsec, throughput change")]
    assert missing
    assert missing[0][1] == MISSING
    assert missing[0][4] == NOT_MEASURED
