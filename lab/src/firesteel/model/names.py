# SPDX-License-Identifier: Apache-2.0
"""How configurations, metrics and units are written for people."""

import math
from collections.abc import Iterable

from firesteel.model.cell import USUAL_COMPLETION, Cell
from firesteel.model.metrics import METRICS, UNITS

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

_NOTHING = 1e-12
"""Of a value, what is left of nothing when numbers are rounded."""


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
    known = METRICS.get(name)
    words = (known.name if known else "") or name.replace("_", " ")
    for small, right in (("rtt", "RTT"), ("cpu", "CPU"), (" mb", " MB")):
        words = words.replace(small, right)
    return words


def unit(name: str) -> str:
    """A unit, short."""
    return UNITS[name].short if name in UNITS else name


def unit_of(metric_name: str) -> str:
    """The unit of a metric, short; nothing where there is no such metric."""
    return unit(METRICS[metric_name].unit) if metric_name in METRICS else ""


def quantity(metric_name: str, at: str = "") -> str:
    """What a figure is: metric, where it was measured if that is told, and unit, as
    `throughput, 8 MiB, MB/s`; a unit that the metric's words have is not said again.
    """
    words, short = metric(metric_name), unit_of(metric_name)
    return ", ".join(filter(None, (words, at, "" if short in words.split() else short)))


def number(value: float, metric: str) -> str:
    """A value with as many decimals as its unit deserves, so that columns line up.

    A percentile of round-trip times has those that ping printed, for it is a single reply's time.
    """
    decimals = _decimals(value, metric)
    if decimals is None:
        return f"{value:.6g}"
    return f"{value:.{decimals}f}"


UNCONVERGED = "\N{ALMOST EQUAL TO}"
"""Stands before a figure that has not converged."""


def spread(half: float, metric: str, value: float) -> str:
    """Half the width of an interval around `value`: `±0.02`, with the value's decimals, or with as
    many as show something of it.
    """
    if half <= abs(value) * _NOTHING:
        return "±0"
    decimals = _decimals(value, metric)
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


def _decimals(value: float, metric: str) -> int | None:
    if metric.startswith("rtt_p"):
        return ping_decimals(value)
    return UNITS[METRICS[metric].unit].decimals if metric in METRICS else None


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
