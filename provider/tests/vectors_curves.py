# SPDX-License-Identifier: Apache-2.0
"""Published test vectors of elliptic curves, a line each, for answers-curves.c.

They are NIST's (CAVP for FIPS 186 and SP 800-56A), of RFC 7748, and every fifth of the lines that
vectors_ed25519.py makes of the long file of Ed25519's authors, as the package
`cryptography-vectors` has them.  A line is

    KIND CURVE DIGEST VERDICT VALUE...

with values in hexadecimal, `-` for what is empty:

    ecdsa CURVE DIGEST good|bad X Y R S MESSAGE
    ecdh CURVE - good SECRET X Y PEER-X PEER-Y SHARED
    point CURVE - good|bad X Y
    x25519 - - good SECRET PEER SHARED
    ed25519 - - good SECRET PUBLIC MESSAGE SIGNATURE
    ed25519-signature - - good|bad PUBLIC MESSAGE SIGNATURE
"""

from collections.abc import Iterator
from itertools import islice

import vectors_ed25519
from records import Fields, records

_CURVES = {"P-192": 24, "P-256": 32, "P-384": 48, "P-521": 66}
_ECDH_SETS = {"EA": "P-192", "EC": "P-256", "ED": "P-384", "EE": "P-521"}


def lines() -> Iterator[str]:
    """All lines."""
    yield from _ecdsa()
    yield from _ecdh()
    yield from _points()
    yield from _x25519()
    for line in islice(vectors_ed25519.lines(), 0, None, 5):
        kind, _, _, verdict, *values = line.split(" ")
        yield " ".join([kind.lower(), "-", "-", verdict, *values])


def _line(kind: str, curve: str, digest: str, good: bool, *values: str) -> str:
    return " ".join([kind, curve, digest, "good" if good else "bad", *values])


def _numbers(record: Fields, curve: str, *names: str) -> list[str]:
    return [f"{int(record[name], 16):0{2 * _CURVES[curve]}x}" for name in names]


def _ecdsa() -> Iterator[str]:
    for record in records("asymmetric/ECDSA/FIPS_186-3/SigVer.rsp", "msg"):
        curve, digest = record["section"].split(",")
        if curve in _CURVES:
            numbers = _numbers(record, curve, "qx", "qy", "r", "s")
            good = record["result"].startswith("P")
            yield _line("ecdsa", curve, digest.replace("-", ""), good, *numbers, record["msg"])


def _ecdh() -> Iterator[str]:
    names = ("dsiut", "qsiutx", "qsiuty", "qscavsx", "qscavsy", "z")
    for role in ("init", "resp"):
        place = f"asymmetric/ECDH/KASValidityTest_ECCStaticUnified_NOKC_ZZOnly_{role}.fax"
        for record in records(place, "count"):
            curve = _ECDH_SETS.get(record["section"].split()[0])
            if curve and record["result"].startswith("P"):
                yield _line("ecdh", curve, "-", True, *_numbers(record, curve, *names))


def _points() -> Iterator[str]:
    for record in records("asymmetric/ECDSA/FIPS_186-3/PKV.rsp", "qx"):
        curve = record["section"]
        # A coordinate that is too long cannot be told in so many bytes
        if curve in _CURVES:
            numbers = _numbers(record, curve, "qx", "qy")
            if all(len(number) == 2 * _CURVES[curve] for number in numbers):
                yield _line("point", curve, "-", record["result"].startswith("P"), *numbers)


def _x25519() -> Iterator[str]:
    for record in records("asymmetric/X25519/rfc7748.txt", "count"):
        values = (record[name] for name in ("input_scalar", "input_u", "output_u"))
        yield _line("x25519", "-", "-", True, *values)
