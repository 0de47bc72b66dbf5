# SPDX-License-Identifier: Apache-2.0
"""Our figures find their published counterparts, and disagreements are told."""

import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from firesteel.base.errors import FiresteelError
from firesteel.judge.compare import as_published, compare, frame, load_published
from firesteel.judge.rows import Result, read_results
from firesteel.model.cell import Affinity, Cell, Completion
from firesteel.model.figure import Figure
from firesteel.table import FIGURE_COLUMNS, figures_frame
from firesteel.workloads import titles
from firesteel.workloads.registry import parameter_of

COLUMNS = ("table", *FIGURE_COLUMNS, "note")


def figure(
    experiment: str,
    suite: str,
    parameter: str,
    metric: str,
    value: float,
) -> Figure:
    protocol, cipher, mac = suite.split()
    return Figure(
        workload=experiment,
        protocol=protocol,
        cipher=cipher,
        mac=mac,
        implementation="software",
        parameter=parameter_of(experiment, parameter),
        metric=metric,
        value=value,
    )


def beside_published(figures: list[Figure]) -> list[Result]:
    return compare(read_results(figures_frame(figures)))


def rows_of(figures: list[Figure]) -> list[dict[str, Any]]:
    """As the command prints them."""
    return frame(beside_published(figures)).to_dicts()


def throughput(suite: str, value: float, size: str = "128 MiB") -> Figure:
    return figure("file-transfer", suite, size, "throughput", value)


def test_a_figure_is_divided_by_its_published_counterpart() -> None:
    ours = figure("ping", "ipsec aes-256-gcm gcm", "8000 B", "rtt_mean", 10.766)
    (row,) = rows_of([ours])
    assert (row["value"], row["published"], row["ratio"]) == (10.766, 5.383, 2.0)
    assert row["deviation_percent"] == 100.0
    assert row["note"] == "delhaye2015 5.4"


def test_a_figure_without_counterpart_stays() -> None:
    ours = [
        figure("ping", "openvpn aes-256-gcm gcm", "56 B", "rtt_mean", 1.0),
        figure("ping", "none none none", "57 B", "rtt_mean", 1.0),
    ]
    rows = rows_of(ours)
    assert [(row["published"], row["ratio"], row["note"]) for row in rows] == [(None, None, "")] * 2


def test_a_quick_transfer_stands_beside_the_published_one_and_says_so() -> None:
    ours = [
        throughput("none none none", 11.39, "16 MiB"),
        figure("file-transfer", "none none none", "16 MiB", "cpu", 3.58),
        throughput("ipsec none none", 10.21, "128 MiB"),
    ]
    first, second, third = rows_of(ours)
    assert (first["published"], first["ratio"]) == (11.39, 1.0)
    assert re.search("128 MiB, .*16 MiB; delhaye2015 5.5-5.7", first["note"])
    assert second["deviation_percent"] == -50.0
    assert third["note"] == "delhaye2015 5.7"


def test_packet_sizes_join_rows_without_implementation_and_sum_up_the_others() -> None:
    suite = "openvpn aes-256-cbc sha256"
    shares = {"40-79 B": 0.5, "80-159 B": 33.5, "320-639 B": 0.25, "1280-2559 B": 65.75}
    ours = [
        figure("packet-sizes", suite, size, "frequency", share) for size, share in shares.items()
    ]
    rows = {row["parameter"]: row for row in rows_of(ours)}
    assert rows["80-159 B"]["published"] == 33.04
    assert rows["40-79 B"]["published"] is None
    assert (rows["other"]["value"], rows["other"]["published"]) == (0.75, 0.06)


def test_other_sizes_are_none_where_all_are_named_and_left_out_where_nothing_is_published() -> None:
    ours = [
        figure("packet-sizes", suite, "1280-2559 B", "frequency", 100.0)
        for suite in ("ipsec aes-256-cbc sha256", "none none none")
    ]
    other = [row for row in rows_of(ours) if row["parameter"] == "other"]
    assert [(row["protocol"], row["value"], row["published"]) for row in other] == [
        ("ipsec", 0.0, 0.74)
    ]


def test_no_figures_give_an_empty_comparison() -> None:
    assert beside_published([]) == []
    assert frame([]).is_empty()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot be read as published figures"),
        ("", "the columns are none"),
        ("a,b\n1,2\n", "the columns are a, b; allowed: table, experiment"),
        (
            ",".join(COLUMNS) + "\nx,y\n",
            "row 2 has 2 fields; allowed are 11",
        ),
    ],
)
def test_a_wrong_published_file_is_one_sentence(
    tmp_path: Path, text: str | None, message: str
) -> None:
    folder = tmp_path / "somebody2001"
    folder.mkdir()
    (folder / "study.toml").write_text('title = "t"\ncite = "c"\nsource = "s"\n')
    path = folder / "figures.csv"
    if text is not None:
        path.write_text(text)
    with pytest.raises(FiresteelError, match=message):
        load_published(tmp_path)


def _cell(completion: Completion = "adaptive", **changes: Any) -> Cell:
    return Cell(
        topology="host-host",
        profiles={"board": "socrates", "peer": "peer"},
        measured="board",
        protocol="ipsec",
        cipher="aes-256-cbc",
        mac="sha256",
        implementation="hardware",
        completion=completion,
        **changes,
    )


def test_a_variant_is_no_match_for_the_published_figure_unless_asked_for() -> None:
    ours = throughput("ipsec aes-256-cbc sha256", 5.8).model_copy(
        update={"implementation": "hardware"}
    )
    variant = ours.model_copy(update={"value": 2.9})
    habits = _cell(as_in_2015=("no-neon", "no-gro"))
    both = pl.concat([figures_frame([ours], _cell()), figures_frame([variant], habits)])
    comparison = compare(read_results(both))
    assert [each.ratio for each in comparison] == [1, None]
    assert comparison[1].note == ""
    assert titles.of_identity(comparison[1].identity) == (
        "IPsec AES-256-CBC:SHA-256, hardware with no-neon and no-gro"
    )
    assert [each.ratio for each in compare(read_results(both), variants=True)] == [1, 0.5]


def test_each_of_several_cpus_stands_beside_the_one_that_is_published() -> None:
    suite = ("ipsec aes-256-cbc sha256", "128 MiB")
    said = {"cpu": 40.0, "cpu0": 7.464, "cpu1": 37.32, "throughput": 6.47}
    figures = [figure("file-transfer", *suite, metric, value) for metric, value in said.items()]
    dual = _cell(affinity=Affinity(irq="0")).of_any_implementation
    comparison = compare(read_results(figures_frame(figures, dual)))
    assert [(each.metric, each.ratio) for each in comparison] == [
        *(("cpu", None), ("cpu0", 0.1), ("cpu1", 0.5), ("throughput", 1.0)),
    ]
    assert titles.of_identity(comparison[0].identity) == "IPsec AES-256-CBC:SHA-256, irq 0"


def test_each_completion_stands_beside_the_published_hardware() -> None:
    ours = throughput("ipsec aes-256-cbc sha256", 5.8).model_copy(
        update={"implementation": "hardware"}
    )
    other = throughput("ipsec none none", 10.21)
    frames = [figures_frame([other])]
    frames += [figures_frame([ours], _cell(completion)) for completion in ("adaptive", "irq")]
    comparison = compare(read_results(pl.concat(frames)))
    assert [each.ratio for each in comparison] == [1, 1, 1]
    assert [titles.of_identity(each.identity) for each in comparison] == [
        "IPsec none:none",
        "IPsec AES-256-CBC:SHA-256, hardware",
        "IPsec AES-256-CBC:SHA-256, hardware, irq",
    ]


def test_published_software_stands_beside_ours_as_installed_where_we_have_it() -> None:
    fast = throughput("ipsec aes-256-cbc sha256", 7.3)
    installed = fast.model_copy(update={"implementation": "software-as-installed", "value": 6.9})
    other = throughput("ipsec aes-256-cbc none", 10)
    beside = {
        (row["mac"], row["implementation"]): row["published"]
        for row in rows_of([fast, installed, other])
    }
    assert beside == {
        ("sha256", "software"): None,
        ("sha256", "software-as-installed"): 6.47,
        ("none", "software"): 8.83,
    }


def test_published_figures_know_one_software_which_is_ours_as_installed() -> None:
    fast = throughput("ipsec aes-256-cbc sha256", 7.3)
    installed = fast.model_copy(update={"implementation": "software-as-installed", "value": 6.9})
    hardware = fast.model_copy(update={"implementation": "hardware", "value": 11.4})
    other = throughput("ipsec aes-256-cbc none", 10)
    rows = as_published(beside_published([fast, installed, hardware, other]))
    assert [(each.identity.implementation, each.value, each.published) for each in rows] == [
        ("software", 6.9, 6.47),
        ("hardware", 11.4, 5.8),
        ("software", 10, 8.83),
    ]
    (cbc_none,) = as_published(beside_published([other]))
    assert (cbc_none.value, cbc_none.published) == (10, 8.83)
