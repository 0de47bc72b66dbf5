# SPDX-License-Identifier: Apache-2.0
"""Nothing is measured by default: what no job knows is refused, in the lab and by the scripts."""

import subprocess
from pathlib import Path
from typing import get_args

import pytest
from workloads import recorded_runs as recorded
from workloads.made_handshakes import cell as handshakes_cell
from workloads.sites import jobs_of, variables_of

from firesteel.base.errors import FiresteelError
from firesteel.boards.profile import BOARD_FILES
from firesteel.model.cell import Cell, Habit

JOBS = BOARD_FILES / "jobs"


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        (
            recorded.cell("quic"),
            "`quic` .*openvpn, openvpn-dco, openvpn-dco-batches, ipsec",
        ),
        (handshakes_cell(protocol="ssh"), "`ssh` is not measured by `handshakes`"),
        (
            handshakes_cell(protocol="nginx").model_copy(update={"plans": ()}),
            "`handshakes` is missing",
        ),
        (
            recorded.cell(
                "openvpn", plans=(*recorded.cell("openvpn").plans, *handshakes_cell().plans)
            ),
            "in one boot",
        ),
        *(
            (recorded.cell("ipsec", implementation=each), f"`ipsec` .*`{each}`")
            for each in ("virtio-crypto", "hardware-kernel")
        ),
    ],
)
def test_what_nobody_measures_is_refused(cell: Cell, says: str) -> None:
    with pytest.raises(FiresteelError, match=says):
        jobs_of(cell)


@pytest.mark.parametrize("habit", get_args(Habit))
def test_every_habit_is_some_node_s_and_the_scripts_know_it(habit: str) -> None:
    cell = recorded.cell("openvpn", as_in_2015=(habit,))
    told = [variables_of(job)["AS_IN_2015"] for job in jobs_of(cell).values()]
    assert sorted(told) == ["", habit]
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


@pytest.mark.parametrize(
    ("name", "changed", "why"),
    [
        *(
            ("run.sh", {each: "new"}, f"{each} is `new'; allowed are: ")
            for each in ("PART", "AS_IN_2015", "KERNEL_SOFTWARE")
        ),
        ("handshakes/run.sh", {"PART": "none"}, "PART is `none'; allowed are: "),
        (
            "handshakes/run.sh",
            {"PROGRAM": "apache"},
            "PROGRAM is `apache'; there is no script of that name",
        ),
    ],
)
def test_a_script_does_nothing_for_a_setting_that_it_does_not_know(
    tmp_path: Path, name: str, changed: dict[str, str], why: str
) -> None:
    usual = {} if name == "run.sh" else {"PART": "server"}
    assert play(tmp_path, name, **usual).stdout == "the network\n"
    done = play(tmp_path, name, **(usual | changed))
    assert done.returncode == 1
    assert done.stdout.startswith(why)
