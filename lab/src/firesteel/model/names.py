# SPDX-License-Identifier: Apache-2.0
"""How configurations, metrics and units are written for people."""

import math
from collections.abc import Iterable

from firesteel.model.cell import USUAL_COMPLETION, Cell

_PROTOCOLS = {
    "none": "no tunnel",
    "openvpn": "OpenVPN",
    "ipsec": "IPsec",
    "ssh": "SSH",
    "nginx": "nginx",
    "openssl": "OpenSSL",
    "crypto-api": "kernel",
    "dm-crypt": "dm-crypt",
}
_MACS = {"sha256": "SHA-256", "hmac-sha256": "HMAC-SHA-256"}
_IMPLEMENTATIONS = {
    "hardware-kernel": "hardware through the kernel",
    "software-as-installed": "software as installed",
}
_ON_ONE_BOARD = ("crypto-api", "dm-crypt", "openssl")
"""Protocols without a tunnel, whose suites have what they need and no more."""

_HANDSHAKES = ("tls-connection-time", "tls-connections")
"""Experiments whose figures are of handshakes, in which the cipher of what follows has no part."""

_KEY_EXCHANGES = {"openvpn": "DHE-RSA", "nginx": "TLS 1.3 with X25519"}
"""What a handshake of a protocol agrees on keys by."""

_METRICS = {
    "rtt_mean": "mean RTT",
    "throughput": "throughput",
    "cpu": "CPU",
    "peer_cpu": "CPU of the other nodes",
    "cpu_in_handshake": "CPU during handshakes",
    "link_use": "link use",
    "core_busy": "core use",
    "connection_time": "handshake time",
    "connections": "handshakes",
    "connections_per_cpu": "handshakes per percent of CPU",
    "cpu_seconds_per_connection": "CPU time per handshake",
    "frequency": "share of packets",
    "instructions_per_request_p50": "instructions per request, median",
    "cpu_time_per_request": "CPU time per request",
    "cpu_time_per_request_p50": "CPU time per request, median",
    "time_per_request_p50": "time per request, median",
    "time_per_request_p99": "time per request, p99",
}

_EXPERIMENTS = {
    "ping": "Flood ping",
    "file-transfer": "File transfer",
    "packet-sizes": "Packet sizes during the file transfer",
    "kernel-crypto": "Kernel crypto",
    "kernel-crypto-decrypt": "Kernel crypto, decrypting",
    "openssl-speed": "OpenSSL by block size",
    "tls-connection-time": "One TLS handshake",
    "tls-connections": "Many TLS handshakes",
    "disk-sequential-read": "Disk, sequential read",
    "disk-sequential-write": "Disk, sequential write",
    "disk-random-read": "Disk, random read",
    "disk-random-write": "Disk, random write",
}

_DECIMALS = {
    "ms": 3,
    "µs": 2,
    "instructions": 0,
    "I/Os per second": 0,
    "MB/s": 2,
    "Mbit/s": 1,
    "percent of the loaded core": 1,
    "percent": 2,
    "s": 4,
    "1/min": 1,
    "1/min per percent": 2,
    "s/MB": 4,
    "packets": 0,
    "MiB": 0,
}

_NOTHING = 1e-12
"""Of a value, what is left of nothing when numbers are rounded."""

_UNITS = {"percent of the loaded core": "% of core", "percent": "%", "1": ""}


def configuration(
    protocol: str,
    cipher: str,
    mac: str,
    implementation: str = "software",
    completion: str = "",
    habits: str = "",
) -> str:
    """A tunnel and its suite, as `IPsec AES-256-CBC:SHA-256`; software goes without saying, and so
    does the usual completion.  Habits of 2015 are as columns have them.
    """
    name = _PROTOCOLS.get(protocol, protocol)
    if (protocol, cipher) == ("dm-crypt", "none"):
        return "bare disk"
    if protocol in _ON_ONE_BOARD:
        name += f" {_needed(cipher, mac)}"
    elif protocol != "none":
        name += f" {suite(cipher, mac)}"
    name = ", ".join([name, *_how(implementation, completion)])
    return f"{name}{_with(habits)}"


def measured(
    experiment: str,
    protocol: str,
    cipher: str,
    mac: str,
    implementation: str = "software",
    completion: str = "",
    habits: str = "",
) -> str:
    """What figures of an experiment are of: the configuration, and of handshakes the program and
    the exchange of keys instead, as `OpenVPN, DHE-RSA`.
    """
    if experiment not in _HANDSHAKES or protocol not in _KEY_EXCHANGES:
        return configuration(protocol, cipher, mac, implementation, completion, habits)
    how = _how(implementation, completion)
    name = ", ".join([_PROTOCOLS[protocol], _KEY_EXCHANGES[protocol], *how])
    return f"{name}{_with(habits)}"


def _with(habits: str) -> str:
    return f" with {habits.replace('+', ' and ')}" if habits else ""


def _how(implementation: str, completion: str) -> list[str]:
    """What computes and how it waits, as far as that does not go without saying."""
    parts = []
    if implementation != "software":
        parts.append(_IMPLEMENTATIONS.get(implementation, implementation))
    if completion not in ("", USUAL_COMPLETION):
        parts.append(completion)
    return parts


def implementation(name: str) -> str:
    """An implementation, in words: `software as installed`."""
    return _IMPLEMENTATIONS.get(name, name)


def how_files_go(protocols: Iterable[str]) -> str:
    """What carries the files of these protocols: `over FTP`."""
    ssh = [protocol == "ssh" for protocol in protocols]
    if not any(ssh):
        return "over FTP"
    return "by scp" if all(ssh) else "over FTP, with SSH by scp"


def of_cell(cell: Cell) -> str:
    """What a cell's configuration is called, and its seed unless that is 1."""
    completion = cell.completion or ""
    name = configuration(cell.protocol, cell.cipher, cell.mac, cell.implementation, completion)
    if cell.handshakes and cell.protocol == "openvpn":
        name += ", handshakes"
    if cell.as_in_2015:
        name += f" with {' and '.join(cell.as_in_2015)}"
    return name if cell.seed == 1 else f"{name}, seed {cell.seed}"


def experiment(name: str) -> str:
    """An experiment's name as a title."""
    return _EXPERIMENTS.get(name, name.replace("-", " ").capitalize())


def metric(name: str) -> str:
    """A metric's name, in words."""
    words = _METRICS.get(name, name.replace("_", " "))
    for small, right in (("rtt", "RTT"), ("cpu", "CPU"), (" mb", " MB")):
        words = words.replace(small, right)
    return words


def unit(name: str) -> str:
    """A unit, short."""
    return _UNITS.get(name, name)


def quantity(metric_name: str, unit_name: str, at: str = "") -> str:
    """What a figure is: metric, where it was measured if that is told, and unit, as
    `throughput, 8 MiB, MB/s`; a unit that the metric's words have is not said again.
    """
    words, short = metric(metric_name), unit(unit_name)
    return ", ".join(filter(None, (words, at, "" if short in words.split() else short)))


def number(value: float, unit: str, metric: str) -> str:
    """A value with as many decimals as its unit deserves, so that columns line up.

    A percentile of round-trip times has those that ping printed, for it is a single reply's time.
    """
    decimals = _decimals(value, unit, metric)
    if decimals is None:
        return f"{value:.6g}"
    return f"{value:.{decimals}f}"


UNCONVERGED = "\N{ALMOST EQUAL TO}"
"""Stands before a figure that has not converged."""


def spread(half: float, unit: str, metric: str, value: float) -> str:
    """Half the width of an interval around `value`: `±0.02`, with the value's decimals, or with as
    many as show something of it.
    """
    if half <= abs(value) * _NOTHING:
        return "±0"
    decimals = _decimals(value, unit, metric)
    if decimals is None:
        return f"±{half:.2g}"
    return f"±{half:.{max(decimals, -math.floor(math.log10(half)))}f}"


def ping_decimals(milliseconds: float) -> int:
    """Ping gives three significant digits, but no fraction of a µs, and whole ms from 100 on."""
    return next((n for least, n in ((100, 0), (10, 1), (1, 2)) if milliseconds >= least), 3)


def duration(seconds: float) -> str:
    """A wall time as `47 s` or `3 min 20 s`."""
    whole = round(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60:02d} s"


def _decimals(value: float, unit: str, metric: str) -> int | None:
    return ping_decimals(value) if metric.startswith("rtt_p") else _DECIMALS.get(unit)


def _needed(cipher: str, mac: str) -> str:
    """A suite without what it does not have."""
    parts = [cipher.upper(), _MACS.get(mac, mac)]
    return ":".join(part for part in parts if part not in ("NONE", "none", "gcm"))


def protocol(name: str) -> str:
    """A protocol, as it is written: `IPsec`."""
    return _PROTOCOLS.get(name, name)


def suite(cipher: str, mac: str) -> str:
    """A cipher and a MAC, as `AES-256-CBC:SHA-256`."""
    if mac == "gcm":
        return cipher.upper()
    return f"{cipher.upper() if cipher != 'none' else cipher}:{_MACS.get(mac, mac)}"
