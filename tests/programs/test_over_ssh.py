# SPDX-License-Identifier: Apache-2.0
"""The lab measures machines over SSH, and leaves them as they were, whatever happens."""

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from namespaces import Machines
from page_steps import steps_of
from program_roots import program_root

from firesteel.build.products import Products


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    """Two machines, `board` and `peer`, with a cable between them."""
    if os.geteuid():
        pytest.skip("network namespaces and overlays need root, as which CI runs")
    root = program_root(Products(), "trixie").tree
    with Machines(root, tmp_path_factory.mktemp("machines")) as made:
        yield made


def experiment(machines: Machines, directory: Path, seconds: int = 2) -> Path:
    """The experiment of the page, on these machines and for so long."""
    (step,) = (each for each in steps_of("real-machines.md") if each.kind == "file")
    text = "\n".join(step.lines).replace("nginx = 10 }", f"nginx = {seconds} }}")
    for name in ("board", "peer"):
        text = text.replace(f"root@{name}.lan", machines.address(name).removeprefix("ssh:"))
    path = directory / Path(step.path).name
    path.write_text(text)
    return path


def lab(machines: Machines, *arguments: str) -> str:
    process = machines.lab(*arguments)
    said: str = process.communicate(timeout=300)[0]
    assert process.returncode == 0, said
    return said


def test_two_machines_are_measured_and_left_as_they_were(
    machines: Machines, tmp_path: Path
) -> None:
    before = [machines.seen(name) for name in ("board", "peer")]
    store = ["--store", str(tmp_path / "store")]
    said = lab(machines, "run", str(experiment(machines, tmp_path)), "--seeds", "2", *store)
    assert "real, not virtual" in " ".join(said.split())
    assert [machines.seen(name) for name in ("board", "peer")] == before
    samples = json.loads(lab(machines, "show", "--part", "samples", "--format", "json", *store))
    handshakes = [each for each in samples if each["metric"] == "connections"]
    assert {each["seed"] for each in handshakes} == {1, 2}
    assert all(each["value"] > 0 for each in handshakes)
    assert {each["clock"] for each in samples} == {"wall"}
    assert {each["link_rate_bit_s"] for each in samples} == {10_000_000_000}  # What veth says
    figures = json.loads(lab(machines, "show", "--format", "json", *store))
    assert {each["interval"] for each in figures} == {"seeds"}


def broken_by_kill(machines: Machines, pid: int) -> None:
    del machines
    os.killpg(pid, signal.SIGKILL)


def broken_by_silence(machines: Machines, pid: int) -> None:
    machines.inside("lab", "ip", "link", "set", "board", "down")
    time.sleep(40)
    os.killpg(pid, signal.SIGKILL)
    machines.inside("lab", "ip", "link", "set", "board", "up")


@pytest.mark.matrix
@pytest.mark.parametrize("breaks", [broken_by_kill, broken_by_silence])
def test_a_machine_is_as_it_was_after_a_connection_broke(
    machines: Machines, tmp_path: Path, breaks: Callable[[Machines, int], None]
) -> None:
    before = machines.seen("board")
    path = experiment(machines, tmp_path, 600)
    process = machines.lab("run", str(path), "--store", str(tmp_path / "store"))
    until(lambda: "eth1" not in machines.on("board", "ls /sys/class/net"))
    breaks(machines, process.pid)
    process.communicate()
    until(lambda: machines.seen("board") == before)


def until(holds: Callable[[], bool]) -> None:
    """Waits for two minutes: on a busy machine, the lab alone takes half a minute to begin."""
    for _ in range(240):
        if holds():
            return
        time.sleep(0.5)
    raise AssertionError("it never came")


def test_what_a_machine_lacks_is_said_before_it_is_measured(
    machines: Machines, tmp_path: Path
) -> None:
    lan = machines.address("board", "lan"), machines.address("peer", "eth1")
    process = machines.lab(
        *("run", str(experiment(machines, tmp_path)), "--board", lan[0], "--peer", lan[1]),
        *("--store", str(tmp_path / "store")),
    )
    said, _ = process.communicate()
    assert process.returncode == 1
    assert "lacks a free interface: lan has an address, so it is in use." in said
