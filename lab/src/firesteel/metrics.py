# SPDX-License-Identifier: Apache-2.0
"""What a figure's metric means: every one that is measured, with its unit.

How metrics and units are written for people is in `firesteel.names`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from firesteel.figure import CPU_UNIT


@dataclass(frozen=True)
class Metric:
    """The unit as figures have it, and the meaning in a sentence or two."""

    unit: str
    meaning: str


_EACH_REPLY = "; the time of a single reply, which ping rounds to three significant digits"
_WINDOW = "from the measurement's begin mark to its end mark"

METRICS: Mapping[str, Metric] = {
    "rtt_mean": Metric("ms", "Mean round-trip time of all echo requests of one payload size."),
    "rtt_min": Metric("ms", "The shortest round-trip time of them."),
    "rtt_max": Metric("ms", "The longest round-trip time of them."),
    "rtt_p50": Metric("ms", f"Median round-trip time{_EACH_REPLY}."),
    "rtt_p90": Metric("ms", f"90th percentile of the round-trip times{_EACH_REPLY}."),
    "rtt_p99": Metric("ms", f"99th percentile of the round-trip times{_EACH_REPLY}."),
    "loss": Metric("percent", "Share of the echo requests that nobody answered."),
    "throughput": Metric(
        "MB/s",
        "Bytes of payload by the time that they took; a MB is 10^6 bytes. A file: from its first "
        "byte to its last, as curl tells; by scp, without what a file of a few bytes takes; of "
        "several, what the last has more than the first; by the frames that carried it, if these "
        "took longer. Requests to the kernel, blocks of a disk "
        "or of OpenSSL: from the first to the end of the last.",
    ),
    "cpu": Metric(
        CPU_UNIT, f"Share of the time in which the measured board's CPU did not sleep, {_WINDOW}."
    ),
    "cpu_user": Metric(CPU_UNIT, "The part of `cpu` in user mode; exact, from the emulator."),
    "cpu_system": Metric(CPU_UNIT, "What is left of `cpu` without the three others."),
    "cpu_softirq": Metric(
        CPU_UNIT, "The part of `cpu` in soft interrupts, between the kernel's tracepoints."
    ),
    "cpu_irq": Metric(
        CPU_UNIT, "The part of `cpu` in interrupt handlers, between the kernel's tracepoints."
    ),
    "peer_cpu": Metric(
        CPU_UNIT,
        "Time in which the CPUs of all other nodes did not sleep, added up, by the time that was "
        "measured: whether what is reported is the measured board, or the peer.",
    ),
    "link_use": Metric(
        "percent",
        "Share of the time in which the busiest link carried frames, with preamble and gap, in its "
        "busier direction.",
    ),
    "cpu_seconds_per_mb": Metric(
        "s/MB", "Time in which the measured board's CPU did not sleep, by 10^6 bytes of payload."
    ),
    "context_switches": Metric("1", f"Context switches on the measured board, {_WINDOW}."),
    "interrupts": Metric("1", f"Interrupts that the measured board took, {_WINDOW}."),
    "packets_sent": Metric(
        "packets", f"Ethernet frames that the measured board sent on all its ports, {_WINDOW}."
    ),
    "packets_received": Metric("packets", "The frames that it received, likewise."),
    "transferred": Metric(
        "MiB",
        "How much the figures of a transfer are of: the file, or what the last of several has "
        "more than the first.",
    ),
    "retransmissions": Metric("packets", "TCP segments that the file's server sent again."),
    "frequency": Metric(
        "percent",
        "Share of the measured board's frames in a class of sizes, sent and received together; "
        "all classes that occurred make 100 %.",
    ),
    "instructions_per_request": Metric(
        "instructions",
        "With one request in flight: mean of what the CPU did from submitting a request to its "
        "completion. With more: all that it did from the first request to the end of the last, "
        "divided by the requests.",
    ),
    "instructions_per_request_p50": Metric(
        "instructions", "The median of the same, one request in flight."
    ),
    "cpu_time_per_request": Metric(
        "µs",
        "As `instructions_per_request`, but the time in which the CPU did not sleep: it executed "
        "instructions, or stood still in one that waited for a device's register. This is the CPU "
        "work that verdicts count.",
    ),
    "cpu_time_per_request_p50": Metric("µs", "The median of the same, one request in flight."),
    "time_per_request": Metric(
        "µs",
        "Mean time from submitting a request to its completion, one in flight; with OpenSSL, "
        "seconds measured by blocks done.",
    ),
    "time_per_request_p50": Metric("µs", "The median of these times, in the kernel alone."),
    "time_per_request_p99": Metric("µs", "The 99th percentile of these times, likewise."),
    "iops": Metric("I/Os per second", "Blocks that the disk has read or written in a second."),
    "latency": Metric("µs", "Mean time from submitting an I/O to its completion, as fio has it."),
    "latency_p99": Metric("µs", "The 99th percentile of these times, by fio's bins."),
    "offloaded": Metric(
        "percent",
        "In hardware alone: share of the bytes that the cores worked on, by their own counters.",
    ),
    "connection_time": Metric("s", "Time of one handshake of TLS when nothing else is to be done."),
    "cpu_in_handshake": Metric(
        CPU_UNIT,
        "Time in which the server's CPU did not sleep by the time of one client's handshakes; what "
        "it does in pauses between them is in it.",
    ),
    "connections": Metric("1/min", "Handshakes that the server finished, of all clients at once."),
    "connections_per_cpu": Metric("1/min per percent", "`connections` divided by `cpu`."),
    "cpu_seconds_per_connection": Metric(
        "s", "Time in which the server's CPU did not sleep, by the handshakes."
    ),
    "core_operations_per_connection": Metric(
        "1", "In hardware alone: operations of the public-key core by the handshakes."
    ),
    "core_busy": Metric(
        "percent",
        "In hardware alone: share of the time in which the busiest of the measured board's cores "
        "computed.",
    ),
}
"""By name, in the order in which they are told."""
