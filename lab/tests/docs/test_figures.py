# SPDX-License-Identifier: Apache-2.0
"""Figures in pages come from records: what a page asks for, and that every page has it."""

import re
import tomllib
from pathlib import Path

import polars as pl
import pytest
from made_runs import results_of
from made_sensitivity import by_registers, run_of, study_of

from firesteel.analysis.results import load_results
from firesteel.base.checkout import CHECKOUT, RECORDED
from firesteel.base.errors import FiresteelError
from firesteel.board.result import LARGE_FRAME
from firesteel.store.record import FORMAT
from firesteel.store.store import Store
from tools import figures
from tools.__main__ import main
from tools.figures import ASKED, DOCS, pages, rendered

MADE_OTHERWISE = ("fidelity.md", "driver-faults.md")
"""Pages that another command writes as a whole, or in part (`scripts/fault-matrix.sh`)."""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store with one run, `tunnels`."""
    directory = tmp_path_factory.mktemp("recorded")
    results = results_of(directory, lambda cell: cell.cipher != "none", experiment="openvpn")
    store = Store(directory)
    store.save(results.journal.model_copy(update={"name": "tunnels"}))
    return store


def said(asked: str, store: Store) -> str:
    """What stands in a sentence."""
    head = f"It is <!-- {{{{ {asked} }}}} -->"
    text = rendered(f"{head}?<!--/-->.", store)
    assert text.startswith(head)
    assert text.endswith("<!--/-->.")
    return text.removeprefix(head).removesuffix("<!--/-->.")


def filled(asked: str, store: Store) -> list[str]:
    """The lines between the two comments."""
    head = f"<!-- {{{{ {asked} }}}} -->"
    lines = rendered(f"before\n{head}\nstale\n<!--/-->\nafter\n", store).splitlines()
    assert (lines[0], lines[1], lines[-2:]) == ("before", head, ["<!--/-->", "after"])
    return lines[2:-2]


@pytest.mark.parametrize("path", pages(), ids=lambda path: str(path.relative_to(CHECKOUT)))
def test_every_page_has_the_recorded_figures(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert rendered(text) == text, "scripts/figures.sh write"


def test_no_throughput_or_ratio_is_typed_into_a_page() -> None:
    typed = re.compile(
        r"\d ?(?:MB/s|s/MB|×|times software)|(?:\d|ten|hundred) times (?:as|faster|slower)"
    )
    found = [
        f"{path.relative_to(CHECKOUT)}: {line.strip()}"
        for path in pages()
        if path.name not in MADE_OTHERWISE
        for line in ASKED.sub("", path.read_text(encoding="utf-8")).splitlines()
        if typed.search(line)
    ]
    assert found == []


def test_windows_of_handshakes_are_told_as_the_experiment_has_them() -> None:
    experiment = tomllib.loads((CHECKOUT / "experiments/tls.toml").read_text(encoding="utf-8"))
    whole = experiment["handshakes"]["seconds"]["openvpn"]
    quick = experiment["handshakes"]["quick"]["seconds"]["openvpn"]
    page = " ".join((DOCS / "programs.md").read_text(encoding="utf-8").split())
    assert f"at least {quick} s of them with `--quick`, {whole} s without" in page


@pytest.mark.skipif(
    not {"tls", "tls-whole"} <= set(Store(RECORDED).run_names()), reason="not recorded yet"
)
def test_quick_windows_of_handshakes_give_what_full_ones_give() -> None:
    """As docs/programs.md says it, with the exceptions that it names."""
    figure = ["experiment", "protocol", "implementation", "parameter", "metric"]
    quick, whole = (
        load_results(Store(RECORDED), run).spread.filter(
            pl.col("metric").is_in(["connections", "cpu_seconds_per_connection", "connection_time"])
        )
        for run in ("tls", "tls-whole")
    )
    uneven = whole.filter(~pl.col("converged")).select(figure[1:]).rows()
    assert uneven == [("openvpn", "hardware", "rsa-1024", "connections")]
    both = quick.join(whole, on=figure, suffix="_whole", validate="1:1")
    assert len(both) == len(quick) == len(whole)
    apart, outside = set(), set()
    for row in both.iter_rows(named=True):
        where = " ".join(row[key] for key in figure[1:])
        full, is_time = row["value_whole"], row["metric"] == "connection_time"
        assert row["value"] == pytest.approx(full, rel=0.06), where
        if row["value"] != pytest.approx(full, rel=0.01 if is_time else 0.02):
            apart.add(where)
        if not is_time and not row["ci95_low"] <= full <= row["ci95_high"]:
            outside.add(where)
    idle = {
        f"openvpn {at} cpu_seconds_per_connection"
        for at in ("software rsa-1024", "hardware rsa-1024", "hardware rsa-2048")
    }
    assert apart == {*idle, "nginx software ecdsa-p256 connection_time"}
    assert outside == {*idle, "nginx software ecdsa-p256 cpu_seconds_per_connection"}


def test_the_page_on_records_has_the_numbers_of_the_code() -> None:
    page = (DOCS / "reference" / "record.md").read_text(encoding="utf-8")
    assert f"| `format` | {FORMAT}; a newer one is refused" in page
    assert f'`{{"format": {FORMAT}, "seed": …' in page
    assert f"when frames of {LARGE_FRAME} bytes and more arrived" in page


def test_no_link_between_pages_of_the_checkout_is_dead() -> None:
    dead = [
        f"{path.relative_to(CHECKOUT)}: {target}"
        for path in pages()
        for target in re.findall(r"\]\(([^)#\s]+)[^)\s]*\)", path.read_text(encoding="utf-8"))
        if "://" not in target and not (path.parent / target).exists()
    ]
    assert dead == []


def test_a_command_is_run_on_the_records(recorded: Store) -> None:
    lines = filled('run("show tunnels --part answer")', recorded)
    assert lines[0] == lines[-1] == "```"
    assert lines[1].startswith("Does offload help? ")
    assert max(map(len, lines)) <= 80


def test_a_part_of_an_output_is_chosen_by_its_lines(recorded: Store) -> None:
    part = 'start="Flood ping: mean RTT", until="Flood ping: RTT p50"'
    lines = filled(f'run("show tunnels", {part})', recorded)
    assert lines[1].startswith("Flood ping: mean RTT")
    assert not any("p50" in line for line in lines)


def test_a_table_has_software_and_hardware_side_by_side(recorded: Store) -> None:
    asked = 'table("tunnels", experiment="file-transfer", metric="throughput")'
    lines = filled(asked, recorded)
    assert lines[0].startswith("| configuration | throughput, MB/s: software | hardware | ratio |")
    assert len(lines) == 2 + 3
    software, hardware, ratio = lines[2].split(" | ")[1:]
    assert float(ratio.rstrip(" |×")) == pytest.approx(float(hardware) / float(software), abs=0.01)


def test_a_table_may_have_a_column_for_each_size(recorded: Store) -> None:
    asked = 'table("tunnels", experiment="ping", metric="rtt_mean", by="parameter")'
    lines = filled(asked, recorded)
    assert lines[0] == "| mean RTT, ms | 56 B | 1000 B | 8000 B | 16000 B |"
    assert len(lines) == 2 + 6


def test_columns_of_sizes_need_a_table_for_each_metric(recorded: Store) -> None:
    asked = 'table("tunnels", experiment="ping", metric="rtt_mean,rtt_p50", by="parameter")'
    lines = filled(asked, recorded)
    empty = lines.index("")
    assert lines[0].startswith("| mean RTT, ms |")
    assert lines[empty + 1].endswith("| 16000 B |")
    assert lines[empty + 1] != lines[0]
    assert len(lines[empty + 1 :]) == empty


def test_a_figure_stands_in_a_sentence(recorded: Store) -> None:
    where = '"tunnels", mac="sha256", experiment="ping", metric="rtt_mean", at="56 B"'
    software, hardware = (
        float(said(f'value({where}, implementation="{name}")', recorded))
        for name in ("software", "hardware")
    )
    assert software > 0
    ratio = float(said(f"ratio({where})", recorded))
    assert ratio == pytest.approx(hardware / software, abs=0.02)
    assert said(f'ratio({where}, implementation="hardware", over="tunnels")', recorded) == "1.00"


def test_a_page_says_what_figures_are_worth(recorded: Store, tmp_path: Path) -> None:
    (told,) = filled('method("tunnels")', recorded)
    assert told.startswith("> Virtual time approximates cycles on the board socrates: ")
    results = results_of(tmp_path, lambda cell: cell.protocol == "none", clock="flat")
    (told,) = filled(f'method("{results.journal.name}")', Store(tmp_path))
    assert told.startswith("> Virtual time counts instructions, not cycles: ")


def test_pages_say_what_their_runs_count() -> None:
    for page, run in (("driver", "thesis"), ("programs", "openvpn"), ("profiles", "gcm-neon")):
        text = " ".join((DOCS / f"{page}.md").read_text(encoding="utf-8").split())
        assert re.search(r"time\]\(virtual-time.md\),? (?:which )?counts approximate cycles", text)
        assert set(load_results(Store(RECORDED), run).clocks.values()) == {"cycles"}


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ('table("tunnels", experiment="nonsense", metric="throughput")', "has no such figures"),
        ('table("tunnels", colour="red", metric="throughput")', "figures have no `colour`"),
        ('table("other", metric="throughput")', "There is no run `other`"),
        ('table("tunnels")', "missing 1 required positional argument: 'metric'"),
        ('tabel("tunnels", metric="throughput")', "'tabel' is undefined"),
        ('table("tunnels", metric="throughput"', "unexpected"),
        ('run("show other")', "There is no run `other`"),
        ('run("show tunnels", start="nonsense")', "no line of the output has `nonsense`"),
        ('code("tunnels")', "has no profiles"),
        ('method("other")', "There is no run `other`"),
    ],
)
def test_what_there_is_not_is_an_error(asked: str, problem: str, recorded: Store) -> None:
    with pytest.raises(FiresteelError, match=problem) as caught:
        filled(asked, recorded)
    assert str(caught.value).startswith(f"`{asked}`: ")


@pytest.mark.parametrize(
    "text",
    [
        '<!-- {{ value("tunnels") }} -->an answer without an end',
        '<!-- {{ value("tunnels") -->?<!--/-->',
        '<!-- {{ value("tunnels") }} -->no end <!-- {{ value("tunnels") }} -->?<!--/-->',
    ],
)
def test_a_comment_that_is_not_whole_is_an_error(text: str, recorded: Store) -> None:
    with pytest.raises(FiresteelError, match="allowed is"):
        rendered(text, recorded)


def test_a_mistake_in_a_page_is_said_with_the_page(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "README.md"
    page.write_text("<!-- {{ valu() }} -->?<!--/-->")
    monkeypatch.setattr(figures, "CHECKOUT", tmp_path)
    monkeypatch.setattr(figures, "DOCS", tmp_path / "docs")
    assert main(["check"]) == 1
    assert capsys.readouterr().err == "firesteel: README.md: `valu()`: 'valu' is undefined\n"


def test_a_run_that_is_not_recorded_yet_is_said_so(recorded: Store) -> None:
    (line,) = filled('run("answer thesis")', recorded)
    assert "`scripts/figures.sh measure thesis`" in line
    assert filled('run("advise --protocol openssl", needs="thesis")', recorded) == [line]
    assert filled('table("thesis", metric="throughput")', recorded) == [line]
    assert filled('ratio("tunnels", over="thesis", metric="cpu", at="x")', recorded) == [line]


def test_a_study_says_which_verdicts_change(recorded: Store, tmp_path: Path) -> None:
    assert filled('study("tunnels")', recorded) == [
        "*Not recorded yet: `scripts/figures.sh measure tunnels-sensitivity`.*"
    ]
    run = run_of(tmp_path, by_registers)
    study_of(tmp_path, "register-access", gain=by_registers)
    lines = filled(f'study("{run}")', Store(tmp_path))
    assert lines[1].startswith("0 of 5 verdicts hold over the whole range")
    assert any("makes no difference" in line for line in lines)


def test_a_figure_must_be_one(recorded: Store) -> None:
    asked = 'experiment="file-transfer", metric="cpu", implementation="software"'
    with pytest.raises(FiresteelError, match="3 figures"):
        said(f'value("tunnels", {asked})', recorded)
