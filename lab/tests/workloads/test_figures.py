# SPDX-License-Identifier: Apache-2.0
"""A recorded run gives its figures, and a damaged one gives none."""

import re
from dataclasses import replace

import pytest
from made_cells import with_plan
from workloads import recorded_runs as recorded

from firesteel.analysis.compare import compare, frame
from firesteel.analysis.rows import read_results
from firesteel.board.result import TopologyRun
from firesteel.model.cell import Cell
from firesteel.model.figure import Figure
from firesteel.protocols.window import CellFailure
from firesteel.table import figures_frame
from firesteel.workloads.cells import cell_figures, cell_proof
from firesteel.workloads.transfer import TransferPlan

PROTOCOLS: list[recorded.Protocol] = ["ipsec", "openvpn"]


def _value(figures: list[Figure], experiment: str, parameter: str, metric: str) -> float:
    (found,) = [
        figure.value
        for figure in figures
        if (figure.workload, figure.parameter.text, figure.metric)
        == (experiment, parameter, metric)
    ]
    return found


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_figures_are_in_the_words_of_the_published_ones(protocol: recorded.Protocol) -> None:
    figures = cell_figures(recorded.cell(protocol), recorded.run(protocol))
    assert {figure.workload for figure in figures} == {"ping", "file-transfer", "packet-sizes"}
    assert {(figure.protocol, figure.cipher, figure.mac) for figure in figures} == {
        (protocol, "aes-256-cbc", "sha256")
    }
    rows = [(figure.workload, figure.parameter.text, figure.metric) for figure in figures]
    assert len(rows) == len(set(rows))


def test_ping_figures_are_those_that_ping_printed() -> None:
    figures = cell_figures(recorded.cell("ipsec"), recorded.run("ipsec"))
    assert _value(figures, "ping", "56 B", "rtt_mean") == 0.130
    assert _value(figures, "ping", "56 B", "rtt_max") == 0.135
    assert _value(figures, "ping", "56 B", "rtt_p50") == 0.130
    assert _value(figures, "ping", "56 B", "loss") == 0


def test_throughput_leaves_out_what_came_before_the_first_byte() -> None:
    figures = cell_figures(recorded.cell("ipsec"), recorded.run("ipsec"))
    expected = (2 << 20) / (0.250708 - 0.000311) / 1e6
    assert _value(figures, "file-transfer", "2 MiB", "throughput") == pytest.approx(expected)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_parts_of_the_cpu_time_make_up_the_whole(protocol: recorded.Protocol) -> None:
    figures = cell_figures(recorded.cell(protocol), recorded.run(protocol))
    whole = _value(figures, "file-transfer", "2 MiB", "cpu")
    parts = [
        _value(figures, "file-transfer", "2 MiB", f"cpu_{part}")
        for part in ("user", "system", "softirq", "irq")
    ]
    assert 0 < whole <= 100
    assert sum(parts) == pytest.approx(whole)
    assert min(parts) >= 0


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_shares_of_packet_sizes_make_up_the_whole(protocol: recorded.Protocol) -> None:
    figures = cell_figures(recorded.cell(protocol), recorded.run(protocol))
    shares = {f.parameter.text: f.value for f in figures if f.workload == "packet-sizes"}
    assert sum(shares.values()) == pytest.approx(100)
    other = 100 - shares["80-159 B"] - shares["1280-2559 B"]
    rows = frame(compare(read_results(figures_frame(figures)))).filter(
        experiment="packet-sizes", parameter="other"
    )
    assert rows["value"].to_list() == pytest.approx([other])
    assert rows["published"].null_count() == 0


def test_the_class_of_the_largest_frames_has_no_upper_bound() -> None:
    run = recorded.run("ipsec")
    figures = cell_figures(recorded.cell("ipsec"), recorded.with_large_frames(run, "transfer.end"))
    assert _value(figures, "packet-sizes", "2560 B and more", "frequency") > 0


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_tunnel_carried_at_least_what_the_programs_moved(protocol: recorded.Protocol) -> None:
    proof = cell_proof(recorded.cell(protocol), recorded.run(protocol))
    assert proof["tunnel_rx_bytes"] >= proof["payload_rx_bytes"] > 2 << 20
    assert proof["wire_rx_bytes"] > proof["tunnel_rx_bytes"]
    assert proof["retransmissions"] == 0


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_tunnel_that_carried_nothing_is_a_failed_cell(protocol: recorded.Protocol) -> None:
    whole = recorded.run(protocol)
    idle = recorded.with_data(whole, "proof.after", whole.nodes["board"].data["proof.before"])
    with pytest.raises(CellFailure, match="tunnel did not carry"):
        cell_figures(recorded.cell(protocol), idle)


def test_clear_traffic_beside_the_tunnel_is_a_failed_cell() -> None:
    beside = recorded.with_wire_bytes(recorded.run("ipsec"), "proof.after", 2 << 20)
    with pytest.raises(CellFailure, match="counts .* packets, the wire .* frames"):
        cell_proof(recorded.cell("ipsec"), beside)


def test_packets_that_a_queue_dropped_behind_the_tunnel_are_no_failed_cell() -> None:
    cell, lost = recorded.cell("ipsec"), recorded.with_frames_lost(recorded.run("ipsec"), 1000)
    for seen in (lost, recorded.with_queue_drops(lost, "eth1", 1000)):
        with pytest.raises(CellFailure, match="did not carry what was sent: .* frames"):
            cell_proof(cell, seen)
    proof = cell_proof(cell, recorded.with_queue_drops(lost, "eth0", 1000))
    assert proof["queue_dropped"] == 1000


def test_a_lost_reply_is_loss_and_no_failed_cell() -> None:
    run, cell = recorded.run("ipsec"), recorded.cell("ipsec")
    whole = cell_proof(cell, run)
    ping = run.nodes["board"].data["ping-16000"]
    lost = recorded.with_data(run, "ping-16000", recorded.without_a_reply(ping))
    proof = cell_proof(cell, lost)
    assert proof["payload_rx_bytes"] == whole["payload_rx_bytes"] - 16028
    assert proof["payload_tx_bytes"] == whole["payload_tx_bytes"]
    assert _value(cell_figures(cell, lost), "ping", "16000 B", "loss") == 5


@pytest.mark.parametrize("protocol", ["ipsec", "openvpn"])
def test_a_measured_far_end_receives_what_the_client_sent(protocol: recorded.Protocol) -> None:
    cell = recorded.cell(protocol)
    near = cell_proof(cell, recorded.run(protocol))
    far = cell_proof(cell.model_copy(update={"measured": "peer"}), recorded.run(protocol))
    for one, other in (("rx", "tx"), ("tx", "rx")):
        assert far[f"payload_{one}_bytes"] == near[f"payload_{other}_bytes"]
        # Packets that one end merges are several at the other
        carried = near[f"tunnel_{other}_bytes"]
        assert far[f"tunnel_{one}_bytes"] == pytest.approx(carried, rel=0.05)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("node", ["board", "peer"])
def test_frames_dropped_by_any_network_card_are_in_the_proof(
    protocol: recorded.Protocol, node: str
) -> None:
    run, cell = recorded.run(protocol), recorded.cell(protocol)
    assert cell_proof(cell, run)["nic_dropped"] == 0
    dropped = recorded.with_drops(run, node, "proof.after", 3)
    assert cell_proof(cell, dropped)["nic_dropped"] == 3
    assert cell_proof(recorded.without_tunnel(cell), dropped)["nic_dropped"] == 3


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_software_leaves_the_cores_alone(protocol: recorded.Protocol) -> None:
    proof = cell_proof(recorded.cell(protocol), recorded.run(protocol))
    counts = {name: value for name, value in proof.items() if name.startswith("cores.")}
    assert {"cores.crypto0.cm_jobs", "cores.crypto0.pk_operations"} <= counts.keys()
    assert set(counts.values()) == {0}


def hardware(profile: str = "socrates") -> Cell:
    """The cell of `recorded.run`, had it been in hardware."""
    profiles = {"board": profile, "peer": "peer"}
    return recorded.cell("ipsec").model_copy(
        update={"implementation": "hardware", "profiles": profiles}
    )


def test_what_the_cores_did_between_the_measurements_ends_is_in_the_proof() -> None:
    cell, run = hardware(), recorded.run("ipsec")
    done = {"cm_jobs": 5, "aes_bytes": 64 + (8 << 20)}
    run = recorded.with_core_counts(run, "board", "proof.before", {"cm_jobs": 2, "aes_bytes": 64})
    run = recorded.with_core_counts(run, "board", "proof.after", done)
    proof = cell_proof(cell, run)
    assert proof["cores.crypto0.cm_jobs"] == 3
    assert proof["cores.crypto0.aes_bytes"] == 8 << 20
    assert proof["cores.crypto0.pk_operations"] == 0


def test_cores_at_work_in_a_software_cell_are_a_failed_cell() -> None:
    run = recorded.with_core_counts(recorded.run("ipsec"), "board", "proof.after", {"cm_jobs": 1})
    for cell in (recorded.cell("ipsec"), recorded.without_tunnel(recorded.cell("ipsec"))):
        with pytest.raises(CellFailure, match="cores did part"):
            cell_proof(cell, run)


def test_a_tunnel_whose_bytes_the_cores_did_not_see_is_a_failed_cell() -> None:
    with pytest.raises(CellFailure, match=r"cores did none .*\(aes_bytes\)"):
        cell_proof(hardware(), recorded.run("ipsec"))
    proof = cell_proof(recorded.cell("ipsec"), recorded.run("ipsec"))
    carried = proof["tunnel_rx_bytes"] + proof["tunnel_tx_bytes"]
    for done, good in ((carried * 9 // 10 + 1, True), (carried * 9 // 10 - 1, False)):
        counts = {"aes_bytes": done}
        run = recorded.with_core_counts(recorded.run("ipsec"), "board", "proof.after", counts)
        if good:
            assert cell_proof(hardware(), run)["cores.crypto0.aes_bytes"] == done
        else:
            with pytest.raises(CellFailure, match=f"{done} of {carried} byte"):
                cell_proof(hardware(), run)


@pytest.mark.parametrize(
    ("completion", "interrupts", "good"),
    [
        ("adaptive", 0, True),
        ("adaptive", 5, True),
        ("poll", 0, True),
        ("poll", 5, False),
        ("irq", 0, False),
        ("irq", 5, True),
    ],
)
def test_completion_is_proved_by_interrupts(completion: str, interrupts: int, good: bool) -> None:
    cell = hardware().model_copy(update={"completion": completion})
    counts = {"aes_bytes": 8 << 20, "cm_interrupts": interrupts}
    run = recorded.with_core_counts(recorded.run("ipsec"), "board", "proof.after", counts)
    if good:
        assert cell_proof(cell, run)["cores.crypto0.cm_interrupts"] == interrupts
    else:
        with pytest.raises(CellFailure, match=f"{interrupts} interrupts, .*completion"):
            cell_proof(cell, run)


def test_aes_on_the_core_does_not_make_up_for_a_mac_in_software() -> None:
    cell, plenty = hardware("socrates-hash"), 8 << 20
    counts = {"aes_bytes": plenty, "hash_bytes": 64}
    whole = recorded.run("ipsec", "socrates-hash")
    run = recorded.with_core_counts(whole, "board", "proof.after", counts)
    with pytest.raises(CellFailure, match="worked on 64 of"):
        cell_proof(cell, run)
    plain = recorded.with_core_counts(recorded.run("ipsec"), "board", "proof.after", counts)
    assert cell_proof(hardware(), plain), "a board without hash core leaves the MAC to the CPU"
    counts = {"aes_bytes": plenty, "hash_bytes": plenty}
    assert cell_proof(cell, recorded.with_core_counts(run, "board", "proof.after", counts))


def test_the_cores_of_another_node_are_in_the_proof_by_its_name() -> None:
    cell, run = recorded.cell("ipsec"), recorded.run("ipsec")
    cores = {"crypto0": {"aes_bytes": 7}}
    run = recorded.with_cores(run, "peer", cores)
    run = recorded.with_core_counts(run, "peer", "proof.after", {"aes_bytes": 4103})
    proof = cell_proof(cell, run)
    assert proof["peer.cores.crypto0.aes_bytes"] == 4096
    assert proof["cores.crypto0.aes_bytes"] == 0


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
    damaged = recorded.without_mark(recorded.run("ipsec"), "transfer.end")
    with pytest.raises(CellFailure, match=r"mark transfer\.end"):
        cell_figures(recorded.cell("ipsec"), damaged)


def test_files_double_up_to_the_largest() -> None:
    assert TransferPlan(size=7 << 20).sizes == (7 << 20,)
    assert TransferPlan(size=7 << 20, steady_from=1 << 20).sizes == tuple(
        size << 20 for size in (1, 2, 4, 7)
    )


def _fetched(*seconds: float) -> tuple[Cell, TopologyRun]:
    """A cell that fetches files of 256 KiB to 1 MiB, and a run in which they took so long.

    What the board did for each is what it did for the file of 2 MiB, as often as it is named.
    """
    plan = TransferPlan(size=1 << 20, steady_from=1 << 17)
    cell = with_plan(recorded.cell("ipsec"), plan)
    run = recorded.run("ipsec")
    for number, (size, took) in enumerate(zip(plan.sizes, seconds, strict=False), 1):
        name = f"transfer-{size}"
        run = recorded.with_window(run, "transfer", name, number)
        text = f"6 0.1 0.2\n{size} 0.1 {0.1 + took:.6f}\n"
        run = recorded.with_data(run, name, text.encode())
    return cell, run


def test_the_first_of_several_files_is_taken_off_the_last() -> None:
    cell, run = _fetched(1.00, 1.50, 2.501)
    figures = cell_figures(cell, run)
    values = {f.metric: f.value for f in figures if f.workload == "file-transfer"}
    assert values["throughput"] == pytest.approx(3 * (1 << 17) / 1.501 / 1e6)
    assert values["transferred"] == 0.375
    whole = cell_figures(recorded.cell("ipsec"), recorded.run("ipsec"))
    assert values["cpu"] == pytest.approx(_value(whole, "file-transfer", "2 MiB", "cpu"))
    assert values["packets_received"] == pytest.approx(
        3 * _value(whole, "file-transfer", "2 MiB", "packets_received")
    )
    busy = _value(whole, "file-transfer", "2 MiB", "cpu_seconds_per_mb") * (2 << 20)
    assert values["cpu_seconds_per_mb"] == pytest.approx(2 * busy / (3 << 17))
    assert cell_proof(cell, run)["payload_rx_bytes"] > 7 << 17


def test_the_largest_file_ends_it_steady_or_not() -> None:
    figures = cell_figures(*_fetched(1.00, 1.50, 2.6, 4.8))
    assert _value(figures, "file-transfer", "1 MiB", "transferred") == 0.875


def test_transfers_that_ended_before_they_were_steady_give_no_figures() -> None:
    for seconds in ([0.1], [0.1, 0.15], [0.1, 0.15, 0.251]):
        with pytest.raises(CellFailure, match="not steady"):
            cell_figures(*_fetched(*seconds))


def test_a_longer_file_takes_longer() -> None:
    with pytest.raises(CellFailure, match="no longer .*131072"):
        cell_figures(*_fetched(0.1, 0.09, 0.2))


def _with_arrivals(run: TopologyRun, *seconds: float) -> TopologyRun:
    """The run in which large frames came so long after the files' windows began."""
    board = run.nodes["board"]
    begin = board.mark("transfer-131072.begin").time_ns
    kept = replace(board, large_frames=[begin + round(after * 1e9) for after in seconds])
    return replace(run, nodes=run.nodes | {"board": kept})


@pytest.mark.parametrize(
    ("arrivals", "took"),
    [
        ((), 0.4503),
        ((0.001, 0.051, 0.301), 0.4503),
        ((0.001, 0.051, 0.701), 0.65),
    ],
)
def test_the_slower_of_program_and_wire_counts(arrivals: tuple[float, ...], took: float) -> None:
    """The first file's window has the frames up to a quarter of a second, the last all of them."""
    cell, run = _fetched(0.30, 0.45, 0.7503)
    figures = cell_figures(cell, _with_arrivals(run, *arrivals))
    rate = _value(figures, "file-transfer", "1 MiB", "throughput")
    assert rate == pytest.approx(3 * (1 << 17) / took / 1e6)


def test_a_file_without_frames_fails_the_cell() -> None:
    cell, run = _fetched(0.30, 0.45, 0.7503)
    with pytest.raises(CellFailure, match="No frame .*window transfer-"):
        cell_figures(cell, _with_arrivals(run, 0.70))


def test_a_transfer_faster_than_its_frames_fails_the_cell() -> None:
    with pytest.raises(CellFailure, match=r"impossible: .* link `wire`"):
        cell_figures(*_fetched(0.1, 0.15, 0.2501))


def test_a_transfer_a_little_faster_than_its_frames_took_as_long_as_they_need() -> None:
    with pytest.raises(CellFailure) as wrong:
        cell_figures(*_fetched(0.1, 0.15, 0.2501))
    told = re.search(r"it needs (\S+) s", str(wrong.value))
    assert told
    needed = float(told[1])
    figures = cell_figures(*_fetched(0.1, 0.1 + 0.992 * needed / 3, 0.1 + 0.992 * needed))
    rate = _value(figures, "file-transfer", "1 MiB", "throughput")
    assert rate == pytest.approx(3 * (1 << 17) / needed / 1e6, rel=1e-4)
