# SPDX-License-Identifier: Apache-2.0
"""IPsec between the nodes of `host-host` with keys set by hand, and files that are sent over it.

The files are checked where they arrive: both nodes write the digests of what has come, a line each.
"""

import hashlib

BOARD, PEER = "10.0.0.1", "10.0.0.2"

SUITES = {
    "gcm": f"aead 'rfc4106(gcm(aes))' 0x{'42' * 36} 128",
    "cbc-sha256": f"enc 'cbc(aes)' 0x{'42' * 32} auth-trunc 'hmac(sha256)' 0x{'24' * 32} 128",
    "cbc": f"enc 'cbc(aes)' 0x{'42' * 32}",
    "ah-sha256": f"auth-trunc 'hmac(sha256)' 0x{'24' * 32} 128",
}
"""Algorithms as `ip xfrm state` takes them."""


SAMPLE_SIZE = 256 * 1024
"""Bytes of a file."""

_PORT = 5000

_NOTHING = hashlib.md5().hexdigest()
"""What is written when there was no connection."""


def associations(here: str, there: str, suite: str, spi: int = 1, options: str = "") -> str:
    """Shell lines that let `here` speak to `there` by ESP or AH alone; takes `spi` and the next
    one.
    """
    first, second = sorted((here, there))
    protocol = "ah" if suite.startswith("ah-") else "esp"
    states = "".join(
        f"ip xfrm state add src {source} dst {target} proto {protocol} spi {number} mode transport "
        f"{options} {SUITES[suite]}\n"
        for number, (source, target) in enumerate(((first, second), (second, first)), spi)
    )
    ways = (("out", here, there), ("in", there, here))
    return states + "".join(
        f"ip xfrm policy add src {source} dst {target} dir {way} "
        f"tmpl proto {protocol} mode transport\n"
        for way, source, target in ways
    )


CONNECTIONS = {"gcm": "10.0.1", "cbc-sha256": "10.0.2"}
"""Suites of connections beside each other, and how the addresses of each begin."""


def connections(here: int, there: int) -> str:
    """Shell lines that give a node, number `here`, its addresses and associations."""
    lines = []
    for spi, (suite, base) in enumerate(CONNECTIONS.items()):
        lines.append(f"ip address add {base}.{here}/24 dev eth0\n")
        lines.append(associations(f"{base}.{here}", f"{base}.{there}", suite, 1 + 2 * spi))
    return "".join(lines)


# A node's standard input must not end while it receives, as that ends the connection: file 4 is
# for that.  The sample is random to any eye, and the same in every run.
_SAMPLE = f"""
mkfifo /run/open
exec 4<>/run/open
head -c {SAMPLE_SIZE} /dev/zero |
    openssl enc -chacha20 -nosalt -K 01 -iv 00 >/run/sample 2>/dev/null
md5sum </run/sample >/run/digest
"""


def serve_files(lanes: int = 1) -> str:
    """Shell lines of the peer: it serves so many lanes until the board's `release()`."""
    serve = "".join(
        f"while :; do nc -l -p {_PORT + 2 * lane} </run/sample >/dev/null; done &\n"
        f"while :; do nc -l -p {_PORT + 2 * lane + 1} <&4 | md5sum >>/run/received; done &\n"
        for lane in range(lanes)
    )
    tell = "cat /run/digest /run/received | probe data digests\n"
    return f"{_SAMPLE}{serve}nc -l -p 9 >/dev/null\n{tell}"


def exchange_files(*peers: str) -> str:
    """Shell lines of the board: it fetches and sends all the time, until `stop_exchange()`.

    `peers` are addresses of the peer, a lane each.
    """
    fetch = "".join(
        f"until [ -e /run/stop ]; do nc {peer} {_PORT + 2 * lane} <&4 | md5sum >>/run/fetched; "
        "done 2>/dev/null &\n"
        f"until [ -e /run/stop ]; do nc {peer} {_PORT + 2 * lane + 1} </run/sample >/dev/null; "
        "done 2>/dev/null &\n"
        for lane, peer in enumerate(peers)
    )
    return _SAMPLE + fetch


def stop_exchange() -> str:
    """Shell lines of the board: the last files arrive, and the digests are handed over."""
    return """
touch /run/stop
sleep 5
cat /run/digest /run/fetched | probe data digests
"""


def whole_files(digests: str) -> int:
    """How many files have come, of a node's data item `digests`; AssertionError: one was spoilt."""
    whole, spoilt = count_files(digests)
    assert spoilt == 0
    return whole


def count_files(digests: str) -> tuple[int, int]:
    """How many files have come as they were sent, and how many otherwise."""
    wanted, *found = digests.replace(" -", "").split()
    came = [digest for digest in found if digest != _NOTHING]
    return came.count(wanted), len(came) - came.count(wanted)
