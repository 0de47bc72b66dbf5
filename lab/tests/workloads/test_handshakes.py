# SPDX-License-Identifier: Apache-2.0
"""Cells of TLS handshakes: what server and clients are told, and what came of it."""

import statistics
from dataclasses import replace
from pathlib import Path

import pytest
from made_statistics import statistics_file
from workloads.made_handshakes import CLIENT_LOG, cell, run
from workloads.recorded_runs import with_node
from workloads.sites import jobs_of, settings

from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.boards.profile import BOARD_FILES
from firesteel.boards.result import TopologyRun
from firesteel.model.cell import Cell
from firesteel.model.figure import Figure
from firesteel.protocols import pki
from firesteel.protocols.ssh import SSHD
from firesteel.protocols.window import CellFailure
from firesteel.workloads.cells import cell_figures, cell_proof
from firesteel.workloads.handshakes import HandshakePlan


def values(figures: list[Figure]) -> dict[str, float]:
    assert {figure.parameter.text for figure in figures} == {"rsa-2048"}
    return {figure.metric: figure.value for figure in figures}


def with_keys(key: str, protocol: str = "nginx") -> Cell:
    plan = HandshakePlan.model_validate({"keys": (key,), "alone": 2, "clients": 3, "seconds": 10})
    suite = {} if protocol == "openvpn" else {"cipher": "aes-256-gcm", "mac": "gcm"}
    return cell(protocol=protocol, handshakes=plan, **suite)


def test_the_measured_node_serves_and_the_other_has_the_clients() -> None:
    server, client = settings(cell()), settings(cell(), "peer")
    assert (server["PART"], client["PART"]) == ("server", "client")
    assert server["TARGET"] == client["TARGET"]
    assert (client["CLIENTS"], client["HANDSHAKES"], client["SECONDS_ALL"]) == ("10", "2", "60")
    assert server["ORDERS_PORT"] == client["ORDERS_PORTS"]
    assert server["PROVIDER"] == ""
    told = settings(cell("hardware"))
    assert told["DRIVER"] == "firesteel user=all"
    assert told["PROVIDER"].startswith("OPENSSL_CONF=/job/openssl.cnf ")
    assert settings(cell("hardware"), "peer")["PROVIDER"] == ""
    profiles = dict.fromkeys(("host-a", "gateway-a", "gateway-b", "host-b"), "peer")
    with pytest.raises(FiresteelError, match="one other host"):
        jobs_of(cell(topology="host-gateway-gateway-host", profiles=profiles, measured="host-a"))


def test_keys_and_group_are_of_one_size_and_clients_have_usual_keys() -> None:
    files = jobs_of(cell())["board"].files
    assert files["/job/rsa-2048/node.key"].mode == 0o600
    assert b"DH PARAMETERS" in files["/job/rsa-2048/dh.pem"].content
    files = jobs_of(with_keys("ecdsa-p256"))["board"].files
    assert "/job/ecdsa-p256/dh.pem" not in files
    assert files["/job/ecdsa-p256/node.key"].content == pki.identity("board", "ecdsa-p256").key
    files = jobs_of(with_keys("rsa-1024", "openvpn"))["peer"].files
    assert files["/job/rsa-1024/node.key"].content == pki.identity("peer").key


@pytest.mark.parametrize(
    ("protocol", "scripts", "group", "asked"),
    [
        ("nginx", "nginx s_time", "X25519", ""),
        ("nginx-hybrid", "nginx s_time", "X25519MLKEM768", ""),
        ("nginx-hybrid-p256", "nginx s_time", "SecP256r1MLKEM768", "SecP256r1MLKEM768"),
        ("lighttpd", "lighttpd s_time", "X25519", ""),
        ("lighttpd-p256", "lighttpd s_time", "P-256", "P-256"),
        ("openvpn-hybrid", "openvpn-today openvpn", "X25519MLKEM768", None),
        ("openvpn-hybrid-p256", "openvpn-asked openvpn-today openvpn", "SecP256r1MLKEM768", None),
        ("ike", "ike tunnels s_time", "x25519", None),
        ("sshd", "sshd s_time", None, ""),
    ],
)
def test_each_program_has_its_scripts_alone_and_one_group(
    protocol: str, scripts: str, group: str | None, asked: str | None
) -> None:
    of = with_keys("ecdsa-p256", protocol)
    names = {Path(path).name for path in jobs_of(of)["board"].files}
    own = {path.name for path in (BOARD_FILES / "jobs/handshakes").glob("*.sh")} - {"run.sh"}
    assert names & own == {f"{name}.sh" for name in scripts.split()}
    told = settings(of, "peer")
    assert (told.get("GROUP"), told.get("CLIENT_GROUPS")) == (group, asked)


def test_clients_log_in_to_ssh_and_have_nothing_for_the_cores() -> None:
    jobs = jobs_of(with_keys("ecdsa-p256", "sshd"))
    allowed = jobs["board"].files["/job/authorized_keys"].content
    assert allowed == pki.ssh_public_key("peer") + b"\n"
    assert jobs["peer"].files["/job/ecdsa-p256/node.key"].content == pki.identity("peer").key
    assert SSHD.handshakes
    assert SSHD.handshakes.work_is_opening
    ready = (CHECKOUT / "provider/configurations/openssh/ssh.service.conf").read_text()
    given = [line.partition("=")[2] for line in ready.splitlines() if "FIRESTEEL_" in line]
    script = jobs["board"].files["/job/start-sshd.sh"].content.decode()
    assert given
    assert [line for line in given if line not in script] == []


def test_openvpn_tells_how_long_a_renegotiation_took() -> None:
    found = values(cell_figures(cell(), run(0)))
    # 0.2 s and 0.1 s; the first handshake and the one that was not over do not count
    assert found["connection_time"] == pytest.approx(0.15)
    assert found["connections"] == pytest.approx(120)
    assert found["cpu"] == pytest.approx(25)
    assert found["connections_per_cpu"] == pytest.approx(120 / 25)
    assert found["cpu_seconds_per_connection"] == pytest.approx(15 / 120)


def test_connections_to_nginx_are_counted_by_their_clients() -> None:
    one = "8 connections in 0.10s; 80.00 connections/user sec, bytes read 0\n"
    one += "8 connections in 5 real seconds, 0 bytes read per connection\n"
    told = opened(0, 15, 30, 45, 60, 75)
    found = values(cell_figures(cell(protocol="nginx"), run(0, one, told)))
    assert found["connection_time"] == pytest.approx(4 / 8)
    assert found["connections"] == pytest.approx(75), "what was before and after does not count"
    for wrong in (opened(0, 15), told.replace("1", "x")):
        with pytest.raises(CellFailure, match="rsa-2048 are missing"):
            cell_figures(cell(protocol="nginx"), run(0, one, wrong))


def opened(*counts: int) -> str:
    """What nginx's clients had begun each 12 s."""
    return "".join(f"{100 + count}\n" for count in counts)


def lines_of(times: dict[int, list[float]]) -> str:
    return "".join(f"{client} {at:.6f}\n" for client, each in times.items() for at in each)


def uncertainties(figures: list[Figure]) -> dict[str, float | None]:
    """As shares of the figures."""
    return {
        figure.metric: None if figure.uncertainty is None else figure.uncertainty / figure.value
        for figure in figures
    }


def test_clients_that_go_by_their_own_clocks_tell_by_their_spread_how_sure_their_rate_is() -> None:
    """A server that is mostly idle: five clients each 5 s, five each 6 s, for a minute."""
    times = {
        client: [1767225612.0 + turn * (5 + client % 2) for turn in range(11)]
        for client in range(1, 11)
    }
    figures = cell_figures(cell(), run(0, all_text=lines_of(times)))
    assert values(figures)["connections"] == pytest.approx(600 / 5.5)
    found = uncertainties(figures)
    rates = [1 / 5] * 5 + [1 / 6] * 5
    share = 2.2622 * statistics.stdev(rates) / 10**0.5 / statistics.mean(rates)
    assert found["connections"] == pytest.approx(share, rel=1e-4)
    assert found["cpu"] == pytest.approx(share, rel=1e-4), "it varies as they do"
    assert found["cpu_seconds_per_connection"] == pytest.approx(1 / 100)


def test_clients_of_a_busy_server_tell_by_the_course_of_time() -> None:
    """What one has more another has less, so that their spread says nothing: in each round one of
    them waits for 8 s and another for 2.  But all rounds take a tenth longer in the second half.
    """
    times = {client: [1767225612.0] for client in range(1, 11)}
    for turn in range(10):
        slow, fast = turn + 1, (turn + 5) % 10 + 1
        for client, each in times.items():
            gap = {slow: 8.0, fast: 2.0}.get(client, 5.0) * (1.1 if turn >= 6 else 1.0)
            each.append(each[-1] + gap)
    busy = run(0, all_text=lines_of(times))
    marks = tuple(replace(mark, idle_ns=0) for mark in busy.nodes["board"].marks)
    figures = cell_figures(cell(), with_node(busy, "board", marks=marks))
    rates = [1 / 5] * 3 + [1 / 5.5] * 2
    assert values(figures)["connections"] == pytest.approx(600 / (5 * 0.6 + 5.5 * 0.4))
    share = 2.7764 * statistics.stdev(rates) / 5**0.5 / statistics.mean(rates)
    found = uncertainties(figures)
    assert found["connections"] == pytest.approx(share, rel=1e-4)
    assert found["cpu"] is None


def left_to_software(made: TopologyRun, count: int) -> TopologyRun:
    """The run, in which the provider says that it left so many operations to software."""
    after = statistics_file([(b"rsa", 0, 0, count, 0, 0, 0, 0, 0, 0, 0)])
    data = {"programs.before": b"", "programs.after": after, **made.nodes["board"].data}
    return with_node(made, "board", data=data)


@pytest.mark.parametrize(
    # 110 handshakes that were not cut off at either end need three operations each, which no short
    # exponent makes cheap; a request that is left to software is three
    ("done", "small", "is_believed"),
    [
        *((350, 0, True), (349, 0, False), (0, 130, True)),
        *((0, 0, False), (0, 90, False), (180, 60, True), (180, 40, False)),
    ],
)
def test_the_core_had_its_part_or_the_provider_left_it_to_software(
    done: int, small: int, is_believed: bool
) -> None:
    told = left_to_software(run(done), small)
    if is_believed:
        assert cell_proof(cell("hardware"), told)["handshakes.rsa-2048"] == 120
        return
    with pytest.raises(CellFailure, match=r"counted \d+ pk_exponentiations .*120 handshakes"):
        cell_proof(cell("hardware"), told)


def test_the_core_had_its_part_when_one_client_was_alone() -> None:
    with pytest.raises(CellFailure, match=r"rsa-2048-one\); at least"):
        cell_proof(cell("hardware"), run(2000, CLIENT_LOG * 5))
    with pytest.raises(CellFailure, match="cores did part"):
        cell_figures(cell(), run(1))


@pytest.mark.parametrize(
    # Operations of 120 handshakes that need three each at the least, and a trial's four
    ("operations", "share"),
    [(0, 0), (4, 0), (364, 100), (360, 100), (359, 100 * 355 / 360)],
)
def test_it_is_told_how_many_handshakes_the_core_did(operations: int, share: float) -> None:
    done = left_to_software(run(operations + 20 * bool(operations)), 130)
    figures = cell_figures(cell("hardware"), done)
    many = [figure.value for figure in figures if figure.metric == "offloaded"][-1]
    assert many == pytest.approx(share)
    assert values(figures)["core_operations_per_connection"] == pytest.approx(operations / 120)


def test_a_rate_has_no_part_of_a_handshake_too_much() -> None:
    first = 1767225612.25
    times = {1: [first + 12 * n for n in range(6)], 3: [first]}
    times[2] = times[1][:5]
    found = values(cell_figures(cell(), run(0, all_text=lines_of(times))))
    assert found["connections"] == pytest.approx(10), "two come each 12 s, one never again"
    assert found["cpu_seconds_per_connection"] == pytest.approx(0.25 * 6)


@pytest.mark.parametrize(
    ("protocol", "one", "together", "says"),
    [
        *(
            ("openvpn", CLIENT_LOG, told, "No handshake with|have no times")
            for told in ("", "0\n", "openvpn: not found\n")
        ),
        ("openvpn", CLIENT_LOG.splitlines()[0], "", "No handshake"),
        ("nginx", "no route\n", opened(0, 1, 2, 3, 4, 5), "No handshake of one client with rsa-2"),
    ],
)
def test_clients_without_a_handshake_are_a_failed_cell(
    protocol: str, one: str, together: str, says: str
) -> None:
    with pytest.raises(CellFailure, match=says):
        cell_figures(cell(protocol=protocol), run(0, one, together))
