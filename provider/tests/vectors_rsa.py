# SPDX-License-Identifier: Apache-2.0
"""Published test vectors of RSA with padding, a line each, for answers-rsa.c.

They are NIST's (CAVP for FIPS 186) and RSA Laboratories' for PKCS #1, and those for OAEP with other
digests that were derived from these, as the package `cryptography-vectors` has them.  A line is

    KIND PADDING DIGEST MASK VERDICT N E D P Q DP DQ QINV TEXT BYTES

with numbers and bytes in hexadecimal, `-` for what is not told.  KIND is `verify`, `sign` or
`decrypt`; BYTES are a signature of TEXT, or TEXT encrypted.
"""

import re
from collections.abc import Iterator

from cryptography_vectors import open_vector_file

_DIGESTS = {name: name for name in ("sha1", "sha224", "sha256", "sha384", "sha512")}
_KEY = (
    "Modulus",
    "Public exponent",
    "Exponent",
    "Prime 1",
    "Prime 2",
    "Prime exponent 1",
    "Prime exponent 2",
    "Coefficient",
)
# A number or text of RSA Laboratories' files: its name, and lines of bytes.
_BLOCK = re.compile(r"^# ([^:\n]+):\s*\n((?:[0-9a-f ]+\n)+)", re.MULTILINE)


def lines() -> Iterator[str]:
    """All lines."""
    yield from _verifications("SigVer15_186-3.rsp", "pkcs1")
    yield from _verifications("SigVerPSS_186-3.rsp", "pss")
    yield from _examples("pkcs1v15sign-vectors.txt", "sign pkcs1 sha1 -")
    yield from _examples("pkcs-1v2-1d2-vec/pss-vect.txt", "verify pss sha1 sha1")
    yield from _examples("pkcs1v15crypt-vectors.txt", "decrypt pkcs1 - -")
    yield from _examples("pkcs-1v2-1d2-vec/oaep-vect.txt", "decrypt oaep sha1 sha1")
    for mask in _DIGESTS:
        for digest in _DIGESTS:
            # There the digest of the mask comes first; what is SHA-1 twice is above
            if (mask, digest) != ("sha1", "sha1"):
                name = f"oaep-custom/oaep-{mask}-{digest}.txt"
                yield from _examples(name, f"decrypt oaep {digest} {mask}")


def _verifications(name: str, padding: str) -> Iterator[str]:
    """A modulus holds for the records that follow, until there is another one."""
    fields: dict[str, str] = {}
    with open_vector_file(f"asymmetric/RSA/FIPS_186-2/{name}", "r") as file:
        for line in file:
            key, _, value = line.partition("=")
            fields[key.strip()] = value.strip()
            if key.strip() != "Result":
                continue
            verdict = "good" if fields["Result"].startswith("P") else "bad"
            what = f"verify {padding} {fields['SHAAlg'].lower()} - {verdict}"
            numbers = f"{fields['n']} {fields['e']} - - - - - -"
            yield f"{what} {numbers} {fields['Msg']} {fields['S']}"


def _examples(name: str, what: str) -> Iterator[str]:
    with open_vector_file(f"asymmetric/RSA/{name}", "r") as file:
        content = file.read()
    key: dict[str, str] = {}
    message = ""
    for part, digits in _BLOCK.findall(content):
        value = digits.replace(" ", "").replace("\n", "")
        if part in ("Message", "Message to be signed"):
            message = value
        elif part in ("Signature", "Encryption"):
            numbers = " ".join(key[part] for part in _KEY)
            yield f"{what} good {numbers} {message} {value}"
        elif part in _KEY:
            key[part] = value
