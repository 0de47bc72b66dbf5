# SPDX-License-Identifier: Apache-2.0
"""`firesteel run --vary` in this process, with figures that follow from boards."""

import html
import re
from pathlib import Path

import polars as pl
import pytest
from commands import Lab
from made_sweep import CLOCK, by_clock
from typer.testing import Result

from firesteel.base.errors import FiresteelError
from firesteel.run.experiment.collection import load
from firesteel.store.store import Store

VALUES = f"{CLOCK}=50,100,200 MHz"


def go(lab: Lab, *more: str) -> Result:
    usual = ("openvpn", "--quick", "--only", "suite=aes-256-cbc:none", "--jobs", "1")
    return lab("run", *usual, *more, gain=by_clock)


def test_a_sweep_says_what_it_takes_then_where_offload_helps(lab: Lab) -> None:
    dry = go(lab, "--vary", VALUES, "--dry-run")
    assert (dry.exit_code, dry.stderr, dry.stdout.count("\n")) == (0, "", 1 + 6)
    assert "OpenVPN AES-256-CBC:none, hardware [clock of crypto0 200 MHz]\n" in dry.stdout
    assert Store(lab.store).run_names() == []
    sample = ("--sample", "lhs", "--cells", "12", "--vary", f"{CLOCK}=50..200 MHz", "--dry-run")
    assert go(lab, *sample).stdout.startswith("12 cells with ")
    assert go(lab, "--dry-run").stdout.startswith("2 cells, 2 new")
    result = go(lab, "--vary", VALUES)
    assert result.exit_code == 0
    assert result.stderr.startswith("6 cells with 4 records, 4 new; time: ")
    assert result.stdout.startswith("Where does offload help? It depends")
    assert "helps at 200 MHz" in " ".join(result.stdout.split())
    again = go(lab, "--vary", VALUES)
    assert again.stderr.startswith("6 cells with 4 records, all in the store.")


def test_one_value_is_a_setting_whose_answer_and_limits_are_those_of_a_run_without_a_sweep(
    lab: Lab,
) -> None:
    usual, more = go(lab), ("--vary", "links.*.latency_ns=5 us", "--vary", f"{CLOCK}=200 MHz")
    assert usual.stdout.startswith("Does offload help? No (quick: 5 rows)")
    result = go(lab, *more)
    said = " ".join(result.stdout.split())
    assert said.startswith("Does offload help? Yes (quick: 5 rows): offload helps 2 of 2 kinds")
    assert "Of 5 rows: 5 gain. " in said
    assert Store(lab.store).journal().limits == load("openvpn").limits() != ()
    report = Path(result.stdout.splitlines()[-1]).read_text(encoding="utf-8")
    where = "socrates with clock of crypto0 200 MHz, latency of all links 5 µs."
    assert f"Measured on the board {where}" in report
    assert "of a sweep" not in report


def test_next_steps_have_the_options_of_the_run(lab: Lab) -> None:
    (board := lab.store.parent / "mine.toml").write_text(
        '[cpu]\nmodel = "cortex-a15"\ninstructions_per_second = "700 MIPS"\n[memory]\n'
        'mebibytes = 512\n[[cores]]\nname = "crypto0"\naes = true\n',
        encoding="utf-8",
    )
    what = ("--board", str(board), "--link", "1 Gbit/s")
    result = go(lab, "--vary", f"{CLOCK}=200 MHz", *what)
    report = html.unescape(Path(result.stdout.splitlines()[-1]).read_text(encoding="utf-8"))
    steps = dict(re.findall("<li>([^<]*): <code>firesteel ([^<]*)</code>", report))
    here, link = f"--board {board} --link '1 Gbit/s'", f"--vary '{CLOCK}=200 MHz'"
    options = f"{here} --only suite=aes-256-cbc:none {link}"
    store = f"--store {lab.store}"
    assert steps["Measure whole sizes"] == f"run openvpn {options} {store}"
    assert steps["Narrow the intervals"] == f"run openvpn --quick {options} --seeds 3 {store}"
    assert steps["Vary what is assumed"] == f"sensitivity openvpn --quick {options} {store}"
    assert "Measure your own board" not in steps
    sample = ("--sample", "lhs", "--cells", "4", "--vary", f"{CLOCK}=190..210 MHz")
    result = go(lab, *sample, "--only", "suite=aes-256-cbc:sha256")
    report = html.unescape(Path(result.stdout.splitlines()[-1]).read_text(encoding="utf-8"))
    assert re.search(r"<code>firesteel advise --protocol openvpn --suite \S+ --run \S+", report)
    assert " --with " not in report, "of one point of a range"
    sweep = go(lab, "--vary", VALUES, *what).stdout.split("between 100 MHz and 200 MHz: ")
    assert f"--quick {here} --only suite=aes-256-cbc:none --vary" in " ".join(sweep[-1].split())


def test_a_damaged_run_in_the_store_does_not_stop_a_sweep(lab: Lab) -> None:
    go(lab, "--vary", f"{CLOCK}=50 MHz")
    (name,) = Store(lab.store).run_names()
    (lab.store / "runs" / name / "run.json").write_text("{", encoding="utf-8")
    result = go(lab, "--vary", VALUES)
    assert result.exit_code == 0
    assert result.stderr.startswith("6 cells with 4 records, 2 new; time: ")
    assert "space: unknown" not in result.stderr


def test_exports_have_a_column_for_what_varied(lab: Lab) -> None:
    go(lab, "--vary", VALUES, "--vary", "links.wire.latency_ns=1ms")
    path = lab.store / "figures.csv"
    lab("show", "--part", "samples", "--output", str(path))
    frame = pl.read_csv(path)
    assert set(frame[CLOCK]) == {50e6, 100e6, 200e6}
    assert set(frame["links.wire.latency_ns"]) == {1e6}


@pytest.mark.parametrize(
    ("more", "status", "why"),
    [
        (("--vary", "cpu.herz=1"), 1, "--vary cpu.herz=1: `herz` of `cpu.herz` is unknown"),
        (("--vary", f"{CLOCK}=1 kHz"), 1, "would be 1 kHz; allowed are 1 MHz and more"),
        (("--vary", f"{CLOCK}=1..2GHz"), 1, "LOW..HIGHxN. With --sample, only some"),
        (("--cells", "5"), 2, "which --vary defines"),
        (("--cells", "5", "--vary", VALUES), 2, "--cells needs a sample; --sample chooses"),
        (("--tls-ca", "/nonexistent"), 2, "are for a scheduler; --on names it"),
        (("--sample", "best"), 2, "--sample best: allowed are lhs"),
    ],
)
def test_mistakes_are_told_before_anything_is_measured(
    lab: Lab, more: tuple[str, ...], status: int, why: str
) -> None:
    with pytest.raises(FiresteelError, match=why) as caught:
        go(lab, *more)
    assert caught.value.status == status
    assert "\n" not in str(caught.value)
    assert not list(lab.store.iterdir())
