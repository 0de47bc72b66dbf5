# SPDX-License-Identifier: Apache-2.0
"""Nothing is measured by default: what no job knows is refused, in the lab and by the scripts."""

import subprocess
from pathlib import Path
from typing import get_args

import pytest
from workloads import recorded_runs as recorded
from workloads.made_handshakes import cell as handshakes_cell
from workloads.made_handshakes import run as handshakes_run
from workloads.sites import jobs_of

from firesteel.base.errors import FiresteelError
from firesteel.board.profile import BOARD_FILES
from firesteel.model.cell import Cell, Habit
from firesteel.workloads.cells import cell_figures, cell_proof

JOBS = BOARD_FILES / "jobs"


def unknown() -> Cell:
    """A cell of a protocol that nobody knows, with a suite that IPsec has."""
    return recorded.cell("ipsec").model_copy(update={"protocol": "quic"})


def test_a_protocol_that_nobody_knows_is_no_tunnel_of_ipsec() -> None:
    with pytest.raises(
        FiresteelError, match="`quic` .*openvpn, openvpn-dco, openvpn-dco-batches, ipsec"
    ):
        jobs_of(unknown())
    for read in (cell_figures, cell_proof):
        with pytest.raises(FiresteelError, match="`quic` is unknown"):
            read(unknown(), recorded.run("ipsec"))


def test_a_protocol_is_measured_by_its_own_workloads_alone() -> None:
    cell = handshakes_cell().model_copy(update={"protocol": "ssh"})
    with pytest.raises(FiresteelError, match="`ssh` is not measured by `handshakes`"):
        jobs_of(cell)
    with pytest.raises(FiresteelError, match="`ssh` is not measured by `handshakes`"):
        cell_figures(cell, handshakes_run(0))


def test_nginx_without_handshakes_is_no_tunnel() -> None:
    cell = handshakes_cell(protocol="nginx").model_copy(update={"plans": ()})
    with pytest.raises(FiresteelError, match="`handshakes` is missing"):
        jobs_of(cell)


def test_workloads_of_two_boots_are_no_cell() -> None:
    cell = recorded.cell("openvpn")
    plans = (*cell.plans, *handshakes_cell().plans)
    with pytest.raises(FiresteelError, match="in one boot"):
        jobs_of(cell.model_copy(update={"plans": plans}))


def test_an_implementation_that_a_protocol_has_not_is_not_software() -> None:
    for implementation in ("virtio-crypto", "hardware-kernel"):
        cell = recorded.cell("ipsec").model_copy(update={"implementation": implementation})
        with pytest.raises(FiresteelError, match=f"`ipsec` .*`{implementation}`"):
            jobs_of(cell)


@pytest.mark.parametrize("habit", get_args(Habit))
def test_every_habit_is_some_node_s_and_the_scripts_know_it(habit: str) -> None:
    cell = recorded.cell("openvpn").model_copy(update={"as_in_2015": (habit,)})
    told = [job.files["/job/settings"].content.decode() for job in jobs_of(cell).values()]
    assert sum(f"AS_IN_2015={habit}\n" in text for text in told) == 1
    (line,) = (line for line in script("run.sh").splitlines() if "one_of AS_IN_2015" in line)
    assert habit in line.split()


def script(name: str) -> str:
    return (JOBS / name).read_text()


KNOWN = {
    "PART": "none",
    "AS_IN_2015": "",
    "KERNEL_SOFTWARE": "",
    "DRIVER": "",
    "PROGRAM": "nginx",
}


def play(directory: Path, name: str, **changed: str) -> subprocess.CompletedProcess[str]:
    """Runs a script's beginning with other settings, up to where it sets the network."""
    for shared in ("account.sh", "functions.sh", "kernel-software.sh"):
        (directory / shared).write_text(script(shared))
    (directory / "settings").write_text(
        "".join(f"{key}='{value}'\n" for key, value in (KNOWN | changed).items())
    )
    (directory / "network").write_text("echo the network\nexit 3\n")
    (directory / "nginx.sh").write_text("")
    return subprocess.run(
        ["sh", "-c", script(name).replace("cd /job", f"cd '{directory}'")],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("name", ["PART", "AS_IN_2015", "KERNEL_SOFTWARE"])
def test_a_script_does_nothing_for_a_setting_that_it_does_not_know(
    tmp_path: Path, name: str
) -> None:
    assert play(tmp_path, "run.sh").stdout == "the network\n"
    done = play(tmp_path, "run.sh", **{name: "new"})
    assert done.returncode == 1
    assert done.stdout.startswith(f"{name} is `new'; allowed are: ")


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [("PART", "none", "allowed are: "), ("PROGRAM", "apache", "there is no script of that name")],
)
def test_handshakes_do_nothing_for_a_setting_that_they_do_not_know(
    tmp_path: Path, name: str, value: str, why: str
) -> None:
    assert play(tmp_path, "handshakes/run.sh", PART="server").stdout == "the network\n"
    done = play(tmp_path, "handshakes/run.sh", **({"PART": "server"} | {name: value}))
    assert done.returncode == 1
    assert done.stdout.startswith(f"{name} is `{value}'; {why}")
