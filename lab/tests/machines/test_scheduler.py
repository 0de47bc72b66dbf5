# SPDX-License-Identifier: Apache-2.0
"""`firesteel machines`: what it prints is what workers and clients take, and how it ends."""

import asyncio
import signal
import socket
import sys
import urllib.request
from pathlib import Path

import pytest
from dask_here import FakeBoards, Process, WorkerProcess
from distributed.security import Security
from processes import environment

from firesteel.base.errors import FiresteelError
from firesteel.machines.cluster import Cluster
from firesteel.machines.scheduler import Place, serve
from firesteel.machines.security import security_of
from firesteel.machines.tls import Tls

ANY = ("--port", "0", "--dashboard-port", "0")
WITHOUT_BOKEH = """
import importlib.util, sys
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name == "bokeh" else find(name, *more)
from firesteel.cli import main
main()
"""


def command(directory: Path, *words: str, script: str = "") -> Process:
    """A command line of ours."""
    start = ("-c", script) if script else ("-m", "firesteel")
    return Process([sys.executable, "-P", *start, *words], environment(directory))


@pytest.fixture
def boards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeBoards:
    (tmp_path / "pids").mkdir()
    monkeypatch.setenv("FAKE_QEMU_PIDS", str(tmp_path / "pids"))
    return FakeBoards(tmp_path)


def test_workers_and_runs_take_the_address_that_it_prints(
    tmp_path: Path, boards: FakeBoards
) -> None:
    with command(tmp_path, "machines", *ANY) as scheduler:
        address = scheduler.expect(r"^tcp://127\.0\.0\.1:\d+$")
        told = scheduler.expect("^Dask's dashboard: ")
        with WorkerProcess(address, tmp_path / "one").ready() as worker:
            with Cluster(address, Security()) as cluster:
                assert cluster.greeting == told
                assert boards.run(cluster.run, tmp_path / "logs")
            link = told.partition(": ")[2]
            with urllib.request.urlopen(link, timeout=60) as page:
                assert b"Dask Diagnostic UI" in page.read()
            scheduler.send(signal.SIGINT)
            assert scheduler.wait() == 130
            worker.expect(f"the scheduler at {address} is lost; waiting")
    assert scheduler.lines[-2:] == ["Ctrl-C ends the scheduler.", "firesteel: stopped."]


def test_without_bokeh_it_says_nothing_of_a_dashboard(tmp_path: Path) -> None:
    with command(tmp_path, "machines", *ANY, script=WITHOUT_BOKEH) as scheduler:
        address = scheduler.expect("^tcp:")
        with Cluster(address, Security()) as cluster:
            assert cluster.greeting.endswith("its scheduler does without, or has no bokeh.")
        scheduler.send(signal.SIGTERM)
        assert scheduler.wait() == 130
    assert scheduler.lines == [address, "Ctrl-C ends the scheduler.", "firesteel: stopped."]


def test_with_files_for_tls_nobody_comes_in_without(
    tmp_path: Path, boards: FakeBoards, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firesteel.machines.cluster._CONNECT_SECONDS", 2)
    made = Security.temporary()
    paths = {name: tmp_path / f"{name}.pem" for name in ("ca", "cert", "key")}
    paths["ca"].write_text(made.tls_ca_file)
    paths["cert"].write_text(made.tls_client_cert)
    paths["key"].write_text(made.tls_client_key)
    options = [word for name, path in paths.items() for word in (f"--tls-{name}", str(path))]
    with command(tmp_path, "machines", *ANY, *options) as scheduler:
        address = scheduler.expect(r"^tls://127\.0\.0\.1:\d+$")
        with WorkerProcess(address, tmp_path / "one", *options).ready():
            plain = address.replace("tls:", "tcp:")
            with WorkerProcess(plain, tmp_path / "two", "--wait", "2", name="two") as stranger:
                with pytest.raises(FiresteelError, match="firewall and TLS files are right"):
                    Cluster(plain, Security())
                assert stranger.wait() == 1
            with Cluster(address, security_of(Tls(*paths.values()))) as cluster:
                assert cluster.greeting.startswith(
                    "Dask's dashboard, from the scheduler's machine: http://127.0.0.1:"
                )
                assert boards.run(cluster.run, tmp_path / "logs")


def test_a_client_may_end_it(tmp_path: Path) -> None:
    with command(tmp_path, "machines", *ANY) as scheduler:
        address = scheduler.expect("^tcp:")
        with Cluster(address, Security()) as cluster:
            cluster._client.shutdown()
        assert scheduler.wait() == 1
    assert scheduler.lines[-1] == f"firesteel: A client ended the scheduler at {address}."


def refused(host: str, port: int) -> str:
    """What a scheduler there is refused with."""
    with pytest.raises(FiresteelError) as caught:
        asyncio.run(serve(Place(host, port, 0), Security(), lambda _: None))
    return str(caught.value)


def test_a_port_in_use_is_one_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert refused("127.0.0.1", port) == (
            f"Port {port} of 127.0.0.1 is in use; --port takes another one, and 0 any that is free."
        )


def test_a_dashboard_s_port_in_use_is_another_one(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        with command(tmp_path, "machines", "--port", "0", "--dashboard-port", port) as scheduler:
            told = scheduler.expect("^Dask's dashboard: ")
    assert f":{port}/" not in told


@pytest.mark.parametrize("host", ["192.0.2.1", "no such host", "a" * 70, ""])
def test_an_address_of_another_machine_is_refused(host: str) -> None:
    assert refused(host, 0) == (
        f"`{host}` is no address of this machine; --host takes one, or 0.0.0.0 for all."
    )
