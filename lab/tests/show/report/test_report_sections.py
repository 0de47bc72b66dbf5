# SPDX-License-Identifier: Apache-2.0
"""Sections that some reports have: of sweeps, costs, assumptions, profiles; and their colours."""

import json
import re
from base64 import b64decode
from itertools import product
from pathlib import Path

import pytest
from made_profiles import content, profile, profile_of
from made_runs import page_of, results_of
from made_sensitivity import by_registers, run_of, study_of
from made_sweep import CLOCK, REGISTER, by_both
from made_sweep import results_of as sweep_of
from report_page import check

from firesteel.base.errors import FiresteelError
from firesteel.judge.pareto import Price
from firesteel.judge.results import load_results
from firesteel.judge.sensitivity import study_path
from firesteel.profiling.document import Profile, Stack
from firesteel.show.report import write
from firesteel.show.report.profiles import code_grid, code_that_ran, in_pairs, load_profiles
from firesteel.show.report.write import render, write_report
from firesteel.store.store import Store

FIVE = f"{CLOCK}=25..400 MHz x5 log"
NOT_STUDIED = "was not studied"


def section(page: str, name: str) -> str:
    return page.split(f'id="{name}"')[1].split("</section>")[0]


def cells_of(shown: str, row: str) -> list[str]:
    """The cells of a row, below its name."""
    line = re.search(rf">{re.escape(row)}</th>(.*?)</tr>", shown)
    assert line, row
    return re.findall(r"<td[^>]*>(.*?)</td>", line[1])


def test_a_sweep_of_one_number_has_curves_and_costs(tmp_path: Path) -> None:
    results = sweep_of(tmp_path, FIVE)
    page = render(results, prices=[Price.read("cores.*.timing.clock_hz=1 per MHz")])
    check(page)
    answer, shown, costs = (section(page, name) for name in ("answer", "sweep", "pareto"))
    assert answer.index("It depends") < answer.index("<table>")
    assert "helps from 200 MHz to 400 MHz" in answer
    assert re.search(r"8 MiB</th><td[^>]*>[^<]*helps from 200 MHz to 400 MHz[^<]*</td>", shown)
    assert shown.count("<figure>") == 5
    assert "at 25 MHz hardware 1.50, software 6.00: loses" in shown
    assert "clock of crypto0, MHz" in shown
    assert "Measured at 5 points of a sweep" in page
    assert "What boards cost and give: OpenVPN AES-256-CBC:none, 8 MiB" in costs
    assert 'class="good">best<' in costs


def test_a_sweep_of_several_numbers_has_every_point(tmp_path: Path) -> None:
    vary = (f"{CLOCK}=25..400 MHz log", f"{REGISTER}=50..200 ns")
    for number, results in enumerate(
        (
            sweep_of(tmp_path / "grid", FIVE, f"{REGISTER}=50,100,200ns", gain=by_both),
            sweep_of(tmp_path / "sample", *vary, gain=by_both, method="sobol", budget=112),
        )
    ):
        page = page_of(results)
        check(page)
        assert "<figure>" not in section(page, "sweep")
        assert "register access of crypto0" in section(page, "sweep")
        assert ("row by row" in section(page, "sweep")) == (number == 0)
    assert 'id="sweep"' not in page_of(results_of(tmp_path / "usual"))


def report(tmp_path: Path, *names: str, only: tuple[str, ...] = ()) -> str:
    """The report of a run of which one suite was studied, or all."""
    study_of(tmp_path, *names, gain=by_registers, only=only)
    store = Store(tmp_path)
    results = load_results(store, run_of(tmp_path, by_registers))
    return write_report(store, results).read_text(encoding="utf-8")


def test_every_verdict_has_a_line_that_says_whether_it_holds(tmp_path: Path) -> None:
    page = report(tmp_path, "register-access", only=("suite=aes-256-cbc:none",))
    check(page)
    shown = section(page, "sensitivity")
    every, changing, *_ = shown.split("</table>")
    assert every.count('<th scope="row">') == 15
    first = ["changes", "helps", "register access", "196 ns (120 ns)", "equal", ""]
    assert cells_of(every, "OpenVPN AES-256-CBC:none, 8 MiB") == first
    assert "OpenVPN AES-256-CBC:none, 8 MiB: helps</th>" in changing
    change = ["196 ns (120 ns)", "50 ns to 1 µs", "equal"]
    assert cells_of(changing, "  register access") == change
    assert "Values are interpolated" in shown
    assert cells_of(every, "OpenVPN AES-256-GCM, 8 MiB") == ["not studied", "helps", *[""] * 4]


def test_a_study_that_is_not_there_or_damaged_is_told(tmp_path: Path) -> None:
    study, _, _ = study_of(tmp_path, "register-access")
    store = Store(tmp_path)
    other = load_results(store, run_of(tmp_path, only=("suite=aes-256-gcm:gcm",)))
    page = write_report(store, other).read_text(encoding="utf-8")
    assert NOT_STUDIED in section(page, "answer"), "the study is of other records"
    assert 'id="sensitivity"' not in page
    assert NOT_STUDIED not in page_of(results_of(tmp_path / "software")), "there is no verdict"
    study_path(store, study.run).write_text("{}")
    with pytest.raises(FiresteelError, match=r"study\.json: this study of sensitivity is damaged"):
        write_report(store, load_results(store, run_of(tmp_path)))


def test_profiles_are_paired_by_suite(tmp_path: Path) -> None:
    other = profile_of(content("hardware") | {"cell": "ipsec x:y hardware"})
    software, hardware = profile(), profile("hardware")
    assert in_pairs([hardware, software, other]) == [(software, hardware), (other,)]
    assert in_pairs([software]) == [(software,)]
    assert load_profiles(tmp_path / "profiles") == []
    (tmp_path / "a.json").write_text("[]")
    with pytest.raises(FiresteelError, match=r"a\.json: .*damaged"):
        load_profiles(tmp_path)


def test_the_report_has_the_profiles_of_its_records(tmp_path: Path) -> None:
    results = results_of(tmp_path, lambda cell: cell.cipher == "aes-256-cbc", (), "openvpn")
    directory = tmp_path / "runs" / results.journal.name / "profiles"
    directory.mkdir()
    for record in results.records:
        made = content(record.cell.implementation, record.key)
        made["cell"] = record.cell.label
        (directory / f"{record.key}.json").write_text(json.dumps(made))
    (directory / "old.json").write_text(json.dumps(content(key="of another run")))
    page = write_report(Store(tmp_path), results).read_text()
    check(page)
    stacks = b64decode(page.split("data:text/plain;base64,")[1].split('"')[0]).decode()
    assert stacks.count("aes_encrypt<x> 600") == len(results.records)
    assert "functions that take most" in page


def test_only_cryptography_that_has_a_name_and_a_part_is_told() -> None:
    stacks = (
        ("kernel crypto", "ghash_arm_ce.ko", "pmull_ghash_update_p8", 300),
        ("kernel crypto", "kernel", "crypto_xor", 5),
        ("libcrypto", "libcrypto.so.3", "@0x10 (GHASH for ARMv4/NEON, without NEON)", 100),
        ("libcrypto", "libcrypto.so.3", "@0x99", 95),
        ("kernel network", "kernel", "tcp_sendmsg", 500),
    )
    ran = Profile(
        cell="ipsec aes-256-gcm:gcm software",
        key="k",
        implementation="software",
        node="board",
        window="transfer",
        instructions=1000,
        stacks=tuple(Stack(frames=("p", *each[:3]), instructions=each[3]) for each in stacks),
    )
    told = [(code.function, code.share) for code in code_that_ran([ran])]
    assert told == [
        ("pmull_ghash_update_p8", 0.3),
        ("@0x10 (GHASH for ARMv4/NEON, without NEON)", 0.1),
    ]
    grid = code_grid([ran])
    assert grid
    assert grid.rows[0][:3] == ["ipsec aes-256-gcm:gcm", "software", "ghash_arm_ce.ko"]
    assert code_grid([]) is None


def luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_colours_have_the_contrast_that_wcag_asks_for() -> None:
    """Of text 4.5 (1.4.3), of parts of pictures 3 (1.4.11), in light, dark and print."""
    style = (Path(write.__file__).parent / "style.css").read_text()
    light, dark, printed = (
        dict(re.findall(r"--([a-z0-9-]+): *(#[0-9a-f]+);", part))
        for part in re.findall(r":root \{(.*?)\}", style, re.S)
    )
    texts = set(re.findall(r"(?<![-a-z])color: *var\(--([a-z0-9-]+)\)", style))
    assert {"ink", "soft", "link", "good", "mixed", "bad"} <= texts
    used = set(re.findall(r"var\(--([a-z0-9-]+)\)", style)) - {"ground"}
    pictures = ("software", "hardware", "published")
    for scheme in (light, light | dark, light | printed):
        assert used <= scheme.keys()
        for least, pairs in (
            (4.5, product(texts, ("paper", "tint"))),
            (3.0, product(pictures, ("paper",))),
            (3.0, product(("software", "hardware"), ("band",))),
        ):
            for one, other in pairs:
                low, high = sorted(luminance(scheme[name]) for name in (one, other))
                assert (high + 0.05) / (low + 0.05) >= least, f"{one} on {other}"
