# SPDX-License-Identifier: Apache-2.0
"""A node's tunnels are told apart: by their associations, and by scripts that name what fails."""

import subprocess
from pathlib import Path

from firesteel.boards.network import plan
from firesteel.boards.profile import BOARD_FILES
from firesteel.boards.topology import load_topology
from firesteel.protocols.between_hosts import Carried
from firesteel.protocols.ipsec import IPSEC

JOBS = BOARD_FILES / "jobs"


def association(source: str, destination: str, size: int, packets: int) -> str:
    return (
        f"src {source} dst {destination}\n\tproto esp spi 0x00001000 reqid 1 mode tunnel\n"
        f"\tlifetime current:\n\t  {size}(bytes), {packets}(packets)\n"
    )


def test_ipsec_counts_the_associations_of_the_tunnel_alone() -> None:
    carrying, other = plan(load_topology("hub"), "hub", tunnels=True).sides("hub")
    hub, branch, laptop = carrying.here.here, carrying.there.here, other.there.here
    text = (
        association(hub, branch, 1000, 10)
        + association(branch, hub, 2000, 20)
        + association(branch, hub, 200, 2)  # After its keys were changed
        + association(hub, laptop, 7, 1)
        + association(laptop, hub, 70_000, 99)
    )
    assert IPSEC.counts({"xfrm": text}, carrying) == Carried(2200, 22, 1000, 10)
    assert IPSEC.counts({"xfrm": text}, other) == Carried(70_000, 99, 7, 1)


def play(directory: Path, broken: str) -> subprocess.CompletedProcess[str]:
    """Runs tunnels.sh on a node that asks for two tunnels, one of which never comes up."""
    functions = (JOBS / "functions.sh").read_text()
    for number, there in enumerate(("branch", "laptop")):
        (directory / f"tunnel-{number}").write_text(
            f"TUNNEL_NUMBER={number} TUNNEL_ROLE=client NODE_HERE=hub NODE_THERE={there}\n"
        )
    (directory / "tunnel-made-up.sh").write_text(
        "make_tunnel() {\n\techo making $TUNNEL_NUMBER\n}\n"
        f'tunnel_is_up() {{\n\techo no answer\n\t[ "$NODE_THERE" != "{broken}" ]\n}}\n'
    )
    # Each look at the clock is five seconds after the one before
    script = (JOBS / "tunnels.sh").read_text()
    script = script.replace(
        "cut -d . -f 1 /proc/uptime", "echo >>clock; echo $(($(wc -l <clock) * 5))"
    )
    script = script.replace("/run/", "./")
    settings = 'TUNNEL=made-up TUNNELS="0 1"\n'
    return subprocess.run(
        ["sh", "-ec", functions + settings + script],
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
    )


def test_all_tunnels_are_made_and_one_that_does_not_come_up_is_named(tmp_path: Path) -> None:
    done = play(tmp_path, broken="")
    assert (done.returncode, done.stdout) == (0, "making 0\nmaking 1\n")
    done = play(tmp_path, broken="laptop")
    assert done.returncode == 1
    *_, why, last = done.stdout.splitlines()
    assert why == "no answer"
    assert "hub" in last
    assert "laptop" in last
