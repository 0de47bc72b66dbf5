# SPDX-License-Identifier: Apache-2.0
"""What a figure's metric means: every one that is measured, with its unit.

How metrics and units are written for people is in `model.names`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from firesteel.model.figure import CPU_UNIT


@dataclass(frozen=True)
class Metric:
    """The unit as figures have it, and the meaning in a sentence or two."""

    unit: str
    meaning: str


_EACH_REPLY = "; one reply's time, which ping rounds to three significant digits"
_WINDOW = "from the measurement's begin mark to its end mark"

METRICS: Mapping[str, Metric] = {
    "rtt_mean": Metric("ms", "Mean round-trip time of all echo requests of one payload size."),
    "rtt_min": Metric("ms", "Shortest round-trip time of these requests."),
    "rtt_max": Metric("ms", "Longest round-trip time of these requests."),
    "rtt_p50": Metric("ms", f"Median round-trip time{_EACH_REPLY}."),
    "rtt_p90": Metric("ms", f"90th percentile of the round-trip times{_EACH_REPLY}."),
    "rtt_p99": Metric("ms", f"99th percentile of the round-trip times{_EACH_REPLY}."),
    "loss": Metric("percent", "Share of the echo requests that got no reply."),
    "throughput": Metric(
        "MB/s",
        "Payload bytes divided by the time that they took; 1 MB is 10^6 bytes. For a file, the "
        "time from its first byte to its last, as curl reports it; with scp, less the time of a "
        "file of a few bytes. With several files, the extra bytes of the last over the first, "
        "divided by its extra time. If the frames that carried the file took longer, their time "
        "counts. For kernel requests, disk blocks and OpenSSL blocks, the time from the start of "
        "the first to the end of the last.",
    ),
    "cpu": Metric(
        CPU_UNIT, f"Share of the time in which the measured board's CPU was busy, {_WINDOW}."
    ),
    "cpu_user": Metric(CPU_UNIT, "Part of `cpu` in user mode; exact, from the emulator."),
    "cpu_system": Metric(
        CPU_UNIT, "Rest of `cpu`, without `cpu_user`, `cpu_softirq` and `cpu_irq`."
    ),
    "cpu_softirq": Metric(
        CPU_UNIT, "Part of `cpu` in soft interrupts, between the kernel's tracepoints."
    ),
    "cpu_irq": Metric(
        CPU_UNIT, "Part of `cpu` in interrupt handlers, between the kernel's tracepoints."
    ),
    "peer_cpu": Metric(
        CPU_UNIT,
        "Busy time of the CPUs of all other nodes, added up, divided by the measured time. It "
        "shows whether the peer limited the figure.",
    ),
    "link_use": Metric(
        "percent",
        "Share of the time in which the busiest link carried frames, with preamble and gap, in its "
        "busier direction.",
    ),
    "cpu_seconds_per_mb": Metric(
        "s/MB", "Busy time of the measured board's CPU divided by the payload in 10^6 bytes."
    ),
    "context_switches": Metric("1", f"Context switches on the measured board, {_WINDOW}."),
    "interrupts": Metric("1", f"Interrupts that the measured board took, {_WINDOW}."),
    "packets_sent": Metric(
        "packets", f"Ethernet frames that the measured board sent on all its ports, {_WINDOW}."
    ),
    "packets_received": Metric(
        "packets", f"Ethernet frames that the measured board received on all its ports, {_WINDOW}."
    ),
    "transferred": Metric(
        "MiB",
        "Amount of data behind a transfer's figures: the file, or with several files the extra "
        "bytes of the last over the first.",
    ),
    "retransmissions": Metric("packets", "TCP segments that the file server retransmitted."),
    "frequency": Metric(
        "percent",
        "Share of the measured board's frames in a size class, sent and received together; the "
        "classes add up to 100 %.",
    ),
    "instructions_per_request": Metric(
        "instructions",
        "With one request in flight, the mean number of instructions from submitting a request to "
        "its completion. With more in flight, all instructions from the first request to the end "
        "of the last, divided by the number of requests.",
    ),
    "instructions_per_request_p50": Metric(
        "instructions", "Median of `instructions_per_request`, with one request in flight."
    ),
    "cpu_time_per_request": Metric(
        "µs",
        "As `instructions_per_request`, but the time in which the CPU was busy: it executed "
        "instructions, or stalled on a device register. Verdicts count this as CPU work.",
    ),
    "cpu_time_per_request_p50": Metric(
        "µs", "Median of `cpu_time_per_request`, with one request in flight."
    ),
    "time_per_request": Metric(
        "µs",
        "Mean time from submitting a request to its completion, with one in flight; with OpenSSL, "
        "the measured time divided by the number of blocks.",
    ),
    "time_per_request_p50": Metric("µs", "Median of `time_per_request`; kernel crypto only."),
    "time_per_request_p99": Metric(
        "µs", "99th percentile of `time_per_request`; kernel crypto only."
    ),
    "iops": Metric("I/Os per second", "Blocks that the disk read or wrote per second."),
    "latency": Metric(
        "µs", "Mean time from submitting an I/O to its completion, as fio reports it."
    ),
    "latency_p99": Metric("µs", "99th percentile of these times, to the resolution of fio's bins."),
    "offloaded": Metric(
        "percent",
        "Hardware only: share of the bytes that the cores processed, by their own counters.",
    ),
    "connection_time": Metric("s", "Time of one TLS handshake on an otherwise idle server."),
    "cpu_in_handshake": Metric(
        CPU_UNIT,
        "Busy time of the server's CPU divided by the time of one client's handshakes, including "
        "what it does in the pauses between them.",
    ),
    "connections": Metric("1/min", "Handshakes that the server completed, for all clients."),
    "connections_per_cpu": Metric("1/min per percent", "`connections` divided by `cpu`."),
    "cpu_seconds_per_connection": Metric(
        "s", "Busy time of the server's CPU divided by the number of handshakes."
    ),
    "core_operations_per_connection": Metric(
        "1", "Hardware only: operations of the public-key core per handshake."
    ),
    "core_busy": Metric(
        "percent",
        "Hardware only: share of the time in which the busiest core of the measured board was "
        "computing.",
    ),
}
"""By name, in the order in which they are listed."""
