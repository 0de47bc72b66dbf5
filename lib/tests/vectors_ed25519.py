# SPDX-License-Identifier: Apache-2.0
"""Published vectors of Ed25519 as messages, a line each, for answers-public-key.c.

RFC 8032's long file as the package `cryptography-vectors` has it.  Lines are those of
vectors_public_key.py, but values are bytes in their order:

    ED25519 32 - good SECRET PUBLIC MESSAGE SIGNATURE
    ED25519-SIGNATURE 32 - good|bad PUBLIC MESSAGE SIGNATURE
"""

from collections.abc import Iterator

from cryptography_vectors import open_vector_file


def lines() -> Iterator[str]:
    """All of them."""
    with open_vector_file("asymmetric/Ed25519/sign.input", "r") as file:
        for text in file:
            secret, key, message, signed = map(bytes.fromhex, text.strip().split(":")[:4])
            signature = signed[:64]
            yield _line("ED25519", True, secret[:32], key, message, signature)
            yield _line("ED25519-SIGNATURE", True, key, message, signature)
            for place in (0, 31, 32, 63):
                bad = bytearray(signature)
                bad[place] ^= 1 << (message[0] % 8 if message else 0)
                yield _line("ED25519-SIGNATURE", False, key, message, bytes(bad))
            yield _line("ED25519-SIGNATURE", False, key, message + b"\0", signature)


def _line(name: str, good: bool, *values: bytes) -> str:
    verdict = "good" if good else "bad"
    return " ".join([name, "32", "-", verdict, *(value.hex() or "-" for value in values)])
