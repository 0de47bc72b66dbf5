# SPDX-License-Identifier: Apache-2.0
"""The scripts of handshakes' clients, run with stand-ins for the programs."""

import os
import subprocess
from pathlib import Path

import pytest

from firesteel.boards.job import script
from firesteel.boards.profile import BOARD_FILES
from firesteel.protocols.https import with_workers

SCRIPTS = BOARD_FILES / "jobs" / "handshakes"

NGINX = """
set -e
SECONDS_ALL=1 CLIENTS=3 PARTS=2 PART_SECONDS=0.1 TARGET=x
port_of() { echo 1; }
order() { echo "$1"; }
probe() { [ "$1" = mark ] || cat "$3" >/dev/null; }
sleep() { command sleep 0.1; }
. ./nginx.sh
measure_all rsa-2048
"""


def test_none_of_nginx_s_clients_goes_on_beside_those_of_the_next_key(tmp_path: Path) -> None:
    """Each client writes its process number and would run for a minute."""
    for name in ("nginx.sh", "s_time.sh"):
        text = (SCRIPTS / name).read_text(encoding="utf-8").replace("/run/", f"{tmp_path}/run/")
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "run").mkdir()
    (tmp_path / "bin").mkdir()
    client = tmp_path / "bin" / "openssl"
    client.write_text(f"#!/bin/sh\necho $$ >>{tmp_path}/clients\nexec sleep 60\n")
    client.chmod(0o755)
    path = f"{client.parent}:{os.environ['PATH']}"
    told = subprocess.run(
        ["sh", "-c", NGINX],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert told.stdout.split() == ["rsa-2048-all.begin", "rsa-2048-all.end"]
    clients = [int(each) for each in (tmp_path / "clients").read_text().split()]
    assert len(clients) == 3
    left = [each for each in clients if Path(f"/proc/{each}").exists()]
    for each in left:
        os.kill(each, 15)
    assert left == []


@pytest.mark.parametrize("name", ["nginx.sh", "handshakes/nginx.sh"])
def test_nginx_has_a_worker_for_each_cpu(name: str) -> None:
    changed = with_workers(script(BOARD_FILES / "jobs" / name), 4)
    assert b"worker_processes 4;" in changed.content
