# SPDX-License-Identifier: Apache-2.0
"""Streams: what arrived while they were steady counts, and several clients' are added up."""

import copy
import re
from typing import Any

import pytest
from made_cells import made
from workloads.made_streams import busy_gateway_run, report, stream_run, streams
from workloads.sites import jobs_of, variables_of

from firesteel.protocols.between_hosts import NONE
from firesteel.protocols.window import CellFailure
from firesteel.workloads.stream import STREAM, Stream, StreamPlan

BOTH = {"stream-tcp-64": report("tcp"), "stream-udp-64": report("udp")}


def figures(of: Any, reports: Any) -> dict[tuple[str, str], float]:
    found = STREAM.figures(of, stream_run(of, reports))
    assert {each.parameter.size_bytes for each in found} == {64}
    return {(each.workload, each.metric): each.value for each in found}


def test_what_the_receiver_reports_between_the_marks_counts() -> None:
    told = figures(streams(), {"board": BOTH})
    parts = [each["sum"] for each in BOTH["stream-udp-64"]["server_output_json"]["intervals"]]
    steady = sum(each["bytes"] for each in parts[4:9]) / 0.5 / 1e6
    assert told["udp-stream", "throughput"] == pytest.approx(steady, rel=1e-6)
    assert told["tcp-stream", "throughput"] == pytest.approx(11.74, rel=0.01)
    assert told["tcp-stream", "cpu"] == 25
    assert told["tcp-stream", "cpu_seconds_per_mb"] == pytest.approx(0.25 / 11.743, rel=1e-3)
    assert ("tcp-stream", "fairness") not in told


def test_the_other_way_the_client_is_the_receiver() -> None:
    servers = {name: each["server_output_json"] for name, each in BOTH.items()}
    turned = {name: servers[name] | {"server_output_json": each} for name, each in BOTH.items()}
    back = streams(direction="receive")
    assert figures(back, {"board": turned}) == figures(streams(), {"board": BOTH})
    run = stream_run(back, {"board": turned})
    received, sent = STREAM.payload(back, [run.nodes["board"]])
    assert (received > 15e6, sent) == (True, 0)


def test_work_of_a_gateway_too_busy_for_its_marks_is_of_the_whole_stream() -> None:
    told = report("tcp")
    of = streams("host-gateway-gateway-host", transports=("tcp",))
    of = of.model_copy(update={"measured": "gateway-a"})
    found = STREAM.figures(of, busy_gateway_run(of, told, go=0.99))
    figures = {each.metric: each.value for each in found}
    arrived = sum(each["sum"]["bytes"] for each in told["server_output_json"]["intervals"])
    # A quarter of 1.110002 s, in which the stream lasted one
    assert figures["cpu"] == pytest.approx(27.75, rel=1e-4)
    assert figures["cpu_seconds_per_mb"] == pytest.approx(0.2775 / arrived * 1e6, rel=1e-4)
    assert "peer_cpu" not in figures
    late = STREAM.figures(of, busy_gateway_run(of, told, go=2.09))
    assert [each.metric for each in late] == ["throughput", "retransmissions"]


def test_loss_is_of_the_steady_part() -> None:
    lossy = copy.deepcopy(BOTH)
    parts = lossy["stream-udp-64"]["server_output_json"]["intervals"]
    for part in (parts[0], parts[5]):
        part["sum"]["lost_packets"] = 1000
    messages = sum(part["sum"]["packets"] for part in parts[4:9])
    told = figures(streams(), {"board": lossy})
    assert told["udp-stream", "loss"] == pytest.approx(100 * 1000 / messages)


def test_several_clients_are_added_up_and_their_shares_told() -> None:
    half = copy.deepcopy(BOTH)
    for side in (half["stream-tcp-64"], half["stream-tcp-64"]["server_output_json"]):
        for part in side["intervals"]:
            part["sum"]["bytes"] //= 2
    of = streams("three-hosts-gateway-host")
    told = figures(of, {"host-1": BOTH, "host-2": BOTH, "host-3": half})
    alone = figures(streams(), {"board": BOTH})
    rate = alone["tcp-stream", "throughput"]
    assert told["tcp-stream", "throughput"] == pytest.approx(2.5 * rate, rel=1e-4)
    assert told["tcp-stream", "least_share"] == pytest.approx(20, rel=1e-4)
    assert told["tcp-stream", "fairness"] == pytest.approx(2.5**2 / (3 * 2.25), rel=1e-4)
    assert told["udp-stream", "fairness"] == pytest.approx(1)


def _broken(**changes: Any) -> dict[str, Any]:
    return {**BOTH, "stream-tcp-64": {**BOTH["stream-tcp-64"], **changes}}


def _server(**changes: Any) -> dict[str, Any]:
    return _broken(server_output_json=BOTH["stream-tcp-64"]["server_output_json"] | changes)


NOTHING = [
    {"sum": {"start": n / 10, "end": (n + 1) / 10, "seconds": 0.1, "bytes": 0}} for n in range(10)
]


@pytest.mark.parametrize(
    ("reports", "says"),
    [
        (_broken(error="unable to connect"), "board's stream-tcp-64: iperf3 failed: unable"),
        (_broken(server_output_json=None), "the server says nothing"),
        (_server(intervals=[]), "reports 0.000 s"),
        (_server(intervals=NOTHING), "nothing arrived"),
        (_broken(intervals="none"), "no report of iperf3"),
    ],
)
def test_a_stream_that_broke_off_is_none(reports: Any, says: str) -> None:
    with pytest.raises(CellFailure, match=says):
        figures(streams(), {"board": reports})


def test_every_stream_of_a_client_has_a_server_and_the_first_orders_the_others() -> None:
    jobs = jobs_of(streams("three-hosts-gateway-host"))
    told = {node: variables_of(job) for node, job in jobs.items()}
    clients = ("host-1", "host-2", "host-3")
    assert [told[node]["STREAM_PORT"] for node in clients] == ["5401", "5403", "5405"]
    assert told["host-b"]["STREAM_PORTS"] == "5401 5402 5403 5404 5405 5406"
    assert told["host-1"]["STREAM_OTHERS"] == "7001 7002"
    assert [node for node, each in told.items() if each["ACTS"] == "stream"] == [*clients]


def test_each_of_several_flows_has_a_tunnel_by_its_port() -> None:
    plan = StreamPlan(sizes=(64,), transports=("tcp",), direction="send", seconds=1, flows=2)
    jobs = jobs_of(made("ipsec", "aes-256-gcm:gcm", plan, implementation="hardware"))
    told = variables_of(jobs["board"])
    assert (told["TUNNEL"], told["STREAM_WAY"]) == ("esp-flows", "-P 2 --cport 5601")
    for node, way in (("board", "local"), ("peer", "remote")):
        text = jobs[node].files["/job/swanctl.conf"].content.decode()
        assert re.findall(r"^\t\t\t(\S+) \{", text, re.MULTILINE) == [
            "tunnel0",
            "tunnel0-1",
            "tunnel0-2",
        ]
        assert re.findall(rf"{way}_ts = \S+\[6/(\d+)\]", text) == ["5601", "5602"]
    assert "flows" not in plan.model_copy(update={"flows": 1}).model_dump()
    with pytest.raises(ValueError, match="tcp"):
        Stream(sizes=(64,), flows=2)


def test_udp_has_no_messages_that_it_cannot_carry() -> None:
    (plan,) = Stream(sizes=(64, 65_536)).plans(NONE, quick=False)
    assert isinstance(plan, StreamPlan)
    assert plan.streams == (("tcp", 64), ("tcp", 65_536), ("udp", 64))
    with pytest.raises(ValueError, match="65507"):
        Stream(sizes=(65_536,), transports=("udp",))
