# SPDX-License-Identifier: Apache-2.0
"""Published test vectors of public-key operations, a line each, for answers-public-key.c.

They are NIST's (CAVP for FIPS 186 and SP 800-56A), those of RSA Laboratories for PKCS #1, of
RFC 5114, 7748 and 8032 (the long file of its authors) and of Botan for Diffie-Hellman, as the
package `cryptography-vectors` has them.  A line is

    NAME SIZE FLAGS VERDICT VALUE...

SIZE is that of operands in bytes, FLAGS are of the command, VERDICT says whether the core
accepts; the values are in the order that answers-public-key.c names slots in, operands first,
hexadecimal and most significant digit first.

What the core leaves to its host is done here: hashing, padding, and the coding of points.
Left out: curves and fields that the core does not have; points whose coordinates are longer
than an operand, which a host cannot hand over.
"""

import hashlib
import re
from collections.abc import Iterator

from cryptography_vectors import open_vector_file
from records import Fields, records

_CURVES = {"P-192": 24, "P-256": 32, "P-384": 48, "P-521": 66}
_ORDER_BITS = {"P-192": 192, "P-256": 256, "P-384": 384, "P-521": 521}
_ECDH_SETS = {"EA": "P-192", "EC": "P-256", "ED": "P-384", "EE": "P-521"}

# DigestInfo of PKCS #1 v1.5 before the digest: RFC 8017, 9.2.
_DIGEST_INFO = {
    "sha1": "3021300906052b0e03021a05000414",
    "sha224": "302d300d06096086480165030402040500041c",
    "sha256": "3031300d060960864801650304020105000420",
    "sha384": "3041300d060960864801650304020205000430",
    "sha512": "3051300d060960864801650304020305000440",
}

# A number of RSA Laboratories' files: its name, and lines of bytes.
_BLOCK = re.compile(r"^# ([^:\n]+):\s*\n((?:(?:[0-9a-f]{2} ?)+\n)+)", re.MULTILINE)


def lines() -> Iterator[str]:
    """All lines."""
    yield from _rsa_verifications()
    yield from _rsa_keys()
    yield from _rsa_signatures()
    yield from _dh()
    yield from _dsa()
    yield from _points()
    yield from _ecdh()
    yield from _ecdsa()
    yield from _x25519()
    yield from _ed25519()


def _line(name: str, size: int, *values: int, flags: str = "-", good: bool = True) -> str:
    verdict = "good" if good else "bad"
    return " ".join([name, str(size), flags, verdict, *(f"{value:x}" for value in values)])


def _bytes(value: int) -> int:
    return -(-value.bit_length() // 8)


def _numbers(record: Fields, *names: str) -> list[int]:
    return [int(record[name], 16) for name in names]


def _truncated(name: str, message: str, bits: int) -> int:
    """The leftmost `bits` of a hash: what DSA and ECDSA sign."""
    digest = hashlib.new(name.replace("-", "").lower(), bytes.fromhex(message)).digest()
    return int.from_bytes(digest) >> max(0, 8 * len(digest) - bits)


# ---- RSA ----


def _padded(name: str, message: bytes, size: int) -> int:
    """EMSA-PKCS1-v1_5: RFC 8017, 9.2."""
    info = bytes.fromhex(_DIGEST_INFO[name]) + hashlib.new(name, message).digest()
    return int.from_bytes(b"\0\1" + (size - 3 - len(info)) * b"\xff" + b"\0" + info)


def _rsa_verifications() -> Iterator[str]:
    for record in records("asymmetric/RSA/FIPS_186-2/SigGen15_186-3.rsp", "shaalg"):
        n, e, signature = _numbers(record, "n", "e", "s")
        message = _padded(record["shaalg"].lower(), bytes.fromhex(record["msg"]), _bytes(n))
        yield _line("RSA-PUBLIC", _bytes(n), n, signature, e, message)


def _rsa_keys() -> Iterator[str]:
    """The core computes d modulo lcm(p - 1, q - 1), the least there is."""
    for record in records("asymmetric/RSA/FIPS_186-2/KeyGenRSA.rsp", "e"):
        e, p, q, n, d = _numbers(record, "e", "p", "q", "n", "d")
        least = _lambda(p, q)
        yield _line("RSA-KEY", _bytes(n), p, q, e, n, least, d % least)


def _lambda(p: int, q: int) -> int:
    a, b = p - 1, q - 1
    while b:
        a, b = b, a % b
    return (p - 1) * (q - 1) // a


def _rsa_signatures() -> Iterator[str]:
    for key, messages in _pkcs1():
        p, q = key["Prime 1"], key["Prime 2"]
        crt = (key["Prime exponent 1"], key["Prime exponent 2"], key["Coefficient"])
        n, d = key["Modulus"], key["Exponent"]
        size = _bytes(p) + _bytes(q)
        yield _line("RSA-CRT-KEY", size, p, q, d, *crt)
        for message, signature in messages:
            padded = _padded("sha1", message, _bytes(n))
            yield _line("RSA-CRT", size, p, q, padded, *crt, signature)
            yield _line("RSA-PRIVATE", _bytes(n), n, _lambda(p, q), padded, d, signature)


def _pkcs1() -> Iterator[tuple[dict[str, int], list[tuple[bytes, int]]]]:
    """Keys by the file's names of their numbers, each with its messages and signatures."""
    with open_vector_file("asymmetric/RSA/pkcs1v15sign-vectors.txt", "r") as file:
        keys = file.read().split("RSA key pair")[1:]
    for text in keys:
        numbers: dict[str, int] = {}
        messages: list[tuple[bytes, int]] = []
        message = b""
        for name, digits in _BLOCK.findall(text):
            content = bytes.fromhex(digits)
            if name == "Message to be signed":
                message = content
            elif name == "Signature":
                messages.append((message, int.from_bytes(content)))
            else:
                numbers[name] = int.from_bytes(content)
        yield numbers, messages


# ---- Diffie-Hellman and DSA ----


def _dh() -> Iterator[str]:
    for record in records("asymmetric/DH/vec.txt", "count"):
        p, x, y = (int(record[name]) for name in ("p", "x", "y"))
        yield _line("DH", _bytes(p), p, y, x, int(record["k"], 16))
    validity = "KASValidityTest_FFCStatic_NOKC_ZZOnly"
    for name in ("RFC5114.txt", f"{validity}_init.fax", f"{validity}_resp.fax"):
        for record in records(f"asymmetric/DH/{name}", "count"):
            if record["result"].startswith("P"):
                p, peer, x, z = _numbers(record, "p", "ystatcavs", "xstatiut", "z")
                yield _line("DH", _bytes(p), p, peer, x, z)


def _dsa() -> Iterator[str]:
    place = "asymmetric/DSA/FIPS_186-3"
    for record in records(f"{place}/KeyPair.rsp", "x"):
        p, *rest = _numbers(record, "p", "q", "g", "x", "y")
        yield _line("DSA-KEY", _bytes(p), p, *rest)
    for record in records(f"{place}/SigGen.txt", "msg"):
        p, q, g, k, x, r, s = _numbers(record, "p", "q", "g", "k", "x", "r", "s")
        yield _line("DSA-SIGN", _bytes(p), p, q, g, k, x, _dsa_hash(record), r, s)
    for record in records(f"{place}/SigVer.rsp", "msg"):
        p, q, g, y, r, s = _numbers(record, "p", "q", "g", "y", "r", "s")
        good = record["result"].startswith("P")
        yield _line("DSA-VERIFY", _bytes(p), p, q, g, y, _dsa_hash(record), r, s, good=good)


def _dsa_hash(record: Fields) -> int:
    return _truncated(record["direction"], record["msg"], int(record["n"]))


# ---- elliptic curves ----


def _points() -> Iterator[str]:
    for record in records("asymmetric/ECDSA/FIPS_186-3/PKV.rsp", "qx"):
        size = _CURVES.get(record["section"])
        point = _numbers(record, "qx", "qy")
        if size and max(map(_bytes, point)) <= size:
            yield _line("ON-CURVE", size, *point, good=record["result"].startswith("P"))


def _ecdh() -> Iterator[str]:
    for role in ("init", "resp"):
        place = f"asymmetric/ECDH/KASValidityTest_ECCStaticUnified_NOKC_ZZOnly_{role}.fax"
        for record in records(place, "count"):
            curve = _ECDH_SETS.get(record["section"].split()[0])
            if curve and record["result"].startswith("P"):
                values = _numbers(record, "dsiut", "qscavsx", "qscavsy", "z")
                yield _line("ECDH", _CURVES[curve], *values)


def _ecdsa() -> Iterator[str]:
    place = "asymmetric/ECDSA/FIPS_186-3"
    for record in records(f"{place}/SigGen.txt", "msg"):
        curve = record["section"].split(",")[0]
        if curve in _CURVES:
            d, k, r, s = _numbers(record, "d", "k", "r", "s")
            yield _line("ECDSA-SIGN", _CURVES[curve], d, k, _ecdsa_hash(record), r, s)
    for record in records(f"{place}/SigVer.rsp", "msg"):
        curve = record["section"].split(",")[0]
        if curve in _CURVES:
            x, y, r, s = _numbers(record, "qx", "qy", "r", "s")
            values = (x, y, _ecdsa_hash(record), r, s)
            good = record["result"].startswith("P")
            yield _line("ECDSA-VERIFY", _CURVES[curve], *values, good=good)


def _ecdsa_hash(record: Fields) -> int:
    curve, name = record["section"].split(",")
    return _truncated(name, record["msg"], _ORDER_BITS[curve])


# ---- 25519 ----

_P = 2**255 - 19
_TOP = 1 << 255


def _little(content: bytes) -> int:
    return int.from_bytes(content, "little")


def _clamped(content: bytes) -> int:
    return _little(content) & ~7 & (_TOP - 1) | 1 << 254


def _x25519() -> Iterator[str]:
    for record in records("asymmetric/X25519/rfc7748.txt", "count"):
        scalar, u, out = (
            bytes.fromhex(record[name]) for name in ("input_scalar", "input_u", "output_u")
        )
        yield _line("X25519", 32, _little(u) & (_TOP - 1), _clamped(scalar), _little(out))


def _ed25519() -> Iterator[str]:
    """RFC 8032, 5.1.6 and 5.1.7; each signature is also tried with another hash."""
    with open_vector_file("asymmetric/Ed25519/sign.input", "r") as file:
        for text in file:
            seed, key, message, signed = map(bytes.fromhex, text.strip().split(":")[:4])
            yield from _ed25519_lines(seed[:32], key, message, signed[:64])


def _ed25519_lines(seed: bytes, key: bytes, message: bytes, signature: bytes) -> Iterator[str]:
    expanded = hashlib.sha512(seed).digest()
    r = _little(hashlib.sha512(expanded[32:] + message).digest())
    k = _little(hashlib.sha512(signature[:32] + key + message).digest())
    y, s = _little(signature[:32]), _little(signature[32:])
    yield _line("ED25519-POINT", 32, r, _x_of(y), y & (_TOP - 1))
    yield _line("ED25519-SIGN", 32, k, r, _clamped(expanded[:32]), s)
    flags = "a" * (key[31] >> 7) + "b" * (signature[31] >> 7) or "-"
    values = (_little(key) & (_TOP - 1), s, y & (_TOP - 1))
    yield _line("ED25519-VERIFY", 32, k, *values, flags=flags)
    yield _line("ED25519-VERIFY", 32, k ^ 1, *values, flags=flags, good=False)


def _x_of(encoded: int) -> int:
    """A point's x from its y and the sign above it: RFC 8032, 5.1.3."""
    y = encoded & (_TOP - 1)
    d = -121665 * pow(121666, -1, _P)
    square = (y * y - 1) * pow(d * y * y + 1, -1, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if x * x % _P != square:
        x = x * pow(2, (_P - 1) // 4, _P) % _P
    return _P - x if x & 1 != encoded >> 255 else x
