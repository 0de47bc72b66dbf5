# SPDX-License-Identifier: Apache-2.0
"""`firesteel machines`: what it prints is what workers and clients take, and how it ends."""

import asyncio
import signal
import socket
import sys
import urllib.request
from pathlib import Path

import pytest
from dask_here import FakeBoards, Inside, Process, WorkerProcess
from distributed.security import Security
from processes import environment

from firesteel.base.errors import FiresteelError
from firesteel.machines.cluster import Cluster
from firesteel.machines.scheduler import security_of, serve
from firesteel.machines.task import Tls


def command(directory: Path, *words: str) -> Process:
    """A command line of ours."""
    start = [sys.executable, "-P", "-m", "firesteel", "machines"]
    return Process([*start, "--port", "0", *words], environment(directory))


@pytest.fixture
def boards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeBoards:
    (tmp_path / "pids").mkdir()
    monkeypatch.setenv("FAKE_QEMU_PIDS", str(tmp_path / "pids"))
    return FakeBoards(tmp_path)


def test_workers_and_runs_take_the_address_that_it_prints(
    tmp_path: Path, boards: FakeBoards
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = str(other.getsockname()[1])
        with command(tmp_path, "--dashboard-port", taken) as scheduler:
            address = scheduler.expect(r"^tcp://127\.0\.0\.1:\d+$")
            link = scheduler.expect("^Dask's dashboard: ").partition(": ")[2]
            assert f":{taken}/" not in link
            with WorkerProcess(address, tmp_path / "one").ready() as worker:
                with Cluster(address, Security()) as cluster:
                    assert boards.run(cluster.run, tmp_path / "logs")
                with urllib.request.urlopen(link, timeout=60) as page:
                    assert b"Dask Diagnostic UI" in page.read()
                scheduler.send(signal.SIGINT)
                assert scheduler.wait() == 130
                worker.expect(f"the scheduler at {address} is lost; waiting")
    assert scheduler.lines[-2:] == ["Ctrl-C ends the scheduler.", "firesteel: stopped."]


def test_with_files_for_tls_nobody_comes_in_without(
    tmp_path: Path, boards: FakeBoards, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firesteel.machines.cluster._CONNECT_SECONDS", 1)
    made = Security.temporary()
    paths = {name: tmp_path / f"{name}.pem" for name in ("ca", "cert", "key")}
    paths["ca"].write_text(made.tls_ca_file)
    paths["cert"].write_text(made.tls_client_cert)
    paths["key"].write_text(made.tls_client_key)
    options = [word for name, path in paths.items() for word in (f"--tls-{name}", str(path))]
    with command(tmp_path, "--dashboard-port", "0", *options) as scheduler:
        address = scheduler.expect(r"^tls://127\.0\.0\.1:\d+$")
        with WorkerProcess(address, tmp_path / "one", *options).ready():
            plain = address.replace("tls:", "tcp:")
            with WorkerProcess(plain, tmp_path / "two", "--wait", "1", name="two") as stranger:
                with pytest.raises(FiresteelError, match="firewall and TLS files are right"):
                    Cluster(plain, Security())
                assert stranger.wait() == 1
            with Cluster(address, security_of(Tls(*paths.values()))) as cluster:
                assert boards.run(cluster.run, tmp_path / "logs")


def test_a_client_may_end_it() -> None:
    inside = Inside()
    with Cluster(inside.address, Security()) as cluster:
        cluster._client.shutdown()
    with pytest.raises(FiresteelError, match=f"A client ended the scheduler at {inside.address}"):
        inside.scheduler.result(60)
    inside.close()


def refused(host: str, port: int) -> str:
    """What a scheduler there is refused with."""
    with pytest.raises(FiresteelError) as caught:
        asyncio.run(serve(host, port, 0, Security(), lambda *_: None))
    return str(caught.value)


def test_a_port_in_use_is_one_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert refused("127.0.0.1", port) == (
            f"Port {port} of 127.0.0.1 is in use; --port takes another one, and 0 any that is free."
        )


@pytest.mark.parametrize("host", ["192.0.2.1", "no such host", "a" * 70, ""])
def test_an_address_of_another_machine_is_refused(host: str) -> None:
    said = refused(host, 0)
    assert said.startswith(f"No scheduler can start at port 0 of `{host}`: ")
    assert said.endswith("; --host takes an address of this machine, or 0.0.0.0 for all.")
