# SPDX-License-Identifier: Apache-2.0
"""The answer: kinds of traffic that count alike, and one source for all who tell it."""

import io
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from made_pairs import both, found, row
from made_runs import results_of
from rich.console import Console

from firesteel.judge.advice import answer as answers
from firesteel.judge.advice.answer import answer_of, answer_of_pairs, kinds
from firesteel.judge.verdict import Offload
from firesteel.show.report.offload import kinds_grid
from firesteel.show.report.write import render
from firesteel.show.run import show_end
from firesteel.store.store import Store

WORK = "cpu_seconds_per_mb"


def unsure(pairs: list[Offload]) -> Offload:
    """The one row, whose speed may be off by half."""
    (pair,) = pairs
    return replace(pair, judged=replace(pair.judged, speed_margin=0.5))


def sentences(pairs: list[Offload]) -> list[str]:
    return [each for paragraph in answer_of_pairs(pairs).paragraphs for each in paragraph]


def pings(hardware: float, sizes: int, **more: Any) -> list[dict[str, Any]]:
    return [
        each
        for size in range(sizes)
        for each in both(
            "rtt_mean", 1.0, hardware, experiment="ping", parameter=f"{size} B", **more
        )
    ]


def test_a_kind_counts_once_however_many_rows_it_has() -> None:
    slower = found(*pings(1.2, sizes=12))
    faster = found(*both("throughput", 5.0, 10.0), *both("throughput", 5.0, 6.0, protocol="ssh"))
    answer = answer_of_pairs(slower + faster)
    assert [kind.verdict for kind in answer.kinds] == ["loses", "helps", "helps"]
    name = "IPsec AES-256-GCM at"
    assert answer.headline == (
        f"Mostly, but offload loses in 12 of 14 rows ({name} 0 B, {name} 1 B, {name} 2 B and 9 "
        "more). Offload helps 2 of 3 kinds of traffic."
    )
    grid = kinds_grid(answer)
    assert grid
    assert grid.rows[0][0] == "Flood ping, IPsec", "those that lose come first"


@pytest.mark.parametrize(
    ("pairs", "headline"),
    [
        (found(*pings(0.5, 2)), "Yes: offload helps 1 of 1 kind .*in none of "),
        (
            found(*both("throughput", 5.0, 4.0)),
            r"No: offload loses in 1 of 1 row \(.*\) and helps none of 1 kind ",
        ),
        (
            found(*pings(1.0, 1), *both("throughput", 5.0, 5.0)),
            "No: offload helps none of 2 kinds .*in none of ",
        ),
        (
            found(*pings(0.5, 1), *both("throughput", 5.0, 5.0)),
            "Partly: offload helps 1 of 2 kinds .*in none of ",
        ),
        (
            found(*pings(0.5, 1), *both("throughput", 5.0, 6.0), *both(WORK, 1.0, 2.0)),
            "Partly: offload is mixed in 1 of 2 rows and helps 1 of 2 kinds ",
        ),
        (
            found(
                *pings(0.5, 1),
                *both("throughput", 5.0, 10.0),
                *both("throughput", 5.0, 5.0, protocol="ssh"),
            ),
            "Mostly: offload helps 2 of 3 kinds .*in none of ",
        ),
        (
            found(
                *pings(0.5, 1),
                *both("throughput", 5.0, 6.0),
                *both(WORK, 1.0, 2.0),
                *both("throughput", 5.0, 10.0, protocol="ssh"),
            ),
            "Mostly, but offload is mixed in 1 of 3 rows. Offload helps 2 of 3 kinds ",
        ),
        (
            [unsure(found(*both("throughput", 5.0, 6.0)))],
            "Not shown: offload helps none of 1 kind .*in none of ",
        ),
        (
            found(
                *both("throughput", 1.0, 4.0, parameter="1 MiB"),
                *both("throughput", 1.0, 0.8, parameter="2 MiB"),
            ),
            r"Partly: offload loses in 1 of 2 rows \(.*\) and helps none of 1 kind ",
        ),
        (
            [
                *found(*both("throughput", 5.0, 4.0)),
                unsure(found(*both("throughput", 5.0, 6.0, protocol="ssh"))),
            ],
            r"Not shown: offload loses in 1 of 2 rows \(.*\), is inconclusive in 1 and helps none ",
        ),
        ([], "Nothing was measured"),
    ],
)
def test_the_headline_counts_kinds(pairs: list[Offload], headline: str) -> None:
    assert re.match(headline, answer_of_pairs(pairs).headline)


def test_a_kind_that_was_left_to_software_does_not_help() -> None:
    (pair,) = found(*both("throughput", 5.0, 10.0))
    left = replace(pair, judged=replace(pair.judged, offloaded=0.0))
    one, two = (kind for those in ([pair], [left]) for kind in kinds(those))
    assert (one.verdict, two.verdict) == ("helps", "inconclusive")
    (both_ways,) = kinds([pair, left])
    assert both_ways.verdict == "helps"


def test_ratios_of_a_kind_are_geometric_means() -> None:
    rows = [
        *both("throughput", 1.0, 4.0, parameter="1 MiB"),
        *both("throughput", 1.0, 0.25, parameter="2 MiB"),
    ]
    (kind,) = kinds(found(*rows))
    assert [gain.value for gain in kind.gains] == pytest.approx([1.0, 1.0])


def test_best_and_worst_are_named() -> None:
    pairs = found(
        *both("throughput", 5.0, 10.0),
        *both("throughput", 5.0, 5.5, protocol="ssh"),
        *both("throughput", 5.0, 4.0, protocol="openvpn"),
    )
    told = sentences(pairs)
    assert told[0] == "Of 3 rows: 1 loses, 2 gain."
    worst, best, fastest = told[1:]
    assert re.match("Best: IPsec .*2.00×", best)
    assert re.match("Worst: OpenVPN .*0.80×, loses", worst)
    assert fastest == "Fastest files: IPsec AES-256-GCM, 5.00 → 10.00 MB/s."


def test_a_row_that_is_best_and_worst_of_several_is_the_fastest() -> None:
    cheaper = [*both(WORK, 1.0, 0.5, protocol="ssh"), *both("throughput", 5.0, 6.0, protocol="ssh")]
    pairs = found(*both("throughput", 5.0, 10.0), *cheaper)
    fastest = "Fastest: IPsec AES-256-GCM, 16 MiB: speed 2.00×."
    assert sentences(pairs)[:2] == ["Of 2 rows: 2 gain.", fastest]


def test_the_answer_says_where_the_link_hides_gains() -> None:
    rows = [*both("throughput", 5.0, 9.6), *both("throughput", 5.0, 9.4, protocol="ssh")]
    clear = [row("throughput", 10.0, **NONE), row("cpu", 50.0, **NONE)]
    told = sentences(found(*rows, *clear))
    assert "1 of 2 file transfers" in told[-1]
    for those in (rows, [*rows, clear[0], clear[1] | {"value": 99.0}]):
        told = sentences(found(*those))
        assert not any("link" in sentence for sentence in told)


def test_the_answer_has_rates_and_the_share_of_the_link() -> None:
    use = [row("link_use", value, way) for value, way in ((51.0, "software"), (98.0, "hardware"))]
    pairs = found(*both("throughput", 5.0, 9.6), *use, row("throughput", 10.0, **NONE))
    link = "The link (98 % full at 9.60 MB/s) hides gains in 1 of 1 file transfers"
    assert sentences(pairs)[-1] == f"{link}: IPsec AES-256-GCM."


NONE = {"protocol": "none", "cipher": "none", "mac": "none"}
SLOW, FAST = {"link": ""}, {"link": "1 Gbit/s"}


def over_both_links(hardware: float) -> list[dict[str, Any]]:
    """Rows that the slow link bounds, and one of them over a fast one."""
    return [
        *both("throughput", 5.0, 9.6, **SLOW),
        *both("throughput", 5.0, 9.7, cipher="aes-256-cbc", mac="none", **SLOW),
        row("throughput", 10.0, **NONE, **SLOW),
        *both("throughput", 6.0, hardware, **FAST),
        row("throughput", 100.0, **NONE, **FAST),
    ]


def test_the_answer_says_what_rows_gain_where_the_link_does_not_hide_it() -> None:
    pairs = found(*over_both_links(30.0))
    answer, (link, faster) = answer_of_pairs(pairs), sentences(pairs)[-2:]
    assert link.startswith("The link hides gains in 2 of 2 file transfers: IPsec AES-256-GCM, ")
    assert faster == "Faster link: IPsec AES-256-GCM [1 Gbit/s] 5.00× (was 1.92×)."
    assert len(answer.pairs) == 2
    assert len(answer.kinds) == 1, "a row over several links counts once"


def test_the_end_of_a_run_fits_25_lines_of_80_columns(tmp_path: Path) -> None:
    console = Console(file=(out := io.StringIO()), width=80)
    show_end(console, results_of(tmp_path, experiment="openvpn"), Path("/report.html"))
    lines = out.getvalue().splitlines()
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 80
    assert lines[-1] == "/report.html"


def test_a_quick_run_is_marked_and_followed_by_the_recorded_answer_of_all_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "RECORDED", tmp_path / "recorded")
    quick = results_of(tmp_path, lambda cell: cell.cipher != "aes-256-gcm", experiment="openvpn")
    rows = len(answer_of(quick).pairs)
    assert f" (quick: {rows} rows): " in answer_of(quick).headline
    failed = ["openvpn aes-256-cbc:none hardware"]
    other = tmp_path / "recorded"
    results_of(other, fail=failed, experiment="openvpn", quick=False)
    results_of(other, clock="flat", experiment="openvpn", quick=False)
    results_of(other, lambda cell: cell.mac == "sha256", experiment="openvpn", quick=False)
    part = results_of(other, experiment="openvpn", quick=False).journal
    chosen = part.model_copy(update={"options": (("--only", "protocol=openvpn"),)})
    Store(other).save(chosen)
    told = "one is incomplete, one on another clock, one has too few rows, one has chosen rows"
    assert answer_of(quick).recorded is None, told
    monkeypatch.setattr(answers, "RECORDED", tmp_path / "whole")
    whole = results_of(tmp_path / "whole", experiment="openvpn", quick=False)
    answer, every = answer_of(quick), len(answer_of(whole).pairs)
    assert every > rows
    assert f" (quick: {rows} of {every} rows): " in answer.headline
    assert answer.recorded
    told = answer.recorded.headline
    assert told.replace(f" (recorded: all {every} rows)", "") == answer_of(whole).headline
    assert f'<p class="lead">{told}</p>' in render(quick)
    console = Console(file=(out := io.StringIO()), width=200)
    show_end(console, quick, Path("/report.html"))
    assert f"{answer.headline} {told} " in " ".join(out.getvalue().split())


def test_rows_that_lose_are_named_and_count_once_over_any_link() -> None:
    slow, fast = {"link": ""}, {"link": "1 Gbit/s"}
    pairs = found(
        *both("throughput", 5.0, 6.0, **slow),
        *both("throughput", 5.0, 4.0, **fast),
        *both("throughput", 5.0, 3.0, cipher="aes-256-cbc", mac="none", **slow),
        *both("throughput", 5.0, 3.5, cipher="aes-256-cbc", mac="none", **fast),
    )
    told = answer_of_pairs(pairs).headline
    first, second = "IPsec AES-256-CBC:none at 16 MiB", r"IPsec AES-256-GCM \[1 Gbit/s\] at 16 MiB"
    assert re.match(rf"No: offload loses in 2 of 2 rows \({first}, {second}\) and helps none", told)
