# SPDX-License-Identifier: Apache-2.0
"""What was measured in two places stays apart, in tables, pairs and beside published figures."""

from pathlib import Path

import pytest
from made_runs import results_of

from firesteel.base.checkout import RECORDED
from firesteel.base.errors import RequestError
from firesteel.judge.changes import changes
from firesteel.judge.changes import frame as changes_frame
from firesteel.judge.compare import compare, frame
from firesteel.judge.pairing import pair
from firesteel.judge.results import Results, load_results, of_records
from firesteel.judge.verdict import offloads
from firesteel.model.cell import Cell
from firesteel.show.report.write import render
from firesteel.store.store import Store
from firesteel.table import WHERE

ELSEWHERE: tuple[dict[str, object], ...] = (
    {"topology": "gateway-host"},
    {"measured": "peer"},
    {"profiles": {"board": "socrates-hash", "peer": "peer"}},
    {"link_rate_bit_s": 1_000_000_000},
)


def moved(results: Results, change: dict[str, object]) -> Results:
    """The run with each cell once more, somewhere else."""
    records = []
    for record in results.records:
        cell = record.cell.model_copy(update=change)
        records.append(record.model_copy(update={"cell": cell}))
    entries = [
        entry.model_copy(update={"cell": record.cell})
        for entry, record in zip(results.journal.entries, records, strict=True)
    ]
    journal = results.journal.model_copy(update={"entries": results.journal.entries + entries})
    return of_records(journal, [*results.records, *records])


def _is_gcm(cell: Cell) -> bool:
    return (cell.protocol, cell.cipher) == ("openvpn", "aes-256-gcm")


@pytest.mark.parametrize("change", ELSEWHERE)
def test_rows_of_two_places_differ_in_that(tmp_path: Path, change: dict[str, object]) -> None:
    alone = results_of(tmp_path, _is_gcm, experiment="openvpn")
    both = moved(alone, change)
    tables = {
        "show": (alone.tidy, both.tidy),
        "report": (alone.with_boards.drop("board"), both.with_boards),
        "compare": (frame(compare(alone.means)), frame(compare(both.means))),
        "runs": tuple(
            changes_frame(changes(each, each, pair(each, each))) for each in (alone, both)
        ),
    }
    for name, (of_one, of_both) in tables.items():
        assert not set(WHERE) & set(of_one.columns), name
        assert set(WHERE) <= set(of_both.columns), name
        assert of_both.height == 2 * of_one.height, name
        measured = ("value", "before", "after")
        assert not of_both.drop(measured, strict=False).is_duplicated().any(), name


@pytest.mark.parametrize("change", ELSEWHERE)
def test_pairs_are_of_one_place(tmp_path: Path, change: dict[str, object]) -> None:
    alone = results_of(tmp_path, _is_gcm, experiment="openvpn")
    both = moved(alone, change)
    pairs = offloads(both.means)
    assert len(pairs) == 2 * len(offloads(alone.means)) > 0
    for each in pairs:
        assert each.identity.where == each.pair.one.identity.where
    assert render(both), "labels may be the same, rows are not"
    software = [each for each in both.means[: len(alone.means)] if not each.identity.completion]
    there = [each for each in both.means[len(alone.means) :] if each.identity.completion]
    assert offloads([*software, *there]) == []


def test_a_run_is_compared_with_one_of_more_places(tmp_path: Path) -> None:
    alone = results_of(tmp_path, _is_gcm, experiment="openvpn")
    count = len(alone.records)
    for change in ELSEWHERE:
        both = moved(alone, change)
        pairing = pair(alone, both)
        assert len(pairing.cells) == len(pairing.only_after) == count
        assert all(name.endswith("]") for name in pairing.only_after)
        entries = both.journal.entries[count:]
        journal = both.journal.model_copy(update={"entries": entries})
        elsewhere = of_records(journal, both.records[count:])
        if "measured" in change:
            with pytest.raises(RequestError, match="OpenVPN AES-256-GCM .* `board` and at `peer`"):
                pair(alone, elsewhere)
        else:
            assert {cell.boards.are_same for cell in pair(alone, elsewhere).cells} == {False}


def test_a_sweep_over_several_boards_names_each() -> None:
    told = load_results(Store(RECORDED), "cpus-sizes").measured_on
    boards = [each.partition(":")[0] for each in told]
    assert boards == ["socrates", "gateway-a53-plain", "gateway-a53"]
