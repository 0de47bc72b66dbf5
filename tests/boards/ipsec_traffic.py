# SPDX-License-Identifier: Apache-2.0
"""IPsec between the two nodes of `host-host`, with keys set by hand."""

BOARD, PEER = "10.0.0.1", "10.0.0.2"

SUITES = {
    "gcm": f"aead 'rfc4106(gcm(aes))' 0x{'42' * 36} 128",
    "cbc-sha256": f"enc 'cbc(aes)' 0x{'42' * 32} auth-trunc 'hmac(sha256)' 0x{'24' * 32} 128",
    "cbc": f"enc 'cbc(aes)' 0x{'42' * 32}",
}
"""Algorithms as `ip xfrm state` takes them."""


def associations(here: str, there: str, suite: str, spi: int = 1) -> str:
    """Shell lines that let `here` speak to `there` by ESP alone; takes `spi` and the next one."""
    first, second = sorted((here, there))
    states = "".join(
        f"ip xfrm state add src {source} dst {target} proto esp spi {number} mode transport "
        f"{SUITES[suite]}\n"
        for number, (source, target) in enumerate(((first, second), (second, first)), spi)
    )
    ways = (("out", here, there), ("in", there, here))
    return states + "".join(
        f"ip xfrm policy add src {source} dst {target} dir {way} tmpl proto esp mode transport\n"
        for way, source, target in ways
    )
