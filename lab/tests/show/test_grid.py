# SPDX-License-Identifier: Apache-2.0
"""Tables on terminals of every width: a row's texts stay together as long as they can."""

import io
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest
from made_pairs import row
from made_results import results_in
from made_runs import results_of
from rich.console import Console

from firesteel.show.grid import Column, Grid, Mark
from firesteel.show.run import cost_grid, show_remarks

LONG = "OpenVPN AES-256-CBC:SHA-256, hardware through the kernel"


def plain(title: str, heads: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]]) -> Grid:
    columns = [Column(head) for head in ("", *heads)]
    return Grid(title, columns, [[label, *texts] for label, texts in rows])


SUMMARY = plain(
    "File transfer, 8 MiB over FTP, with SSH by scp",
    ("MB/s\nours", "MB/s\npubl.", "\nratio", "CPU %\nours", "CPU %\npubl.", "\nratio"),
    [
        ("no tunnel", ["11.74", "11.39", "1.03", "13.6", "7.2", "1.90"]),
        ("OpenVPN AES-256-CBC:SHA-256, hardware", ["6.50", "2.84", "2.29", "99.1", "80.9", "1.22"]),
    ],
)


def printed(grid: Grid, width: int) -> list[str]:
    out = io.StringIO()
    grid.show(Console(file=out, width=width))
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    assert not any("…" in line for line in lines)
    return [line.rstrip() for line in lines]


@pytest.mark.parametrize("width", [66, 70, 79, 80, 86, 100, 140])
def test_a_row_keeps_all_its_figures_beside_its_label(width: int) -> None:
    lines = printed(SUMMARY, width)
    assert lines.count(SUMMARY.title) == 1
    for label, *cells in SUMMARY.rows:
        (line,) = [line for line in lines if line.startswith(str(label).split()[0])]
        assert line.split()[-len(cells) :] == cells


def test_columns_stand_closer_before_labels_are_broken() -> None:
    label = str(SUMMARY.rows[1][0])
    assert f"{label}    6.50    2.84" in "\n".join(printed(SUMMARY, 86))
    assert f"{label}   6.50   2.84" in "\n".join(printed(SUMMARY, 80))
    broken = printed(SUMMARY, 70)
    assert label not in "\n".join(broken)
    assert broken[-2] == "  hardware", "a further line is indented, below the figures"


def test_heads_stand_above_the_line_whatever_lines_they_have() -> None:
    lines = printed(plain("t", ("one", "of\nthree\nlines"), [("a", ["1", "2"])]), 80)
    assert [line.split() for line in lines[1:4]] == [["of"], ["three"], ["one", "lines"]]


def test_what_does_not_fit_is_cut_into_tables_that_all_have_the_labels() -> None:
    sizes = [f"{1 << power} B" for power in range(4, 18)]
    figures = [f"{number}.25" for number in range(len(sizes))]
    lines = printed(plain("Sizes", sizes, [(LONG, figures), ("no tunnel", figures)]), 80)
    tables = lines.count("Sizes")
    assert tables > 1
    rows = [line.split()[2:] for line in lines if line.startswith("no tunnel")]
    assert len(rows) == tables
    assert [text for row in rows for text in row] == figures
    assert sum(line.startswith("OpenVPN ") for line in lines) == tables


def test_a_word_is_never_broken() -> None:
    name = "a_function_whose_name_has_no_spaces_in_it"
    lines = printed(plain("Long", ("1234567890",) * 4, [(f"{name} [libcrypto]", ["1"] * 4)]), 80)
    assert any(name in line for line in lines)


GROUPED = Grid.of(
    "Rates",
    [
        {"row": "a heading"},
        {"row": "one", "MB/s at least|ours": "1.0", "MB/s at least|ratio": Mark("2", "bad")},
        {"row": "two", "MB/s at least|ours": "3.0", "note": "long [words]"},
    ],
    wordy=("note",),
    page_only=("MB/s at least|ratio", "ratio"),
)


def test_columns_of_a_group_have_a_common_head_and_missing_texts_a_dash() -> None:
    assert GROUPED
    assert GROUPED.groups == [("MB/s at least", 2), ("", 1)]
    assert [str(text) for text in GROUPED.rows[1]] == ["one", "1.0", "2", "–"]
    assert GROUPED.columns[3].wordy
    assert GROUPED.count == 2, "without the heading"
    assert Grid.of("Nothing", []) is None
    assert Grid.of("Headings", [{"row": "alone"}]) is None


def test_a_terminal_leaves_out_what_only_a_page_has_room_for() -> None:
    assert GROUPED
    lines = printed(GROUPED, 80)
    assert "ratio" not in "".join(lines)
    assert "a heading" in lines
    assert lines[-2].split() == ["two", "3.0", "long", "[words]"]


def test_sentences_are_broken_before_a_table_is() -> None:
    said = ["left to software, costs 1.8 %; speed 0.962 to 1.003; CPU work 0.990", "helps"]
    rows = [
        {"": f"{LONG} {size} B", "speed": "1.01", "verdict": text}
        for size, text in zip((64, 128), said, strict=True)
    ]
    grid = Grid.of("t", rows, wordy=("verdict",))
    assert grid
    lines = printed(grid, 100)
    assert lines.count("t") == 1
    at = lines[1].index("verdict")
    assert [line[at:] for line in lines[3:-1]] == [
        "left to software, costs",
        "1.8 %; speed 0.962 to 1.003;",
        "CPU work 0.990",
        "helps",
    ]


def test_heads_are_broken_before_labels_are() -> None:
    grid = plain("", ["a head of many words that is long"] * 3, [("x" * 30, ["1"] * 3)])
    assert any(line.startswith("x" * 30) for line in printed(grid, 60))


def test_files_that_came_by_another_way_have_a_row_of_their_own() -> None:
    told = [("16 MiB", 9.0), ("16 MiB, by http", 8.0)]
    rows = [row("throughput", value, parameter=at) for at, value in told]
    grid = cost_grid(results_in(pl.DataFrame(rows)))
    assert grid is not None
    assert grid.rows == [["IPsec AES-256-GCM", "9.00"], ["IPsec AES-256-GCM, by http", "8.00"]]


def test_cells_that_have_no_figures_are_named(tmp_path: Path) -> None:
    results = results_of(tmp_path, fail=["openvpn aes-256-cbc:none software"])
    results.journal.entries[0].state = "waiting"
    shown = Console(width=80, record=True)
    show_remarks(shown, results)
    text = shown.export_text()
    assert "failed: OpenVPN AES-256-CBC:none: " in text
    assert "not measured: no tunnel" in text


def test_rows_without_names_are_shown_on_every_width() -> None:
    grid = plain("t", ["one", "two"], [("", ["1.25", "two"]), ("", ["3.5", "four"])])
    for width in (20, 80, 100):
        assert "3.5" in "\n".join(printed(grid, width))
