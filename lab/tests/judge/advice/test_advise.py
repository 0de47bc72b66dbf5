# SPDX-License-Identifier: Apache-2.0
"""`firesteel advise` on stores with chosen figures."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from advice_store import CPU, CPU_TIME, LONG_RTT, RATE, RTT, Runs, cell
from commands import invoke
from typer.testing import CliRunner, Result

from firesteel.base.checkout import CHECKOUT, RECORDED
from firesteel.base.errors import FiresteelError
from firesteel.boards.profile import DEFAULT_BOARD, load_profile
from firesteel.boards.topology import load_topology, topology_names
from firesteel.cli import app
from firesteel.judge.advice.measured import Question
from firesteel.model.cell import Affinity, Cell
from firesteel.protocols.registry import protocol_of
from firesteel.protocols.setup import FILES, lines_of
from firesteel.run.experiment.collection import load
from firesteel.run.experiment.experiment import experiment_names, select
from firesteel.search.commands import ask
from firesteel.store.store import Store

SOFTWARE = {RTT: 1.0, LONG_RTT: 2.0, RATE: 5.0, CPU: 99.0, CPU_TIME: 0.2}
BETTER = {RTT: 1.001, LONG_RTT: 1.5, RATE: 8.0, CPU: 90.0, CPU_TIME: 0.1}
WORSE = {RTT: 1.2, LONG_RTT: 2.0, RATE: 4.0, CPU: 99.0, CPU_TIME: 0.25}
EQUAL = {RTT: 1.019, LONG_RTT: 1.999, RATE: 5.05, CPU: 1.0, CPU_TIME: 0.2}


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    return Runs(Store(tmp_path / "store"))


def call(runs: Runs, *more: str, protocol: str = "openvpn", suite: str = "") -> Result:
    suite = suite or "aes-256-cbc:sha256"
    told = ["--protocol", protocol, "--suite", suite, "--store", str(runs.store.root), *more]
    result = CliRunner(env={"COLUMNS": "80"}).invoke(app, ["advise", *told])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0
    return result


def as_json(runs: Runs, *more: str) -> Any:
    return json.loads(call(runs, "--format", "json", *more).stdout)


def test_what_has_not_converged_is_marked(runs: Runs) -> None:
    cells = (cell(), {RATE: 5.0}), (cell("hardware"), {RATE: 8.0})
    runs.add(*cells)
    assert "≈" not in call(runs).stdout
    assert {each["converged"] for each in as_json(runs)["figures"]} == {True}
    runs.add(*cells, qemu="e" * 64, uncertainty={RATE: 0.15})
    told = call(runs).stdout
    assert "(most: " not in told, "what has not converged is no reason"
    assert "≈1.600" in told
    assert "\n≈ marks " in told
    found = as_json(runs)
    assert [each["converged"] for each in (*found["figures"], *found["rows"])] == [False] * 2


def first_line(result: Result) -> str:
    return re.sub(r"\s+", " ", result.stdout.split("\n\n")[0])


WHAT = "OpenVPN AES-256-CBC:SHA-256 on `socrates`"
HALF = r"\(most: CPU .*16 MiB 0\.2000 → 0\.1000 s/MB, ×0\.5\)"
LATER = r"\(most: mean RTT .*56 B 1\.000 → 1\.100 ms, ×1\.1\)"


@pytest.mark.parametrize(
    ("hardware", "answer", "sentence"),
    [
        (
            BETTER,
            "yes",
            f"Yes, .*{WHAT}: of 3 rows it is equal in 1, helps in 2 {HALF}",
        ),
        (
            WORSE,
            "no",
            rf"No, .*{WHAT} to software: of 3 rows it loses in 2 .*, ×0\.8\), is equal in 1",
        ),
        (
            EQUAL,
            "equal",
            f"Offload and software are equal for {WHAT}: of 3 rows it is equal in 3",
        ),
        (
            BETTER | {RTT: 1.1},
            "it depends",
            f"It depends .*, yes from 1000 B on, no at 56 B .*loses in 1 {LATER}, helps in 2 ",
        ),
        (
            BETTER | {RATE: 4.0},
            "it depends",
            rf"It depends .*, on .* is mixed in 1 {HALF}, is equal in 1, helps in 1 .*, ×0\.75\)",
        ),
    ],
)
def test_the_answer_follows_from_the_figures(
    runs: Runs, hardware: dict[Any, float], answer: str, sentence: str
) -> None:
    runs.add((cell(), SOFTWARE), (cell("hardware"), hardware))
    told = as_json(runs)
    assert told["answer"] == answer
    assert re.match(sentence, told["sentence"])
    assert first_line(call(runs)) == told["sentence"]
    configured = answer in ("yes", "it depends")
    assert bool(told["configuration"]) == configured
    assert ("No configuration" in call(runs).stdout) != configured


def test_figures_records_and_configuration_are_shown(runs: Runs) -> None:
    name = runs.add((cell(), SOFTWARE), (cell("hardware"), BETTER))
    text = call(runs).stdout
    assert re.search(r"56 B +0\.999 +– +equal *\n1000 B +1\.333 +– +helps", text)
    assert re.search(r"16 MiB +1\.600 +0\.500 +helps", text)
    assert re.search(r"mean RTT, ms +56 B +1\.000 +1\.001 +1\.001\n", text)
    assert re.search(r" 1000 B +2\.000 +1\.500 +0\.750\n", text)
    assert re.search(r"CPU, % of core +16 MiB +99\.0 +90\.0 +0\.909 *\n", text)
    assert "Virtual time approximates cycles on the board socrates. " in " ".join(text.split())
    keys = {entry.key for entry in runs.store.journal(name).entries}
    assert all(f"run {name}, quick sizes, record {key}" in text for key in keys)
    for line in ("insmod firesteel.ko user=all", "data-ciphers AES-256-CBC", "auth SHA256"):
        assert f"       {line}\n" in text
    assert "default_properties = ?firesteel.cores=yes" in text
    assert "docs/provider-openvpn.md" in text


def test_json_has_every_figure_and_where_it_stands(runs: Runs) -> None:
    name = runs.add((cell(), SOFTWARE), (cell("hardware"), BETTER))
    told = as_json(runs)
    (rate,) = [row for row in told["figures"] if row["metric"] == "throughput"]
    assert rate == {
        "experiment": "file-transfer",
        "parameter": "16 MiB",
        "metric": "throughput",
        "unit": "MB/s",
        "software": 5.0,
        "hardware": 8.0,
        "seeds": 1,
        "ratio": 1.6,
        "converged": True,
    }
    (judged,) = [row for row in told["rows"] if row["experiment"] == "file-transfer"]
    assert judged == {
        "experiment": "file-transfer",
        "parameter": "16 MiB",
        "speed": 1.6,
        "cpu_work": 0.5,
        "at_link": False,
        "converged": True,
        "verdict": "helps",
        "speed_interval": [1.6, 1.6],
        "cpu_work_interval": [0.5, 0.5],
        "left_to_software": False,
        "cost": 0.0,
        "decides": True,
        "sensitivity": None,
    }
    software, hardware = (entry.key for entry in runs.store.journal(name).entries)
    (part,) = told["records"]
    assert part["experiments"] == ["ping", "file-transfer"]
    assert part["software"] == [{"run": name, "quick": True, "seed": 1, "key": software}]
    assert part["hardware"] == [{"run": name, "quick": True, "seed": 1, "key": hardware}]
    assert told["slack"] == 0.02


def test_a_size_is_answered_by_the_nearest_that_was_measured(runs: Runs) -> None:
    runs.add((cell(), SOFTWARE), (cell("hardware"), BETTER | {RATE: 4.0, RTT: 1.1}))
    small, large = as_json(runs, "--size", "64"), as_json(runs, "--size", "1400")
    assert (small["answer"], large["answer"]) == ("no", "yes")
    assert re.search("56 B .*nearest to 64 B", small["about_size"])
    assert "1000 B is nearest to 1000 B" in as_json(runs, "--size", "1000")["about_size"]
    assert [row["parameter"] for row in large["rows"] if row["decides"]] == ["1000 B"]
    assert large["about_size"] in first_line(call(runs, "--size", "1400"))


def test_other_software_is_compared_in_the_rows_that_decide() -> None:
    asked = "--protocol openvpn --suite aes-256-cbc:sha256 --run thesis --size 1400 --format json"
    told = json.loads(invoke("advise", *asked.split(), "--store", str(RECORDED)).stdout)
    deciding = [row["parameter"] for row in told["rows"] if row["decides"]]
    assert [row["parameter"] for row in told["alternatives"]["rows"]] == deciding


def test_a_size_far_from_all_that_were_measured_is_refused(runs: Runs) -> None:
    """47 times as large as the largest."""
    runs.add((cell(), SOFTWARE), (cell("hardware"), BETTER))
    with pytest.raises(FiresteelError) as caught:
        call(runs, "--size", "47000")
    assert str(caught.value).startswith("--size 47000: ")
    assert "56 B to 1000 B" in str(caught.value)


def test_the_newest_run_counts_unless_another_is_named(runs: Runs) -> None:
    old = runs.add((cell(), SOFTWARE), (cell("hardware"), WORSE), qemu="old")
    runs.add((cell(), SOFTWARE), (cell("hardware"), BETTER))
    assert as_json(runs)["answer"] == "yes"
    assert as_json(runs, "--run", old)["answer"] == "no"


def test_the_clock_of_the_checkout_s_board_goes_before_a_newer_other(runs: Runs) -> None:
    runs.add((cell(), SOFTWARE), (cell("hardware"), BETTER))
    flat = runs.add((cell(), SOFTWARE), (cell("hardware"), WORSE), qemu="flat", clock="flat")
    assert as_json(runs)["answer"] == "yes"
    assert as_json(runs, "--run", flat)["answer"] == "no"


def test_what_is_compared_is_of_one_run(runs: Runs) -> None:
    runs.add((cell(), SOFTWARE))
    runs.add((cell("hardware"), BETTER))
    with pytest.raises(
        FiresteelError, match="has no run of .* with a common figure; `firesteel run"
    ):
        call(runs)


def test_the_usual_completion_goes_before_a_newer_other(runs: Runs) -> None:
    runs.add((cell(), SOFTWARE), (cell("hardware"), BETTER))
    both = (cell("hardware"), BETTER), (cell("hardware", completion="poll"), WORSE)
    runs.add((cell(), SOFTWARE), *both)
    assert as_json(runs)["answer"] == "yes"


def test_a_profile_may_be_chosen_and_others_are_named(runs: Runs) -> None:
    hash_board: dict[str, Any] = {"profiles": {"board": "socrates-hash", "peer": "peer"}}
    runs.add((cell(), SOFTWARE), (cell("hardware"), WORSE))
    newer = runs.add((cell(**hash_board), SOFTWARE), (cell("hardware", **hash_board), BETTER))
    told = as_json(runs, "--board", "socrates-hash")
    assert (told["answer"], told["profile"]) == ("yes", "socrates-hash")
    assert "       insmod firesteel.ko user=last\n" in call(runs, "--run", newer).stdout, (
        "the second core is the programs'"
    )
    told = as_json(runs)
    assert (told["answer"], told["profile"]) == ("no", "socrates"), "the default, though older"
    (other,) = told["others"]
    assert (other["profile"], other["topology"]) == ("socrates-hash", "host-host")
    assert "`socrates-hash` in `host-host`" in " ".join(call(runs).stdout.split())


def test_other_boards_are_named_with_a_command_and_give_no_answer_unasked(runs: Runs) -> None:
    for board in ("socrates-dual", "socrates-hash"):
        there: dict[str, Any] = {"profiles": {"board": board, "peer": "peer"}}
        runs.add((cell(**there), SOFTWARE), (cell("hardware", **there), BETTER))
    with pytest.raises(FiresteelError) as caught:
        call(runs)
    assert "on the board `socrates`, which counts without --board" in str(caught.value)
    assert str(caught.value).endswith("for `socrates-hash`; other boards are socrates-dual.")
    (command,) = re.findall("`firesteel (advise [^`]*)`", str(caught.value))
    assert "Yes, offload" in invoke(*shlex.split(command)).stdout


def test_every_topology_has_the_default_board_as_the_one_with_cores() -> None:
    for name in topology_names():
        boards = {node.profile for node in load_topology(name).nodes.values()}
        assert [each for each in boards if load_profile(each).cores] == [DEFAULT_BOARD]


def test_what_was_measured_on_another_board_is_no_part_of_an_answer(runs: Runs) -> None:
    there: dict[str, Any] = {"profiles": {"board": "socrates-hash", "peer": "peer"}}
    runs.add((cell(), {RATE: 5.0}), (cell("hardware"), {RATE: 8.0}))
    runs.add((cell(**there), {RTT: 1.0}), (cell("hardware", **there), {RTT: 2.0}))
    assert {row["experiment"] for row in as_json(runs)["rows"]} == {"file-transfer"}


def test_the_topology_s_own_rates_go_before_a_newer_other_and_a_rate_may_be_chosen(
    runs: Runs,
) -> None:
    fast: dict[str, Any] = {"link_rate_bit_s": 1_000_000_000}
    runs.add((cell(), SOFTWARE), (cell("hardware"), WORSE))
    runs.add((cell(**fast), SOFTWARE), (cell("hardware", **fast), BETTER))
    assert as_json(runs)["answer"] == as_json(runs, "--link", "own")["answer"] == "no"
    assert "`socrates` in `host-host`, at 1 Gbit/s" in " ".join(call(runs).stdout.split())
    assert as_json(runs, "--link", "1 Gbit/s")["answer"] == "yes"
    with pytest.raises(FiresteelError, match="with links at 2 Gbit/s"):
        call(runs, "--link", "2 Gbit/s")


def test_of_seeds_the_mean_counts_and_their_records_named(runs: Runs) -> None:
    pairs = [
        (cell(implementation, seed=seed), {LONG_RTT: value})
        for seed, software, hardware in ((1, 2.0, 1.5), (2, 2.2, 1.7))
        for implementation, value in (("software", software), ("hardware", hardware))
    ]
    runs.add(*pairs)
    told = as_json(runs)
    (row,) = told["figures"]
    assert (row["software"], row["hardware"], row["seeds"]) == (2.1, 1.6, 2)
    assert [record["seed"] for record in told["records"][0]["hardware"]] == [1, 2]
    text = call(runs).stdout
    assert "Means of 2 seeds." in text
    assert "hardware, seed 2: run " in text


@pytest.mark.parametrize("missing", ["software", "hardware"])
def test_half_a_cell_is_one_sentence_with_the_command(runs: Runs, missing: str) -> None:
    there = "software" if missing == "hardware" else "hardware"
    runs.add((cell(there), SOFTWARE))
    told = f"in {there} and not in {missing}; .*`firesteel run "
    with pytest.raises(FiresteelError, match=told):
        call(runs)


def test_a_cell_that_failed_is_told_with_its_reason(runs: Runs) -> None:
    name = runs.add((cell(), SOFTWARE), failed=(cell("hardware"),))
    with pytest.raises(FiresteelError) as caught:
        call(runs)
    assert re.search(rf"hardware failed .*{name}: It broke", str(caught.value))
    assert "\n" not in str(caught.value)


def measured_in_hardware() -> list[Cell]:
    """A cell of each protocol and suite that the checkout measures in hardware."""
    found: dict[tuple[str, str, str], Cell] = {}
    for name in experiment_names():
        for each in load(name).cells():
            if each.implementation == "hardware":
                found.setdefault((each.protocol, each.cipher, each.mac), each)
    return list(found.values())


@pytest.mark.parametrize("each", measured_in_hardware(), ids=lambda each: each.label)
def test_the_command_that_is_named_measures_it(runs: Runs, each: Cell) -> None:
    suite = f"{each.cipher}:{each.mac}"
    with pytest.raises(FiresteelError) as caught:
        call(runs, protocol=each.protocol, suite=suite)
    told = str(caught.value)
    found = re.search(r"has no figures for .*; `firesteel run (.*)` measures it\.$", told)
    assert found
    name, quick, *only = shlex.split(found[1])
    assert quick == "--quick"
    kept = select(load(name).cells(quick=True), only[1::2])
    asked = ask(each.protocol, suite)
    assert {c.implementation for c in kept if asked.fits(c)} == {"software", "hardware"}


@pytest.mark.parametrize("each", measured_in_hardware(), ids=lambda each: each.label)
def test_every_cell_in_hardware_has_a_configuration_of_files_that_are_there(each: Cell) -> None:
    found = protocol_of(each).setup(each, None)
    for page in found.pages:
        assert (CHECKOUT / page).is_file()
    assert any("insmod firesteel.ko" in line for step in found.steps for line in step.lines)
    files = re.findall(rf"{FILES}/\S+\.(?:cnf|conf)\b", " ".join(s.what for s in found.steps))
    assert all((CHECKOUT / file).is_file() for file in files)
    assert bool(files) == protocol_of(each).by_provider


def test_lines_of_a_file_are_without_comments() -> None:
    assert lines_of("openvpn/firesteel-cbc.conf")[:3] == (
        "data-ciphers AES-256-CBC",
        "data-ciphers-fallback AES-256-CBC",
        "auth SHA256",
    )


@pytest.mark.parametrize(
    ("protocol", "suite", "more", "said"),
    [
        (
            "tor",
            "none:none",
            [],
            "--protocol tor: allowed are openvpn, openvpn-dco, openvpn-dco-batches, ipsec, ",
        ),
        ("openvpn", "rot13", [], '--suite rot13: protocol "openvpn" has no suite "rot13"; allowed'),
        ("openvpn", "aes-256-cbc", [], 'protocol "openvpn" has no suite "aes-256-cbc"; allowed'),
        (
            "dm-crypt",
            "aes-128-gcm",
            [],
            'protocol "dm-crypt" has no suite "aes-128-gcm:gcm"; allow',
        ),
        ("openvpn", "none:none", [], "gives the hardware nothing to do"),
        (
            "tls",
            "rsa-2048",
            [],
            '--suite rsa-2048: tls (measured with nginx) has no suite "rsa-2048"; allowed are aes',
        ),
        ("nginx", "rsa-2048", [], "; for handshakes by RSA key size, ask for --protocol openvpn"),
        ("https", "rsa-2048", [], "; for handshakes of TLS, ask for --protocol nginx"),
        ("none", "none:none", [], 'protocol "none" is measured with implementation "software"'),
        ("openvpn", "aes-256-gcm:gcm", ["--board", "x"], "There is no profile `x`"),
        ("openvpn", "aes-256-gcm:gcm", ["--run", "x"], "There are no runs in "),
        (
            "ssh",
            "aes-256-gcm:gcm",
            ["--board", "socrates-hash"],
            (
                "SSH AES-256-GCM on the board `socrates-hash`; `firesteel run today-shell --quick "
                "--board socrates-hash --only cipher=aes-256-gcm --only mac=gcm` measures it."
            ),
        ),
        (
            "ipsec",
            "aes-256-gcm",
            ["--board", "gateway-a53"],
            "`gateway-a53`; `firesteel run cpus --quick --only protocol=ipsec --only cipher=aes-25",
        ),
    ],
)
def test_a_question_without_an_answer_is_one_sentence(
    runs: Runs, protocol: str, suite: str, more: list[str], said: str
) -> None:
    with pytest.raises(FiresteelError) as caught:
        call(runs, *more, protocol=protocol, suite=suite)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_figures_on_cpus_that_an_experiment_sets_answer_where_there_are_no_others(
    runs: Runs,
) -> None:
    every = Affinity(rps="0")
    spread = (cell(affinity=every), SOFTWARE), (cell("hardware", affinity=every), BETTER)
    runs.add(*spread)
    assert as_json(runs)["answer"] == "yes"
    runs.add((cell(), SOFTWARE), (cell("hardware"), WORSE), *spread)
    assert as_json(runs)["answer"] == "no"


@pytest.mark.parametrize(("board", "warned"), [("socrates", True), ("gateway-a53", False)])
def test_the_ghash_of_debian_is_told_of_armv7_alone(runs: Runs, board: str, warned: bool) -> None:
    there: dict[str, Any] = {
        "protocol": "https",
        "cipher": "aes-256-gcm",
        "mac": "gcm",
        "profiles": {"board": board, "peer": "peer"},
    }
    runs.add((cell(**there), SOFTWARE), (cell("hardware", **there), BETTER))
    words = ("--format", "json", "--board", board)
    found = json.loads(call(runs, *words, protocol="https", suite="aes-256-gcm").stdout)
    assert bool(found["software_code"]) == warned


def test_damage_elsewhere_is_a_remark_and_in_the_named_run_an_error(runs: Runs) -> None:
    runs.add((cell(), SOFTWARE), (cell("hardware"), BETTER))
    name = runs.add((cell(), SOFTWARE), (cell("hardware"), WORSE), qemu="new")
    for entry in runs.store.journal(name).entries:
        runs.store.record_path(entry.key).write_text("{")
    (runs.store.runs / "broken").mkdir()
    (runs.store.runs / "broken" / "run.json").write_text("{")
    result = call(runs)
    assert first_line(result).startswith("Yes, ")
    assert result.stderr.count("firesteel: left out: ") == 2
    assert result.stderr.count("is damaged") == 2
    with pytest.raises(FiresteelError, match="damaged"):
        call(runs, "--run", name)


def test_software_as_installed_is_no_part_of_an_answer() -> None:
    question = Question("ipsec", "aes-256-cbc", "sha256")
    fits = {
        implementation: question.fits(cell(implementation, protocol="ipsec"))
        for implementation in ("software", "software-as-installed", "hardware")
    }
    assert fits == {"software": True, "software-as-installed": False, "hardware": True}
