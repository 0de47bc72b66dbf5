# SPDX-License-Identifier: Apache-2.0
"""Advice for boards that are described, from equal ones, or the command that measures them."""

import json
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from commands import invoke
from made_sensitivity import BoardsRunner, Gain

from firesteel.base.checkout import EXPERIMENTS
from firesteel.base.errors import FiresteelError, RequestError
from firesteel.boards.profile import PROFILES, Profile
from firesteel.cli import bench
from firesteel.run.experiment.collection import load
from firesteel.run.experiment.experiment import Elsewhere, select
from firesteel.run.experiment.sweep import sweep_of_options

CLOCK = "cores.crypto0.timing.clock_hz"
HERTZ = "cpu.hertz"


def by_clock(profile: Profile) -> float:
    """Hardware is as fast as its clock by 100 MHz."""
    return (profile.cores[0].timing.used("clock_hz") or 0) / 1e8


def by_both(profile: Profile) -> float:
    """And by how slow the processor is: 1 on the board as it is."""
    return by_clock(profile) * 8e8 / (profile.cpu.hertz or 1)


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr("firesteel.show.report.write.write_report", lambda *_: tmp_path)
    return tmp_path / "store"


def sweep(
    monkeypatch: pytest.MonkeyPatch,
    store: Path,
    *vary: str,
    gain: Gain = by_clock,
    more: Sequence[str] = (),
    experiment: str = "openvpn",
) -> None:
    """A run of made-up figures on boards that vary."""
    monkeypatch.setattr(bench, "make_runner", lambda catalog, *_: BoardsRunner(catalog, gain))
    options = [word for text in vary for word in ("--vary", text)]
    only = ("--only", "suite=aes-256-cbc:none")
    invoke("run", experiment, "--quick", *options, *only, "--store", str(store), *more)


def advise(store: Path, *more: str, suite: str = "aes-256-cbc:none") -> str:
    asked = ("advise", "--protocol", "openvpn", "--suite", suite)
    return invoke(*asked, "--store", str(store), *more).stdout


def as_json(store: Path, *more: str) -> Any:
    return json.loads(advise(store, "--format", "json", *more))


def transfer(told: Any) -> Any:
    return next(row for row in told["rows"] if row["experiment"] == "file-transfer")


def test_a_sweep_s_software_stands_for_all_its_boards(
    monkeypatch: pytest.MonkeyPatch, store: Path
) -> None:
    sweep(monkeypatch, store, f"{CLOCK}=50 MHz, 200 MHz")
    told = as_json(store, "--board", f"socrates+{CLOCK}=200000000")
    assert (told["answer"], transfer(told)["speed"]) == ("yes", 2)


def test_boards_that_files_have_go_before_those_of_a_newer_sweep(
    monkeypatch: pytest.MonkeyPatch, store: Path
) -> None:
    sweep(monkeypatch, store)
    sweep(monkeypatch, store, f"{CLOCK}=50 MHz, 200 MHz")
    told = as_json(store)
    assert told["profile"] == "socrates"
    assert {each["profile"].partition("+")[0] for each in told["others"]} == {"socrates"}
    assert "2 boards of sweeps (--with)" in advise(store)


def refused(store: Path, *more: str, suite: str = "aes-256-cbc:none") -> str:
    """What the command says where no equal board was measured."""
    with pytest.raises(FiresteelError) as caught:
        advise(store, *more, suite=suite)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def command(text: str) -> list[str]:
    found = re.search(r"`firesteel run ([^`]*)` measures it", " ".join(text.split()))
    assert found, text
    return shlex.split(found[1])


def measured_by(words: list[str]) -> list[str]:
    """The boards of the cells that a command measures."""
    name, quick, *options = words
    assert quick == "--quick"
    pairs = list(zip(options[::2], options[1::2], strict=True))
    vary = [value for option, value in pairs if option == "--vary"]
    only = [value for option, value in pairs if option == "--only"]
    told = load(name, sweep=sweep_of_options(vary))
    cells = select(told.cells(quick=True), only)
    assert {cell.implementation for cell in cells} >= {"software", "hardware"}
    return sorted({f"{cell.profiles['board']} {cell.topology}" for cell in cells})


@pytest.mark.parametrize(
    ("asked", "board"),
    [
        ([f"{CLOCK}=120 MHz"], f"socrates+{CLOCK}=120000000 host-host"),
        ([f"{CLOCK}=20 MHz"], f"socrates+{CLOCK}=20000000 host-host"),
        (["cpu.hertz=1 GHz"], f"socrates+{HERTZ}=1000000000 host-host"),
        (
            [f"{CLOCK}=120 MHz", f"{HERTZ}=1.2 GHz"],
            f"socrates+{CLOCK}=120000000+{HERTZ}=1200000000 host-host",
        ),
        (
            ["links.wire.latency_ns=200 µs"],
            "socrates host-host+links.wire.latency_ns=200000",
        ),
    ],
)
def test_a_board_that_was_not_measured_has_the_command_that_measures_just_that(
    monkeypatch: pytest.MonkeyPatch, store: Path, asked: list[str], board: str
) -> None:
    """Between 50 and 200 MHz a line through both would say yes; the driver may say otherwise."""
    sweep(monkeypatch, store, f"{CLOCK}=50 MHz, 200 MHz")
    text = refused(store, *(word for each in asked for word in ("--with", each)))
    assert "has no measurement of OpenVPN AES-256-CBC:none on the board `socrates`" in text
    assert measured_by(command(text)) == [board]


def test_a_collection_is_run_on_the_topology_that_is_asked_about(
    monkeypatch: pytest.MonkeyPatch, store: Path
) -> None:
    """The nodes of its other topologies have other names."""
    monkeypatch.setattr(bench, "make_runner", lambda catalog, *_: BoardsRunner(catalog, by_clock))
    asked, topology = ("ipsec", "aes-256-cbc:sha256"), "host-gateway-gateway-host"
    only = ("--only", f"protocol={asked[0]}", "--only", f"suite={asked[1]}")
    invoke("run", "relative-costs", "--quick", *only, "--store", str(store))
    told = ("--topology", topology, "--with", "cpu.hertz=1GHz", "--store", str(store))
    with pytest.raises(FiresteelError) as caught:
        invoke("advise", "--protocol", asked[0], "--suite", asked[1], *told)
    words = command(str(caught.value))
    assert words[0] == "relative-costs"
    assert f"topology={topology}" in words
    assert words[-2:] == ["--vary", "cpu.hertz=1GHz"]


def board_file(directory: Path, **numbers: str) -> str:
    text = (PROFILES / "socrates.toml").read_text()
    for before, after in numbers.items():
        assert before in text
        text = text.replace(before, after)
    path = directory / "my-soc.toml"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize("link", [None, "1 Gbit/s"])
def test_a_board_that_no_sweep_reaches_is_measured_from_its_file(
    monkeypatch: pytest.MonkeyPatch, store: Path, tmp_path: Path, link: str | None
) -> None:
    sweep(monkeypatch, store)
    path = board_file(tmp_path, **{'"pci"': '"sysbus"'})
    asked = ["--link", link] if link else []
    words = command(refused(store, "--board", path, *asked))
    assert words[1:4] == ["--quick", "--board", path]
    cells = load(words[0], elsewhere=Elsewhere.of(path, link, None)).cells(quick=True)
    only = words[6 if link else 4 :]
    kept = select(cells, only[1::2])
    assert {(c.topology, c.profiles["board"], c.link) for c in kept} == {
        ("host-host", "my-soc", link or "")
    }
    assert {c.implementation for c in kept} >= {"software", "hardware"}


def test_a_board_may_be_a_file(
    monkeypatch: pytest.MonkeyPatch, store: Path, tmp_path: Path
) -> None:
    sweep(monkeypatch, store, f"{HERTZ}=600 MHz, 1GHz", gain=by_both)
    path = board_file(tmp_path, **{"800_000_000": "1_000_000_000"})
    told = as_json(store, "--board", path)
    assert transfer(told)["speed"] == pytest.approx(0.8)
    other = board_file(tmp_path, **{"800_000_000": "700_000_000"})
    words = command(refused(store, "--board", other))
    assert measured_by(words) == [f"socrates+{HERTZ}=700000000 host-host"]


def test_a_board_that_was_measured_with_another_number_alone_is_asked_for_with_that(
    monkeypatch: pytest.MonkeyPatch, store: Path, tmp_path: Path
) -> None:
    path = board_file(tmp_path, **{'"pci"': '"sysbus"'})
    sweep(monkeypatch, store, "links.*.latency_ns=5 us", more=("--board", path))
    said = refused(store, "--board", path)
    assert "it was measured with latency of all links 5 µs; `--with " in said
    (option,) = re.findall("`--with '(.*)'` asks for that", said)
    told = as_json(store, "--board", path, "--with", option)
    assert told["answer"] == "equal", "to software, at 100 MHz"
    study = told["sensitivity"]["how_to_study"]
    assert f"sensitivity openvpn --quick --board {path} " in study
    assert "--vary 'links.*.latency_ns=5 us'` measures it" in study


def test_a_board_of_one_s_own_may_differ_in_a_number_of_its_own(
    monkeypatch: pytest.MonkeyPatch, store: Path, tmp_path: Path
) -> None:
    path = board_file(tmp_path, **{'"pci"': '"sysbus"'})
    number = "cores.crypto0.timing.clock_hz=200 MHz"
    sweep(monkeypatch, store, number, more=("--board", path))
    assert as_json(store, "--board", path, "--with", number)["answer"]


def test_no_command_studies_a_sample_or_an_experiment_that_the_checkout_lacks(
    monkeypatch: pytest.MonkeyPatch, store: Path, tmp_path: Path
) -> None:
    sample = ("--sample", "lhs", "--cells", "6")
    sweep(monkeypatch, store / "sample", "links.*.latency_ns=5..6 us", more=sample)
    own = tmp_path / "exp.toml"
    own.write_text((EXPERIMENTS / "openvpn.toml").read_text())
    sweep(monkeypatch, store / "own", "links.*.latency_ns=5 us", experiment=str(own))
    for of in ("sample", "own"):
        study = as_json(store / of)["sensitivity"]["how_to_study"]
        assert study.startswith("no experiment of the checkout measures it; docs/sensitivity.md")


@pytest.mark.parametrize("link", ["1Gbit/s", "1 Gbit/s", "1000 Mbit/s"])
def test_a_rate_of_links_may_be_spelled_in_any_way(store: Path, link: str) -> None:
    with pytest.raises(FiresteelError, match="with links at 1 Gbit/s"):
        advise(store, "--link", link)


@pytest.mark.parametrize("link", ["fast", "1 GB/s", "0.5 Mbit/s", "1.25 Gbit/s", ""])
def test_what_is_no_rate_of_links_is_named(store: Path, link: str) -> None:
    with pytest.raises(RequestError, match=f"^--link {link}: allowed is a rate from"):
        advise(store, "--link", link)


def test_a_store_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FiresteelError, match="nowhere does not exist: it has no figures for"):
        advise(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("cpu.hertz", "is not a number"),
        ("cpu.hertz=1 GHz, 2 GHz", "allowed is one value"),
        ("cpu.hertz=1..2 GHz", "allowed is one value"),
        ("cpu.hertzes=1 GHz", "`hertzes` of `cpu.hertzes` is unknown"),
        ("memory.dma=1", "is not a number of a profile"),
    ],
)
def test_a_malformed_number_says_what_is_allowed(store: Path, text: str, reason: str) -> None:
    with pytest.raises(RequestError) as caught:
        advise(store, "--with", text)
    assert str(caught.value).startswith(f"--with {text}: ")
    assert reason in str(caught.value)


def test_what_a_board_lacks_or_may_not_have_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, store: Path, tmp_path: Path
) -> None:
    sweep(monkeypatch, store)
    for text, reason in (
        ("cores.crypto7.timing.clock_hz=1MHz", "the board `socrates` has no such number"),
        ("cpu.instructions_per_second=1 GIPS", "whose clock counts cycles"),
        ("cpu.hertz=1", "would be 1 Hz; allowed are 1 MHz and more"),
        ("gateway:cpu.hertz=1 GHz", "there is no node `gateway`"),
    ):
        with pytest.raises(FiresteelError, match=re.escape(reason)):
            advise(store, "--with", text)
    with pytest.raises(RequestError, match=r"--board .*nonesuch\.toml: "):
        advise(store, "--board", str(tmp_path / "nonesuch.toml"))
    with pytest.raises(FiresteelError, match="has no figures for OpenVPN AES-256-GCM"):
        advise(store, "--with", "cpu.hertz=1 GHz", suite="aes-256-gcm")
