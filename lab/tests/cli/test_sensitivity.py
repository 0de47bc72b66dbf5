# SPDX-License-Identifier: Apache-2.0
"""`firesteel sensitivity` in this process, with figures that follow from boards."""

import csv
import io
import json
from typing import Any

import pytest
from commands import Lab
from made_sensitivity import Gain, as_fast, by_registers, limited, point, row_of
from made_sensitivity import swing_of as swing
from made_sweep import REGISTER
from rich.console import Console
from typer.testing import Result

from firesteel.base.errors import FiresteelError
from firesteel.boards.assumptions import load_assumptions
from firesteel.boards.profile import load_profile
from firesteel.boards.topology import load_topology
from firesteel.cli import bench
from firesteel.judge.sensitivity import COLUMNS, Sensitivity, studies
from firesteel.run.loop import Interrupted
from firesteel.show.run import show_sensitivity
from firesteel.store.journal import Journal
from firesteel.store.store import Store

USUAL = ("openvpn", "--quick", "--only", "suite=aes-256-cbc:none", "--jobs", "1")
REGISTERS = ("--assumption", "register-access")

_BOARD, _WIRE = load_profile("socrates"), load_topology("host-host")
VARIED = [each for each in load_assumptions() if each.on(_BOARD) or each.on(_WIRE)]
"""What means something for the usual board, whose clock counts cycles, and its wire."""


def go(lab: Lab, *more: str, gain: Gain = as_fast, **settings: Any) -> Result:
    return lab("sensitivity", *USUAL, *more, gain=gain, **settings)


def shown(found: Sensitivity, width: int = 80, *, rows: bool = False) -> str:
    show_sensitivity(Console(file=(out := io.StringIO()), width=width), found, rows=rows)
    return out.getvalue()


@pytest.mark.parametrize(
    "vary",
    [
        ("--vary", "cpu.hertz=1..2GHz"),
        ("--vary", "cpu.hertz=1..2GHz x1001", "--vary", f"{REGISTER}=1..1000ns x1000"),
    ],
)
def test_mistakes_in_a_sweep_name_no_option_that_the_command_lacks(
    lab: Lab, vary: tuple[str, ...]
) -> None:
    with pytest.raises(FiresteelError, match=r"allowed (is LOW..HIGHxN|are 1,000,000)\.$"):
        go(lab, *vary)


def test_the_summary_comes_first_then_the_verdicts_that_change(lab: Lab) -> None:
    result = go(lab, *REGISTERS, gain=by_registers)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    left_out = [each.name for each in VARIED if each.name != "register-access"]
    first = f"0 of 5 verdicts hold over the whole range of register access ({len(left_out)}"
    assert lines[0].startswith(first)
    title = lines.index("Verdicts that change")
    changes = [" ".join(line.split()) for line in lines[title:] if line.startswith("  register")]
    first_then_loss = [
        "register access 196 ns (120 ns) equal",
        "register access 204 ns (120 ns) loses",
    ]
    assert changes == first_then_loss * 5
    named = [line for line in lines[title:] if line.startswith("OpenVPN AES-256-CBC:none")]
    assert len(named) == 5
    assert lines.count("Verdicts that change") == 1
    assert "Values are interpolated" in result.stdout
    assert f"Not varied: {', '.join(left_out)}." in " ".join(result.stdout.split())
    assert all(len(line) <= 80 for line in lines)
    assert "[openvpn]" not in result.stdout


def test_a_study_is_foretold_measured_once_and_kept(lab: Lab) -> None:
    dry = go(lab, *REGISTERS, "--dry-run")
    assert (dry.exit_code, dry.stderr) == (0, "")
    assert dry.stdout.startswith("5 cells, 5 new; time: ")
    assert Store(lab.store).sensitivity.run_names() == []
    result = go(lab, *REGISTERS)
    assert result.stderr.startswith("5 cells, 5 new; time: ")
    for said in ("Sensitivity of: OpenVPN", "5 cells, quick sizes, 1 at a time", "access 1 µs]"):
        assert said in result.stderr
    again = go(lab, *REGISTERS)
    assert again.stderr.count("from the store") == 5


def test_a_run_on_varied_links_is_firm_once_its_study_and_the_other_clock_say_the_same(
    lab: Lab,
) -> None:
    vary = ("--vary", "links.*.latency_ns=5 us")
    run = ("run", *USUAL, *vary)
    result = go(lab, *vary)
    assert result.stdout.startswith("5 of 5 verdicts hold over the whole range of every assumption")
    assert "links 5 µs, latency of the wire 10 µs]" in result.stderr
    lab(*run, "--clock", "flat", gain=as_fast)
    assert "ranges: 5 of 5 verdicts" in " ".join(lab(*run, gain=as_fast).stdout.split())


def test_all_that_holds_is_said_in_a_line(lab: Lab) -> None:
    first, *rest, last = go(lab).stdout.splitlines()
    assert first == "5 of 5 verdicts hold over the whole range of every assumption."
    assert " ".join(rest).startswith("Each assumption moved alone: two at their ends would change ")
    assert last == "With --rows: what each assumption does to each row."


def test_rows_shows_what_each_assumption_does(lab: Lab) -> None:
    result = go(lab, "--rows", gain=by_registers, columns=90)
    last = result.stdout.split("OpenVPN AES-256-CBC:none, 8 MiB:")[-1]
    lines = [line for line in last.splitlines() if "holds" in line or "changes" in line]
    named = [line.split("  ")[0].strip() for line in lines]
    assert named == [each.title for each in VARIED], "the widest first"
    registers = ["4.00", "1.67", "0.20", "0.25", "0.60", "5.00", "changes"]
    assert lines[0].split() == ["register", "access", "50", "ns", "to", "1", "µs", *registers]
    assert " 50 to 200 MHz " in lines[2]


def test_rows_for_programs(lab: Lab) -> None:
    text = go(lab, *REGISTERS, "--format", "csv").stdout
    for rows in (
        list(csv.DictReader(io.StringIO(text))),
        json.loads(go(lab, *REGISTERS, "--format", "json").stdout),
    ):
        assert list(rows[0]) == list(COLUMNS)
        assert len(rows) == 3 * 5
        assert {row["assumption"] for row in rows} == {"register-access"}


def test_cells_that_fail_give_status_1(lab: Lab) -> None:
    result = go(lab, *REGISTERS, fail=["socrates+register-access-50"])
    assert result.exit_code == 1
    assert "1 of 5 cells failed; logs: " in result.stderr
    assert str(lab.store / "sensitivity") in result.stderr
    assert "; 5 are not known, because an end of a range is " in " ".join(result.stdout.split())
    assert "not measured at both ends of every range: OpenVPN" in result.stdout
    assert len(studies(Store(lab.store))) == 1


def test_what_is_stopped_goes_on(lab: Lab) -> None:
    def stop(*_: object) -> Journal:
        journal = Journal(name="x", experiment="x", title="x", quick=True, started="", entries=[])
        raise Interrupted(journal)

    with lab.patch.context() as context:
        context.setattr(bench, "execute", stop)
        result = go(lab, *REGISTERS)
        run, fresh = (lab("run", "openvpn", "--quick", *more) for more in ([], ["--fresh"]))
    assert result.exit_code == 130
    assert "stopped; 0 of 0 cells are finished and kept. The same command" in result.stderr
    assert "The same command continues" in run.stderr
    assert "The same command without --fresh continues" in fresh.stderr
    assert studies(Store(lab.store)) == []


def test_tables_fit_the_terminal() -> None:
    known = load_assumptions()
    nominal = point(1.3, 0.7)
    swings = [swing(point(1.0, 0.8), point(12.5, 0.6), assumption=each.name) for each in known]
    found = Sensitivity(rows=(row_of(nominal, *swings),), assumptions=known)
    for width in (80, 120):
        text = shown(found, width, rows=True)
        assert max(map(len, text.splitlines())) <= width
        assert "…" not in text
        assert all(f"\n{each.title} " in text for each in known)
        assert text.count("low, own, high") == 2, "one table"


def test_rows_without_a_verdict_are_not_counted() -> None:
    only = Sensitivity(rows=(row_of(limited()),), assumptions=load_assumptions())
    assert shown(only).startswith("No verdict was given, so none could change.")
