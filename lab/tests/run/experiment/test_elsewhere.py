# SPDX-License-Identifier: Apache-2.0
"""`--board`, `--link` and `--peer`: an experiment on one's own board, which is one file."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from commands import invoke

from firesteel.base.errors import FiresteelError, RequestError
from firesteel.boards.profile import PROFILES
from firesteel.cli.bench import Measuring
from firesteel.model.identity import side_of
from firesteel.run.experiment.collection import Collection
from firesteel.run.experiment.experiment import named


@pytest.fixture(autouse=True)
def own_board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file in the working directory."""
    shutil.copy(PROFILES / "socrates-hash.toml", tmp_path / "mine.toml")
    monkeypatch.chdir(tmp_path)


def boards(experiment: str, **options: Any) -> tuple[dict[str, str], str]:
    """The boards of all cells, which have the same, and the rate of their links."""
    cells = Measuring(quick=True, **options).load(experiment).cells(True)
    ((profiles, link),) = {(tuple(cell.profiles.items()), cell.link) for cell in cells}
    return dict(profiles), link


@pytest.mark.parametrize(
    ("options", "peer", "link"),
    [
        ({}, "peer", ""),
        ({"link": "100 Mbit/s"}, "peer", "100 Mbit/s"),
        ({"link": "1 Gbit/s"}, "clients", "1 Gbit/s"),
        ({"link": "10Gbit/s"}, "clients", "10 Gbit/s"),
        ({"link": "1 Gbit/s", "peer": "peer"}, "peer", "1 Gbit/s"),
        ({"peer": "mine.toml"}, "mine", ""),
    ],
)
def test_the_peer_is_fast_enough_for_the_link_unless_one_is_named(
    options: dict[str, str], peer: str, link: str
) -> None:
    assert boards("quickstart", board="mine.toml", **options) == (
        {"board": "mine", "peer": peer},
        link,
    )


def test_the_parts_of_a_collection_become_one_board() -> None:
    two = Measuring(quick=True).load("gigabit").cells(True)
    assert len({cell.profiles["board"] for cell in two}) == 2
    profiles, link = boards("gigabit", board="mine.toml", link="2500 Mbit/s")
    assert (profiles, link) == ({"board": "mine", "peer": "clients"}, "2.5 Gbit/s")


def test_profiles_of_a_collection_are_those_of_the_cells_at_the_rate() -> None:
    told = Measuring(board="mine.toml", link="1 Gbit/s").load("relative-costs")
    assert isinstance(told, Collection)
    cells = told.cells()
    assert {cell.link for cell in cells} == {"1 Gbit/s"}
    assert all(named(cells, label) for label in told.profiled())


def test_parts_without_links_stay_as_they_are(tmp_path: Path) -> None:
    parts = "".join(f'[[parts]]\nexperiment = "{name}"\n' for name in ("openssl-speed", "ipsec"))
    (tmp_path / "both.toml").write_text(f'title = "Both"\n{parts}')
    cells = Measuring(link="1 Gbit/s").load("both.toml").cells(True)
    rates = {cell.topology: cell.link for cell in cells}
    assert rates == {"one-board": "", "host-host": "1 Gbit/s"}


@pytest.mark.parametrize("quick", [False, True])
def test_parts_that_a_rate_makes_alike_are_measured_once(quick: bool) -> None:
    thesis = Measuring(link="1 Gbit/s").load("thesis")
    cells = thesis.cells(quick)
    assert len({(cell.label, cell.place, cell.seed) for cell in cells}) == len(cells)
    (ipsec,) = named(cells, "ipsec aes-256-gcm:gcm hardware")
    assert {plan.workload for plan in ipsec.plans} == {"ping", "transfer"}, "the first part's"
    limits = [limit for limit in thesis.limits(quick) if limit.of == side_of(ipsec)]
    assert {limit.most for limit in limits if limit.metric == "rtt_mean"} == {1.01}, "of `ipsec`"
    bounds = {limit.least for limit in limits if limit.metric == "throughput"}
    assert 1 in bounds, "of `gigabit-transfer`"


def test_a_later_part_that_measures_more_is_refused(tmp_path: Path) -> None:
    names = ("gigabit-transfer", "ipsec")
    parts = "".join(f'[[parts]]\nexperiment = "{name}"\n' for name in names)
    (tmp_path / "both.toml").write_text(f'title = "Both"\n{parts}')
    assert Measuring().load("both.toml").cells()
    with pytest.raises(RequestError) as refused:
        boards("both.toml", link="1 Gbit/s")
    said = "--link 1 Gbit/s: a part of both measures more than a part before it"
    assert str(refused.value).startswith(said)


def test_a_rate_without_links_is_refused_by_the_option_s_name() -> None:
    with pytest.raises(RequestError) as refused:
        boards("openssl-speed", link="1 Gbit/s")
    said = "--link 1 Gbit/s: there are no links in `one-board`."
    assert str(refused.value).startswith(said)


def test_a_board_without_storage_is_refused_where_storage_is_measured(tmp_path: Path) -> None:
    with pytest.raises(RequestError) as refused:
        boards("disk-card", board="gateway-a53")
    assert str(refused.value) == (
        "--board gateway-a53: disk-card measures the storage of a board, and this one has none; "
        "allowed are boards with a table `storage` in their file, such as socrates-sd."
    )
    shutil.copy(PROFILES / "socrates-sd.toml", tmp_path / "mine.toml")
    assert boards("disk-card", board="mine.toml")[0] == {"board": "mine"}
    assert boards("disk", board="gateway-a53")[0] == {"board": "gateway-a53"}, "in memory"


def test_a_clock_that_a_board_of_ones_own_lacks_is_told_of_its_file(tmp_path: Path) -> None:
    text = (tmp_path / "mine.toml").read_text(encoding="utf-8")
    kept = (line for line in text.splitlines() if not line.startswith("instructions_per_second"))
    (tmp_path / "mine.toml").write_text("\n".join(kept), encoding="utf-8")
    with pytest.raises(FiresteelError) as caught:
        boards("quickstart", board="mine.toml", clock="flat")
    assert str(caught.value).startswith(f"{tmp_path / 'mine.toml'}: A board of this run has no ")


@pytest.mark.parametrize("command", ["run", "sensitivity", "design"])
@pytest.mark.parametrize(
    ("option", "said"),
    [
        (("--board", "socrate"), "--board socrate: There is no profile `socrate`"),
        (("--board", "gone.toml"), "gone.toml: cannot be read"),
        (("--peer", "fast"), "--peer fast: There is no profile `fast`"),
        (("--link", "quick"), "--link quick: allowed is a rate from 1 Mbit/s"),
    ],
)
def test_mistakes_name_the_option(command: str, option: tuple[str, str], said: str) -> None:
    asked = ("--require", "cpu <= 1 %", "--smallest", "cpu.hertz=1..2GHz")
    with pytest.raises(FiresteelError) as refused:
        invoke(command, "quickstart", *option, *(asked if command == "design" else ()))
    assert said in str(refused.value)
