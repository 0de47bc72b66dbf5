# SPDX-License-Identifier: Apache-2.0
"""Real cells, run as a user runs them, give the same records to the last byte, whatever happens.

tiny   board ── peer                              no tunnel, OpenVPN, IPsec
wide   host-a ── gateway-a ── gateway-b ── host-b IPsec between the gateways
"""

import signal
import subprocess
import time
from pathlib import Path

import pytest
from bench import other_load
from lab_run import command, environment, run

from firesteel.store.store import Store

CONFIGURATIONS = """
[[configurations]]
protocol = "none"
suite = "none:none"

[[configurations]]
protocol = ["openvpn", "ipsec"]
suite = "aes-256-gcm:gcm"
"""

MEASURED = """
[ping]
sizes = [56, 8000]
count = 5

[transfer]
size = "1 MiB"
"""

TINY = f'title = "Tiny"\ntopology = "host-host"\nmeasured = "board"\n{CONFIGURATIONS}{MEASURED}'

WIDE = f"""title = "Wide"
topology = "host-gateway-gateway-host"
measured = "gateway-a"

[[configurations]]
protocol = "ipsec"
suite = "aes-256-cbc:sha256"
{MEASURED}"""


def records(store: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (store / "records").rglob("*.json")}


def boards_of(store: Path) -> list[str]:
    """Command lines of the QEMU processes that run for this store."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if "qemu-system" in line and str(store) in line:
            found.append(line)
    return found


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("experiment") / "tiny.toml"
    path.write_text(TINY)
    return path


@pytest.fixture(scope="module")
def alone(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the cells of `tiny`, measured one after the other."""
    store = tmp_path_factory.mktemp("alone")
    run(tiny, store, "--jobs", "1")
    return store


@pytest.mark.first
def test_the_cells_carry_what_they_should(alone: Path) -> None:
    store = Store(alone)
    clear, openvpn, ipsec = store.records(store.journal())
    for record in (clear, openvpn, ipsec):
        metrics = {figure.metric for figure in record.figures}
        assert {"rtt_mean", "rtt_p99", "throughput", "cpu", "cpu_softirq", "frequency"} <= metrics
        assert all(figure.value >= 0 for figure in record.figures)
        assert {"openvpn", "strongswan-swanctl"} <= set(record.packages)
        cores = {name: count for name, count in record.proof.items() if "cores" in name}
        assert {"cores.crypto0.aes_bytes", "cores.crypto0.pk_operations"} <= cores.keys()
        assert set(cores.values()) == {0}, "software leaves the cores alone"
    assert "tunnel_rx_bytes" not in clear.proof
    assert openvpn.proof["tunnel_rx_bytes"] > 1 << 20
    assert ipsec.proof["tunnel_rx_bytes"] > 1 << 20


def test_cells_side_by_side_under_foreign_load_give_the_same_bytes(
    alone: Path, tiny: Path, tmp_path: Path
) -> None:
    with other_load():
        run(tiny, tmp_path, "--jobs", "2")
    assert len(records(tmp_path)) == 3
    assert records(tmp_path) == records(alone)


@pytest.mark.thorough
def test_four_boards_give_the_same_bytes_under_foreign_load(tmp_path: Path) -> None:
    experiment = tmp_path / "wide.toml"
    experiment.write_text(WIDE)
    run(experiment, tmp_path / "1")
    with other_load():
        run(experiment, tmp_path / "2")
    assert len(records(tmp_path / "1")) == 1
    assert records(tmp_path / "1") == records(tmp_path / "2")


def test_ctrl_c_stops_every_board_and_a_rerun_goes_on(
    alone: Path, tiny: Path, tmp_path: Path
) -> None:
    with subprocess.Popen(
        command(tiny, tmp_path, "--jobs", "2"),
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        deadline = time.monotonic() + 120
        while len(seen := boards_of(tmp_path)) < 4 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert len(seen) == 4
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "0 of 3 cells" in errors
    assert boards_of(tmp_path) == []
    run(tiny, tmp_path)
    assert records(tmp_path) == records(alone)
