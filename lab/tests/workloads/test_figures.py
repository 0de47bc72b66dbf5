# SPDX-License-Identifier: Apache-2.0
"""A recorded run gives its figures, and a damaged one gives none."""

import re
from dataclasses import replace
from functools import partial

import pytest
from workloads import recorded_runs as recorded
from workloads.sites import value

from firesteel.boards.result import POWER_OFF, Mark, TopologyRun
from firesteel.judge.compare import compare, frame
from firesteel.judge.rows import read_results
from firesteel.model.cell import Cell
from firesteel.protocols.openvpn import OPENVPN
from firesteel.protocols.window import CellFailure
from firesteel.table import figures_frame
from firesteel.workloads.cells import cell_figures, cell_proof
from firesteel.workloads.transfer import TransferPlan

PROTOCOLS: list[recorded.Protocol] = ["ipsec", "openvpn"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_figures_are_in_the_words_of_the_published_ones(protocol: recorded.Protocol) -> None:
    figures = cell_figures(recorded.cell(protocol), recorded.run(protocol))
    rows = [(figure.workload, figure.parameter.text, figure.metric) for figure in figures]
    assert {name for name, _, _ in rows} == {"ping", "file-transfer", "packet-sizes"}
    assert len(rows) == len(set(rows))
    whole, *parts = (
        value(figures, "file-transfer", "2 MiB", metric)
        for metric in ("cpu", "cpu_user", "cpu_system", "cpu_softirq", "cpu_irq")
    )
    assert 0 < whole <= 100
    assert sum(parts) == pytest.approx(whole)
    assert min(parts) >= 0
    shares = {f.parameter.text: f.value for f in figures if f.workload == "packet-sizes"}
    assert sum(shares.values()) == pytest.approx(100)
    other = 100 - shares["80-159 B"] - shares["1280-2559 B"]
    compared = frame(compare(read_results(figures_frame(figures)))).filter(
        experiment="packet-sizes", parameter="other"
    )
    assert compared["value"].to_list() == pytest.approx([other])
    assert compared["published"].null_count() == 0


def test_figures_are_those_that_ping_and_curl_printed() -> None:
    cell, run = recorded.cell("ipsec"), recorded.run("ipsec")
    figures = cell_figures(cell, run)
    found = [value(figures, "ping", "56 B", f"rtt_{which}") for which in ("mean", "max", "p50")]
    assert found == [0.130, 0.135, 0.130]
    assert value(figures, "ping", "56 B", "loss") == 0
    expected = (2 << 20) / (0.250708 - 0.000311) / 1e6, "without what came before the first byte"
    throughput = value(figures, "file-transfer", "2 MiB", "throughput")
    assert throughput == pytest.approx(expected[0]), expected[1]
    classes = run.nodes["board"].mark("transfer.end")
    (port,) = classes.ports.values()
    large = (*port.rx_sizes[:-1], port.rx_sizes[-1] + 10)
    ports = {name: replace(each, rx_sizes=large) for name, each in classes.ports.items()}
    run = recorded.with_mark(run, "transfer.end", lambda mark: replace(mark, ports=ports))
    assert value(cell_figures(cell, run), "packet-sizes", "2560 B and more", "frequency") > 0


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_tunnel_carried_at_least_what_the_programs_moved(protocol: recorded.Protocol) -> None:
    cell, run = recorded.cell(protocol), recorded.run(protocol)
    proof = cell_proof(cell, run)
    assert proof["tunnel_rx_bytes"] >= proof["payload_rx_bytes"] > 2 << 20
    assert proof["wire_rx_bytes"] > proof["tunnel_rx_bytes"]
    assert proof["retransmissions"] == proof["nic_dropped"] == 0
    counts = {name: count for name, count in proof.items() if name.startswith("cores.")}
    assert {"cores.crypto0.cm_jobs", "cores.crypto0.pk_operations"} <= counts.keys()
    assert set(counts.values()) == {0}
    for node in run.nodes:
        dropped = recorded.with_ports(run, {"rx_dropped": 3}, node=node)
        for of in (cell, without_tunnel(cell)):
            assert cell_proof(of, dropped)["nic_dropped"] == 3
    # What the client sends is received at the far end
    far = cell_proof(cell.model_copy(update={"measured": "peer"}), run)
    for one, other in (("rx", "tx"), ("tx", "rx")):
        assert far[f"payload_{one}_bytes"] == proof[f"payload_{other}_bytes"]
        # Packets that one end merges are several at the other
        carried = proof[f"tunnel_{other}_bytes"]
        assert far[f"tunnel_{one}_bytes"] == pytest.approx(carried, rel=0.05)
    idle = recorded.with_data(run, "proof.after", run.nodes["board"].data["proof.before"])
    with pytest.raises(CellFailure, match="tunnel did not carry"):
        cell_figures(cell, idle)


def without_tunnel(cell: Cell) -> Cell:
    return cell.model_copy(update={"protocol": "none", "cipher": "none", "mac": "none"})


def with_queue_drops(whole: TopologyRun, device: str) -> TopologyRun:
    """The run with 1000 packets dropped by the queue in front of a network card."""
    for when, dropped in (("before", 2), ("after", 1002)):
        section = (
            "[queues]\nqdisc noqueue 0: dev lo root refcnt 2\n"
            " Sent 0 bytes 0 pkt (dropped 9, overlimits 0 requeues 0)\n"
            f"qdisc pfifo_fast 0: dev {device} root refcnt 2 bands 3\n"
            f" Sent 123 bytes 4 pkt (dropped {dropped}, overlimits 0 requeues 8)\n"
        )
        item = f"proof.{when}"
        told = whole.nodes["board"].data[item] + section.encode()
        whole = recorded.with_data(whole, item, told)
    return whole


def test_packets_may_pass_while_the_counters_are_read() -> None:
    counted = {"tunnel_rx_packets": 3312, "udp_rx_datagrams": 3309}
    assert not OPENVPN.contradiction(counted, "rx")
    assert "UDP 3200 datagrams" in OPENVPN.contradiction(
        {**counted, "udp_rx_datagrams": 3200}, "rx"
    )


def test_the_wire_carried_the_tunnel_and_nothing_else() -> None:
    cell, run = recorded.cell("ipsec"), recorded.run("ipsec")
    with pytest.raises(CellFailure, match="counts .* packets, the wire .* frames"):
        cell_proof(cell, recorded.with_ports(run, {"rx_bytes": 2 << 20}))
    late = recorded.with_ports(run, {"tx_frames": -1000, "tx_bytes": -1_400_000})
    assert cell_proof(cell, late), "a busy node sends the rest between its mark and its count"
    lost = recorded.with_ports(late, {"tx_frames": -1000}, POWER_OFF)
    for seen in (lost, with_queue_drops(lost, "eth1")):
        with pytest.raises(CellFailure, match="did not carry what was sent: .* frames"):
            cell_proof(cell, seen)
    assert cell_proof(cell, with_queue_drops(lost, "eth0"))["queue_dropped"] == 1000


def test_a_lost_reply_is_loss_and_no_failed_cell() -> None:
    run, cell = recorded.run("ipsec"), recorded.cell("ipsec")
    whole = cell_proof(cell, run)
    lines = run.nodes["board"].data["ping-16000"].split(b"\n")
    last = next(line for line in reversed(lines) if b"icmp_seq=" in line)
    told = b"\n".join(line for line in lines if line is not last).replace(
        b" 20 received, 0% packet loss", b" 19 received, 5% packet loss"
    )
    lost = recorded.with_data(run, "ping-16000", told)
    proof = cell_proof(cell, lost)
    assert proof["payload_rx_bytes"] == whole["payload_rx_bytes"] - 16028
    assert proof["payload_tx_bytes"] == whole["payload_tx_bytes"]
    assert value(cell_figures(cell, lost), "ping", "16000 B", "loss") == 5


def hardware(profile: str = "socrates", **more: object) -> Cell:
    """The cell of `recorded.run`, had it been in hardware."""
    profiles = {"board": profile, "peer": "peer"}
    return recorded.cell("ipsec", implementation="hardware", profiles=profiles, **more)


def counted(whole: TopologyRun | None = None, **counts: int) -> TopologyRun:
    """The run, in which the board's cores had counted so much in the end."""
    return recorded.with_core_counts(whole or recorded.run("ipsec"), "board", "proof.after", counts)


def _as(mark: Mark, _: Mark) -> Mark:
    return mark


def test_what_the_cores_did_between_the_measurements_ends_is_in_the_proof() -> None:
    run = counted(cm_jobs=5, aes_bytes=64 + (8 << 20))
    run = recorded.with_core_counts(run, "board", "proof.before", {"cm_jobs": 2, "aes_bytes": 64})
    for when, done in (("before", 7), ("after", 4103)):
        of_peer = replace(
            run.nodes["peer"].mark(f"proof.{when}"), cores={"crypto0": {"aes_bytes": done}}
        )
        run = recorded.with_mark(run, of_peer.name, partial(_as, of_peer), "peer")
    proof = cell_proof(hardware(), run)
    names = ("cm_jobs", "aes_bytes", "pk_operations")
    assert [proof[f"cores.crypto0.{name}"] for name in names] == [3, 8 << 20, 0]
    assert proof["peer.cores.crypto0.aes_bytes"] == 4096
    for cell in (recorded.cell("ipsec"), without_tunnel(recorded.cell("ipsec"))):
        with pytest.raises(CellFailure, match="cores did part"):
            cell_proof(cell, counted(cm_jobs=1))


def test_a_tunnel_whose_bytes_the_cores_did_not_see_is_a_failed_cell() -> None:
    with pytest.raises(CellFailure, match=r"cores did none .*\(aes_bytes\)"):
        cell_proof(hardware(), recorded.run("ipsec"))
    proof = cell_proof(recorded.cell("ipsec"), recorded.run("ipsec"))
    carried = proof["tunnel_rx_bytes"] + proof["tunnel_tx_bytes"]
    done = carried * 9 // 10
    assert cell_proof(hardware(), counted(aes_bytes=done + 1))["cores.crypto0.aes_bytes"] > done
    with pytest.raises(CellFailure, match=f"{done - 1} of {carried} byte"):
        cell_proof(hardware(), counted(aes_bytes=done - 1))


@pytest.mark.parametrize(
    ("completion", "interrupts", "good"),
    [
        *(("adaptive", 0, True), ("adaptive", 5, True), ("poll", 0, True)),
        *(("poll", 20, True), ("poll", 21, False), ("irq", 0, False), ("irq", 5, True)),
    ],
)
def test_completion_is_proved_by_interrupts(completion: str, interrupts: int, good: bool) -> None:
    cell, run = (
        hardware(completion=completion),
        counted(aes_bytes=8 << 20, cm_starts=2000, cm_interrupts=interrupts),
    )
    if good:
        assert cell_proof(cell, run)["cores.crypto0.cm_interrupts"] == interrupts
    else:
        with pytest.raises(CellFailure, match=f"{interrupts} interrupts .*completion"):
            cell_proof(cell, run)


def test_aes_on_the_core_does_not_make_up_for_a_mac_in_software() -> None:
    cell, plenty = hardware("socrates-hash"), 8 << 20
    run = recorded.run("ipsec", "socrates-hash")
    with pytest.raises(CellFailure, match="worked on 64 of"):
        cell_proof(cell, counted(run, aes_bytes=plenty, hash_bytes=64))
    plain = counted(aes_bytes=plenty, hash_bytes=64)
    assert cell_proof(hardware(), plain), "a board without hash core leaves the MAC to the CPU"
    assert cell_proof(cell, counted(run, aes_bytes=plenty, hash_bytes=plenty))


@pytest.mark.parametrize(
    ("item", "content", "says"),
    [
        ("transfer", b"6 0.000654 0.002545\n", "transfer failed"),
        ("transfer", b"curl: (7) Failed to connect\n", "Failed to connect"),
        ("transfer", b"6 0.1 0.2\n2097151 0.1 0.2\n", "2097151 of 2097152 bytes"),
        ("transfer", None, "sent no data named transfer"),
        ("ping-56", b"", "does not say that it sent 20"),
        ("transfer.end.cpu", b"irq_ns 1\nsoftirq_ns 1\nctxt 5\n", "lacks interrupts"),
        (
            "transfer.end.cpu",
            b"irq_ns 1\nsoftirq_ns 1\ncpu0 1 2 3 4 5 6 7 8\nintr 7 \nctxt 5\n",
            "transfer.end.cpu lacks the ticks",
        ),
        ("proof.before", None, "sent no data named proof.before"),
    ],
)
def test_a_damaged_report_gives_no_figures(item: str, content: bytes | None, says: str) -> None:
    damaged = recorded.with_data(recorded.run("ipsec"), item, content)
    with pytest.raises(CellFailure, match=says):
        cell_figures(recorded.cell("ipsec"), damaged)


def test_a_missing_mark_gives_no_figures() -> None:
    run = recorded.run("ipsec")
    marks = tuple(mark for mark in run.nodes["board"].marks if mark.name != "transfer.end")
    with pytest.raises(CellFailure, match=r"mark transfer\.end"):
        cell_figures(recorded.cell("ipsec"), recorded.with_node(run, "board", marks=marks))


def test_files_double_up_to_the_largest() -> None:
    assert TransferPlan(size=7 << 20).sizes == (7 << 20,)
    sizes = TransferPlan(size=7 << 20, steady_from=1 << 20).sizes
    assert sizes == tuple(size << 20 for size in (1, 2, 4, 7))


def _fetched(*seconds: float, arrivals: tuple[float, ...] = ()) -> tuple[Cell, TopologyRun]:
    """A cell that fetches files of 128 KiB to 1 MiB, and a run in which they took so long, and
    large frames came so long after the files' windows began.

    What the board did for each is what it did for the file of 2 MiB, as often as it is named.
    """
    plan = TransferPlan(size=1 << 20, steady_from=1 << 17)
    run = recorded.run("ipsec")
    for number, (size, took) in enumerate(zip(plan.sizes, seconds, strict=False), 1):
        name = f"transfer-{size}"
        run = recorded.with_window(run, "transfer", name, number)
        text = f"6 0.1 0.2\n{size} 0.1 {0.1 + took:.6f}\n"
        run = recorded.with_data(run, name, text.encode())
    begin = run.nodes["board"].mark("transfer-131072.begin").time_ns
    frames = [begin + round(after * 1e9) for after in arrivals]
    plans = (recorded.cell("ipsec").plans[0], plan)
    return recorded.cell("ipsec", plans=plans), recorded.with_node(
        run, "board", large_frames=frames
    )


def test_the_first_of_several_files_is_taken_off_the_last() -> None:
    cell, run = _fetched(1.00, 1.50, 2.501)
    figures = cell_figures(cell, run)
    values = {f.metric: f.value for f in figures if f.workload == "file-transfer"}
    assert values["throughput"] == pytest.approx(3 * (1 << 17) / 1.501 / 1e6)
    assert values["transferred"] == 0.375
    whole = cell_figures(recorded.cell("ipsec"), recorded.run("ipsec"))
    cpu, packets, busy = (
        value(whole, "file-transfer", "2 MiB", metric)
        for metric in ("cpu", "packets_received", "cpu_seconds_per_mb")
    )
    assert values["cpu"] == pytest.approx(cpu)
    assert values["packets_received"] == pytest.approx(3 * packets)
    assert values["cpu_seconds_per_mb"] == pytest.approx(2 * busy * (2 << 20) / (3 << 17))
    assert cell_proof(cell, run)["payload_rx_bytes"] > 7 << 17
    to_the_end = cell_figures(*_fetched(1.00, 1.50, 2.6, 4.8))
    assert value(to_the_end, "file-transfer", "1 MiB", "transferred") == 0.875


def _on_a_fast_link(seconds: float) -> float:
    """The throughput where the last file takes so much longer than the first at 1 Gbit/s."""
    cell, run = _fetched(1.0, 1.0 + seconds / 3, 1.0 + seconds)
    links = tuple(
        link.model_copy(update={"rate_bit_s": 10**9, "latency_ns": 100})
        for link in run.topology.links
    )
    run = replace(run, topology=run.topology.model_copy(update={"links": links}))
    return value(cell_figures(cell, run), "file-transfer", "1 MiB", "throughput")


def test_the_beginnings_of_two_files_may_differ_by_some_round_trips() -> None:
    bytes_more = 3 * (1 << 17)
    least = bytes_more / _on_a_fast_link(0.9 * 0.0365) / 1e6  # what the link needs
    assert 0.03 < least < 0.04
    assert _on_a_fast_link(least - 0.004) == pytest.approx(bytes_more / least / 1e6)
    assert _on_a_fast_link(least + 0.004) < bytes_more / least / 1e6
    with pytest.raises(CellFailure, match="impossible"):
        _on_a_fast_link(least - 0.006)


@pytest.mark.parametrize(
    ("seconds", "arrivals", "says"),
    [
        *(((0.1, 0.15, 0.251)[:files], (), "not steady") for files in (1, 2, 3)),
        ((0.1, 0.09, 0.2), (), "no longer .*131072"),
        ((0.30, 0.45, 0.7503), (0.70,), "No frame .*window transfer-"),
        ((0.1, 0.15, 0.2501), (), r"impossible: .* link `wire`"),
    ],
)
def test_files_that_cannot_be_give_no_figures(
    seconds: tuple[float, ...], arrivals: tuple[float, ...], says: str
) -> None:
    with pytest.raises(CellFailure, match=says):
        cell_figures(*_fetched(*seconds, arrivals=arrivals))


def test_a_node_that_marks_the_beginning_late_gives_no_figures() -> None:
    run = recorded.run("ipsec")
    begin, end = (run.nodes["peer"].mark(f"transfer.{each}") for each in ("begin", "end"))
    late = begin.time_ns + round(0.2 * (end.time_ns - begin.time_ns))
    run = recorded.with_mark(
        run, "transfer.begin", lambda mark: replace(mark, time_ns=late), node="peer"
    )
    cell = recorded.cell("ipsec", plans=recorded.cell("ipsec").plans[1:], measured="peer")
    with pytest.raises(CellFailure, match=r"peer marked .* s of a file .* at least 98%"):
        cell_figures(cell, run)


@pytest.mark.parametrize(
    ("arrivals", "took"),
    [((), 0.4503), ((0.001, 0.051, 0.301), 0.4503), ((0.001, 0.051, 0.701), 0.65)],
)
def test_the_slower_of_program_and_wire_counts(arrivals: tuple[float, ...], took: float) -> None:
    """The first file's window has the frames up to a quarter of a second, the last all of them."""
    figures = cell_figures(*_fetched(0.30, 0.45, 0.7503, arrivals=arrivals))
    rate = value(figures, "file-transfer", "1 MiB", "throughput")
    assert rate == pytest.approx(3 * (1 << 17) / took / 1e6)


def test_a_transfer_a_little_faster_than_its_frames_took_as_long_as_they_need() -> None:
    with pytest.raises(CellFailure) as wrong:
        cell_figures(*_fetched(0.1, 0.15, 0.2501))
    told = re.search(r"it needs (\S+) s", str(wrong.value))
    assert told
    needed = float(told[1])
    figures = cell_figures(*_fetched(0.1, 0.1 + 0.992 * needed / 3, 0.1 + 0.992 * needed))
    rate = value(figures, "file-transfer", "1 MiB", "throughput")
    assert rate == pytest.approx(3 * (1 << 17) / needed / 1e6, rel=1e-4)
