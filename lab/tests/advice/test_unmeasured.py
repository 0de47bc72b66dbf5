# SPDX-License-Identifier: Apache-2.0
"""Advice for boards that were never measured, from sweeps around them."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from advice_store import CPU, RATE, RTT, Named, Runs, cell
from commands import invoke
from made_sensitivity import BoardsRunner, Gain

from firesteel.base.errors import FiresteelError, RequestError
from firesteel.board.catalog import Catalog
from firesteel.board.profile import PROFILES, Profile
from firesteel.cli import bench
from firesteel.experiment.collection import load
from firesteel.experiment.experiment import select
from firesteel.experiment.vary_table import sweep_of_options
from firesteel.store.store import Store
from firesteel.workloads.handshakes import HandshakePlan

CLOCK = "cores.crypto0.timing.clock_hz"
HERTZ = "cpu.hertz"
PEER: Named = ("file-transfer", "16 MiB", "peer_cpu", "%")


def by_clock(profile: Profile) -> float:
    """Hardware is as fast as its clock by 100 MHz."""
    return (profile.cores[0].timing.used_clock_hz or 0) / 1e8


def by_both(profile: Profile) -> float:
    """And by how slow the processor is: 1 on the board as it is."""
    return by_clock(profile) * 8e8 / (profile.cpu.hertz or 1)


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr("firesteel.report.write.write_report", lambda *_: tmp_path)
    return tmp_path / "store"


def sweep(
    monkeypatch: pytest.MonkeyPatch,
    store: Path,
    *vary: str,
    gain: Gain = by_clock,
    experiment: str = "openvpn",
    only: str = "suite=aes-256-cbc:none",
) -> str:
    """A run of made-up figures on boards that vary."""

    def make(catalog: Catalog, *_: object) -> BoardsRunner:
        return BoardsRunner(catalog, gain)

    monkeypatch.setattr(bench, "make_runner", make)
    options = [word for text in vary for word in ("--vary", text)]
    invoke("run", experiment, "--quick", "--only", only, *options, "--store", str(store))
    return Store(store).journal().name


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


def test_between_neighbours_logarithms_are_linear(
    monkeypatch: pytest.MonkeyPatch, store: Path
) -> None:
    sweep(monkeypatch, store, f"{CLOCK}=25MHz, 50 MHz, 200 MHz, 400 MHz")
    told = as_json(store, "--with", f"{CLOCK}=120 MHz")
    assert told["sentence"].startswith("Interpolated: Yes, offload OpenVPN AES-256-CBC")
    assert transfer(told)["speed"] == pytest.approx(1.2), "the gain is a power of the clock"
    (figure,) = [each for each in told["figures"] if each["metric"] == "throughput"]
    assert (figure["software"], figure["hardware"]) == (pytest.approx(6), pytest.approx(7.2))
    assert transfer(told)["around"] == {
        "speed": [0.5, 2.0],
        "work": [pytest.approx(0.5, rel=0.01), pytest.approx(2, rel=0.01)],
        "verdicts": ["loses", "helps"],
    }
    low, high = told["interpolated"]["between"]
    assert [low["away"][0][key] for key in ("path", "unit", "measured", "asked")] == [
        *(CLOCK, "Hz"),
        *(50_000_000, 120_000_000),
    ]
    assert low["away"][0]["factor"] == pytest.approx(50 / 120)
    assert (low["answer"], high["answer"]) == ("no", "yes")
    assert low["weight"] + high["weight"] == pytest.approx(1)
    assert told["sensitivity"] is None
    assert told["profile"] == f"socrates+{CLOCK}=120000000"
    assert told["break_even"] == []


def test_a_topology_in_which_the_sweep_was_goes_before_a_newer_one_that_does_not_tell(
    monkeypatch: pytest.MonkeyPatch, store: Path
) -> None:
    sweep(monkeypatch, store, f"{CLOCK}=50 MHz, 200 MHz", only="suite=aes-256-gcm")
    gateways = sweep(monkeypatch, store, experiment="gateways", only="protocol=openvpn")
    asked = ("--with", f"{CLOCK}=120 MHz", "--format", "json")
    told = json.loads(advise(store, *asked, suite="aes-256-gcm"))
    assert (told["topology"], transfer(told)["speed"]) == ("host-host", pytest.approx(1.2))
    with pytest.raises(FiresteelError, match="no measured board differs|lies outside"):
        advise(store, *asked, "--run", gateways, suite="aes-256-gcm")


def test_people_read_that_it_was_not_measured_and_how_far_others_are(
    monkeypatch: pytest.MonkeyPatch, store: Path
) -> None:
    sweep(monkeypatch, store, f"{CLOCK}=50 MHz, 200 MHz")
    text = " ".join(advise(store, "--with", f"{CLOCK}=120 MHz").split())
    assert "It was not measured; the figures are interpolated between boards that were:" in text
    assert f"{CLOCK} 50 MHz, 0.417 times 120 MHz; weight 37 %; answer there: no" in text
    assert f"{CLOCK} 200 MHz, 1.67 times 120 MHz; weight 63 %; answer there: yes" in text
    assert "Measured on " not in text
    assert re.search(r"MiB 1\.200 0\.500–2\.000 0\.83\d 0\.50\d–2\.00\d helps \(around: ", text)


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


def test_the_command_measures_just_what_was_asked(
    monkeypatch: pytest.MonkeyPatch, store: Path
) -> None:
    sweep(monkeypatch, store, f"{CLOCK}=50 MHz, 200 MHz")
    told = as_json(store, "--with", f"{CLOCK}=120 MHz")
    words = command(told["interpolated"]["how_to_measure"])
    assert measured_by(words) == [f"socrates+{CLOCK}=120000000 host-host"]
    sweep(monkeypatch, store, f"{CLOCK}=120 MHz")
    told = as_json(store, "--with", f"{CLOCK}=120 MHz")
    assert told["interpolated"] is None, "now it was measured"
    assert told["sentence"].startswith("Yes, ")
    assert transfer(told)["speed"] == pytest.approx(1.2)


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (f"{CLOCK}=400 MHz", "was measured at 50 MHz, 100 MHz, 200 MHz, and 400 MHz lies outside"),
        (f"{CLOCK}=20 MHz", "and 20 MHz lies outside"),
        ("cpu.hertz=1 GHz", "cpu.hertz was measured at 800 MHz, and 1 GHz lies outside"),
    ],
)
def test_nothing_is_extrapolated(
    monkeypatch: pytest.MonkeyPatch, store: Path, asked: str, reason: str
) -> None:
    sweep(monkeypatch, store, f"{CLOCK}=50 MHz, 100 MHz, 200 MHz")
    with pytest.raises(FiresteelError) as caught:
        advise(store, "--with", asked)
    text = str(caught.value)
    assert reason in text
    assert "and nothing is extrapolated; `firesteel run " in text
    assert "\n" not in text
    path, _, value = asked.partition("=")
    number, unit = value.split()
    hertz = int(number) * {"MHz": 10**6, "GHz": 10**9}[unit]
    assert measured_by(command(text)) == [f"socrates+{path}={hertz} host-host"]


def test_two_parameters_need_a_whole_rectangle(
    monkeypatch: pytest.MonkeyPatch, store: Path
) -> None:
    asked = ("--with", f"{CLOCK}=100MHz", "--with", f"{HERTZ}=1.2 GHz")
    clocks = f"{CLOCK}=70 MHz, 200 MHz"
    sweep(monkeypatch, store, clocks, f"{HERTZ}=1GHz", gain=by_both)
    with pytest.raises(FiresteelError, match="which differ from it in .* do not enclose it"):
        advise(store, *asked)
    sweep(monkeypatch, store, clocks, f"{HERTZ}=1.6GHz", gain=by_both)
    told = as_json(store, *asked)
    assert len(told["interpolated"]["between"]) == 4
    assert transfer(told)["speed"] == pytest.approx(800 / 1200)
    factors = [len(each["away"]) for each in told["interpolated"]["between"]]
    assert factors == [2] * 4


def test_what_is_not_asked_for_is_as_in_the_file_whatever_a_sweep_had(
    monkeypatch: pytest.MonkeyPatch, store: Path
) -> None:
    sweep(monkeypatch, store, f"{CLOCK}=50MHz,200MHz", f"{HERTZ}=600MHz,1GHz", gain=by_both)
    told = as_json(store, "--with", f"{HERTZ}=700MHz")
    assert told["profile"] == f"socrates+{HERTZ}=700000000"
    assert transfer(told)["speed"] == pytest.approx(800 / 700), "at 100 MHz"


def test_more_parameters_lie_within_the_hull(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    names = (CLOCK, HERTZ, "cores.crypto0.timing.register_ns")
    ranges = ("50MHz,200MHz", "600MHz,1GHz", "50,500")
    vary = [f"{name}={values}" for name, values in zip(names, ranges, strict=True)]
    sweep(monkeypatch, store, *vary, gain=by_both)
    asked = [
        word
        for name, value in zip(names, ("110MHz", "700MHz", "100"), strict=True)
        for word in ("--with", f"{name}={value}")
    ]
    told = as_json(store, *asked)
    assert 2 <= len(told["interpolated"]["between"]) <= 4
    assert transfer(told)["speed"] == pytest.approx(1.1 * 800 / 700)


def test_each_kind_of_measurement_is_interpolated_by_itself(store: Path) -> None:
    plan = HandshakePlan(keys=("rsa-2048",), alone=3, clients=10, seconds=30)
    rate = ("tls-connections", "rsa-2048", "connections", "1/min")
    runs = Runs(Store(store))
    for board, factor in (("socrates", 1.0), ("socrates-1600", 4.0)):
        at: dict[str, Any] = {"profiles": {"board": board, "peer": "peer"}, "mac": "none"}
        tls = {**at, "ping": None, "transfer": None, "handshakes": plan}
        runs.add(
            (cell(**at), {RATE: 5.0}),
            (cell("hardware", **at), {RATE: 5.0 * factor}),
            (cell(**tls), {rate: 300.0}),
            (cell("hardware", **tls), {rate: 600.0 * factor}),
        )
    hertz = round(8e8 * 2**0.5)  # In the middle, by logarithms.
    told = as_json(store, "--with", f"{HERTZ}={hertz}")
    found = {row["experiment"]: row for row in told["rows"]}
    assert found["file-transfer"]["speed"] == pytest.approx(2, rel=1e-6)
    assert found["tls-connections"]["speed"] == pytest.approx(4, rel=1e-6)
    assert found["tls-connections"]["around"]["speed"] == [2, 8]
    assert len(told["records"]) == 2
    text = advise(store, "--with", f"{HERTZ}={hertz}")
    assert "Means of" not in text
    assert text.count("does offload help?") == 2


def test_a_row_that_the_peer_limited_somewhere_is_not_interpolated(store: Path) -> None:
    runs = Runs(Store(store))
    shares = {PEER: 99.0}
    for board, more in (("socrates", {}), ("socrates-1600", shares)):
        at: dict[str, Any] = {"profiles": {"board": board, "peer": "peer"}, "mac": "none"}
        runs.add(
            (cell(**at), {RATE: 5.0, RTT: 2.0}),
            (cell("hardware", **at), {RATE: 8.0, RTT: 1.0, CPU: 10.0, **more}),
        )
    told = as_json(store, "--with", f"{HERTZ}=1.2GHz")
    assert {row["experiment"] for row in told["rows"]} == {"ping"}


def test_links_vary_too(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    sweep(monkeypatch, store, "links.wire.latency_ns=20 µs, 2 ms")
    told = as_json(store, "--with", "links.wire.latency_ns=200 µs", "--topology", "host-host")
    assert told["topology"] == "host-host+links.wire.latency_ns=200000"
    low, high = told["interpolated"]["between"]
    assert [each["away"][0]["factor"] for each in (low, high)] == [
        pytest.approx(0.1),
        pytest.approx(10),
    ]
    assert low["weight"] == pytest.approx(0.5)
    words = command(told["interpolated"]["how_to_measure"])
    assert measured_by(words) == ["socrates host-host+links.wire.latency_ns=200000"]


def board_file(directory: Path, **numbers: str) -> str:
    text = (PROFILES / "socrates.toml").read_text()
    for before, after in numbers.items():
        assert before in text
        text = text.replace(before, after)
    path = directory / "my-soc.toml"
    path.write_text(text)
    return str(path)


def test_a_board_may_be_a_file(
    monkeypatch: pytest.MonkeyPatch, store: Path, tmp_path: Path
) -> None:
    sweep(monkeypatch, store, f"{HERTZ}=600 MHz, 1.6GHz", gain=by_both)
    path = board_file(tmp_path, **{"800_000_000": "1_000_000_000"})
    told = as_json(store, "--board", path)
    assert told["profile"] == "my-soc"
    assert "on `my-soc`" in told["sentence"]
    assert transfer(told)["speed"] == pytest.approx(0.8)
    words = command(told["interpolated"]["how_to_measure"])
    assert measured_by(words) == [f"socrates+{HERTZ}=1000000000 host-host"]


def test_a_board_that_differs_in_more_than_numbers_is_refused(
    monkeypatch: pytest.MonkeyPatch, store: Path, tmp_path: Path
) -> None:
    sweep(monkeypatch, store, f"{HERTZ}=600 MHz, 1.6GHz")
    path = board_file(tmp_path, **{"[memory]": '[memory]\ndma = "non-coherent"'})
    with pytest.raises(FiresteelError) as caught:
        advise(store, "--board", path)
    text = str(caught.value)
    assert "no measured board differs from it in numbers alone" in text
    assert 'with `profiles = { board = "my-soc.toml" }` measures it' in text


def test_a_board_of_the_checkout_that_was_never_measured_may_be_changed(
    monkeypatch: pytest.MonkeyPatch, store: Path
) -> None:
    sweep(monkeypatch, store, f"{HERTZ}=800 MHz, 1.6GHz", f"{CLOCK}=50MHz,200MHz", gain=by_both)
    told = as_json(store, "--board", "socrates-1600", "--with", f"{CLOCK}=120MHz")
    assert told["profile"] == f"socrates-1600+{CLOCK}=120000000"
    assert transfer(told)["speed"] == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("cpu.hertz", "is no number"),
        ("cpu.hertz=1 GHz, 2 GHz", "allowed is one value"),
        ("cpu.hertz=1..2 GHz", "allowed is one value"),
        ("cpu.hertzes=1 GHz", "`hertzes` of `cpu.hertzes` is unknown"),
        ("memory.dma=1", "is no number of a profile"),
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
