# SPDX-License-Identifier: Apache-2.0
"""Figures in pages come from records: what a page asks for, and that every page has it."""

import re
from pathlib import Path

import pytest
from made_runs import results_of
from made_sensitivity import by_registers, run_of, study_of
from made_up import put

from firesteel.base.checkout import CHECKOUT, RECORDED
from firesteel.base.errors import FiresteelError
from firesteel.judge import spread
from firesteel.judge.results import load_results
from firesteel.judge.robustness import robustness_of
from firesteel.judge.verdict import RowVerdict, answering, worst_first
from firesteel.model.names import MISSING
from firesteel.show.report.offload import verdicts_grid
from firesteel.store.store import Store
from tools import figures
from tools.__main__ import main
from tools.figures import ASKED, DOCS, pages, rendered

MADE_OTHERWISE = ("fidelity.md",)
"""Pages that another command writes."""


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


def test_the_first_page_is_short() -> None:
    text = (CHECKOUT / "README.md").read_text(encoding="utf-8")
    assert len(re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL).split()) <= 1000


def test_all_pages_together_are_short() -> None:
    words = sum(len(path.read_text(encoding="utf-8").split()) for path in DOCS.rglob("*.md"))
    assert words <= 75_000


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
    part = 'start="Flood ping: mean RTT", until="Flood ping: RTT p50"'
    lines = filled(f'run("show tunnels", {part})', recorded)
    assert lines[1].startswith("Flood ping: mean RTT")
    assert not any("p50" in line for line in lines)


def test_a_table_has_software_and_hardware_side_by_side(recorded: Store) -> None:
    asked = 'table("tunnels", experiment="file-transfer", metric="throughput")'
    lines = filled(asked, recorded)
    assert lines[0].startswith("| configuration | throughput, MB/s: software | hardware | ratio |")
    assert len(lines) == 2 + 3
    software, hardware, ratio = (text.split()[0] for text in lines[2].split(" | ")[1:])
    assert float(ratio.rstrip(" |×")) == pytest.approx(float(hardware) / float(software), abs=0.01)


def test_verdicts_mark_what_was_left_to_software(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 'verdicts("scaling", left="†")'
    assert "†" not in said(asked, Store(RECORDED))
    monkeypatch.setattr(RowVerdict, "left_to_software", True)
    assert all("×†" in line for line in said(asked, Store(RECORDED)).splitlines()[2:])


def test_verdicts_of_several_boards_may_be_those_with_a_number_of_cpus() -> None:
    def titles(asked: str) -> list[str]:
        return said(asked, Store(RECORDED)).splitlines()[0].strip(" |").split(" | ")[1:]

    one, four = (titles(f'verdicts("scaling", cpus="{count}")') for count in (1, 4))
    assert one
    assert four
    assert not set(one) & set(four)
    assert set(one) | set(four) == set(titles('verdicts("scaling")'))
    with pytest.raises(FiresteelError, match="`scaling` has no pairs"):
        said('verdicts("scaling", cpus="3")', Store(RECORDED))


def test_traffic_that_needs_no_core_is_named_by_board(
    recorded: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(FiresteelError, match="no traffic that needs no core"):
        said('unneeded("tunnels")', recorded)
    monkeypatch.setattr(RowVerdict, "verdict", "equal")
    assert said('unneeded("tunnels")', recorded).startswith("on `socrates` for OpenVPN AES-256-")


def test_a_table_may_have_a_column_for_each_size(recorded: Store) -> None:
    asked = 'table("tunnels", experiment="ping", metric="rtt_mean,rtt_p50", by="parameter")'
    lines = filled(asked, recorded)
    empty = lines.index("")
    assert lines[0] == "| mean RTT, ms | 56 B | 1000 B | 8000 B | 16000 B |"
    assert lines[empty + 1].endswith("| 16000 B |")
    assert lines[empty + 1] != lines[0]
    assert len(lines[empty + 1 :]) == empty == 2 + 6


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


def test_a_page_says_in_what_runs_differ_before_it_compares_them(recorded: Store) -> None:
    quick = recorded.journal("tunnels")
    recorded.save(quick.model_copy(update={"name": "whole", "quick": not quick.quick}))
    where = '"tunnels", mac="sha256", experiment="ping", metric="rtt_mean", at="56 B"'
    ratio = f'ratio({where}, implementation="hardware", over="whole")'
    with pytest.raises(FiresteelError, match=r"differ in: settings .*below `differences\("):
        said(ratio, recorded)
    value = f'<!-- {{{{ value({where}, implementation="hardware") }}}} -->?<!--/-->'
    other = value.replace("tunnels", "whole").replace("value", "amounts")
    with pytest.raises(FiresteelError, match="`tunnels` and `whole` differ in"):
        rendered(f"{value} and {other}", recorded)
    for between in ("\n\n", "\n- ", "\n| "):
        assert "?" not in rendered(f"{value}{between}{other}", recorded)
    deviations = [
        f'<!-- {{{{ deviation("{run}", "delhaye2015") }}}} -->?<!--/-->'
        for run in ("tunnels", "whole")
    ]
    with pytest.raises(FiresteelError, match="`tunnels` and `whole` differ in"):
        rendered(" ".join(deviations), recorded)
    named = '<!-- {{ differences("whole", "tunnels") }} -->?<!--/-->'
    text = rendered(f"{named} <!-- {{{{ {ratio} }}}} -->?<!--/-->", recorded)
    assert "differ in one thing: settings of the experiment (" in text
    assert text.endswith("-->1.00<!--/-->")


def test_a_page_shows_no_run_whose_records_are_of_different_software(
    recorded: Store, tmp_path: Path
) -> None:
    store = Store(tmp_path)
    tunnels = recorded.journal("tunnels")
    records = [recorded.record(tunnels, entry) for entry in tunnels.entries]
    for entry, record in zip(tunnels.entries, records, strict=True):
        if record.cell.on_cores:
            versions = record.versions.model_copy(update={"kernel": "0" * 64})
            record = record.model_copy(update={"versions": versions})
        entry.key = put(store, record).key
    store.save(tunnels)
    with pytest.raises(FiresteelError, match=r"not measured with the same software.*: kernel"):
        said('ratio("tunnels", mac="sha256", experiment="file-transfer", metric="cpu")', store)


def test_a_page_says_what_figures_are_worth(recorded: Store, tmp_path: Path) -> None:
    (told,) = filled('method("tunnels")', recorded)
    assert told.startswith("> Virtual time approximates cycles on the board socrates. ")
    results = results_of(tmp_path, lambda cell: cell.protocol == "none", clock="flat")
    (told,) = filled(f'method("{results.journal.name}")', Store(tmp_path))
    assert told.startswith("> Virtual time counts instructions, not cycles: ")


def test_one_handshake_and_many_are_one_row_with_the_worse_verdict() -> None:
    store = Store(RECORDED)
    rows = said('verdicts("cpus-all,cpus-ssh")', store).splitlines()[2:]
    counted = said('gains("cpus-all,cpus-ssh", board="gateway-a53-plain")', store)
    assert re.match(rf"\w+ of {len(rows)} rows gain", counted)
    helped = said('gains("cpus-all,cpus-ssh", board="gateway-a53-plain", verdict="helps")', store)
    assert counted.startswith("none" if helped == "0" else helped)
    one, many = (
        pair.verdict
        for pair in answering(load_results(store, "cpus-all").offloads)
        if pair.identity.board == "gateway-a53+cpu.count=1"
        and (pair.identity.protocol, pair.at) == ("nginx", "ecdsa-p256")
    )
    (line,) = (each for each in rows if re.match(r"\| nginx, .*ecdsa-p256", each))
    assert f"**{min(one, many, key=worst_first)}**" in line


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
        ('value("tunnels", experiment="file-transfer", metric="cpu")', "names 6 figures"),
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
    (line,) = filled('run("show thesis")', recorded)
    assert "`scripts/figures.sh measure thesis`" in line
    assert filled('run("advise --protocol openssl", needs="thesis")', recorded) == [line]
    assert filled('table("thesis", metric="throughput")', recorded) == [line]
    assert filled('ratio("tunnels", over="thesis", metric="cpu", at="x")', recorded) == [line]


def test_a_study_says_which_verdicts_change(
    recorded: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert filled('study("tunnels")', recorded) == [
        "*Not recorded yet: `scripts/figures.sh measure tunnels-sensitivity`.*"
    ]
    monkeypatch.setattr(spread, "load_spread", lambda: None)
    run = run_of(tmp_path, by_registers)
    study_of(tmp_path, "register-access", gain=by_registers)
    lines = filled(f'study("{run}")', Store(tmp_path))
    assert lines[1].startswith("0 of 5 verdicts hold over the whole range")
    assert any(line.endswith(" equal") for line in lines)


def test_the_thesis_is_told_of_every_verdict_and_on_both_clocks() -> None:
    """By what is recorded; its study has some of the rows."""
    store = Store(RECORDED)
    results = load_results(store, "thesis-quick")
    firm = robustness_of(store, results)
    verdicts = verdicts_grid(firm)
    assert verdicts
    assert len(verdicts.rows) == len(firm.pairs) == len(answering(results.offloads))
    assert any(str(row[1]) in ("holds", "changes") for row in verdicts.rows)
    assert verdicts.columns[-1].title == "clock flat"
    assert all(str(row[-1]) != MISSING for row in verdicts.rows)
    assert len({row[0] for row in verdicts.rows}) == len(firm.pairs), "no two are called alike"
