# SPDX-License-Identifier: Apache-2.0
"""The few published vectors that `firesteel-selftest` has in it: lib/selftest/vectors.c.

Its lines are lines of vectors_symmetric.py, vectors_public_key.py and vectors_ed25519.py, some for
each algorithm, direction and size of key.  This writes the file again:

    PYTHONPATH=model/tests python lib/tests/vectors_selftest.py
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

import vectors_ed25519
import vectors_public_key
import vectors_symmetric

FILE = Path(__file__).parents[1] / "selftest/vectors.c"

_HEAD = """\
/* SPDX-License-Identifier: Apache-2.0 */
/* Published vectors, a line each, as lib/tests/vectors_selftest.py chooses and writes them. */
#include "vectors.h"

#include <stddef.h>

/* clang-format off */
const char *const selftest_vectors[] = {
"""
_END = "\tNULL,\n};\n"

_SIZES = {
    **dict.fromkeys(("ECB", "CBC", "CFB", "OFB"), (48,)),
    "CTR": (36,),
    "CTS": (31, 47),
    "XTS": (25, 32, 48),
    "GCM": (51,),
    "CCM": (24,),
    "CMAC": (0, 40),
    **dict.fromkeys(("SHA1", "SHA224", "SHA256"), (3, 64)),
    **dict.fromkeys(("SHA384", "SHA512"), (3, 128)),
}
"""Bytes of a message: whole blocks and others, and a digest of more than one block."""

_KEYS = {
    "RSA-PUBLIC": (128, 256),
    "RSA-PRIVATE": (128, 256),
    "RSA-CRT": (128, 256),
    "DH": (128, 256),
    **dict.fromkeys(("ON-CURVE", "ECDH", "ECDSA-SIGN", "ECDSA-VERIFY"), (24, 32, 48, 66)),
    **dict.fromkeys(("X25519", "ED25519", "ED25519-SIGNATURE"), (32,)),
}
"""Bytes of an operand."""


def chosen() -> list[str]:
    """The lines, in the order of their sources."""
    return [*_first(vectors_symmetric.lines(), _symmetric), *_first(_keys(), _public_key)]


def text() -> str:
    """The whole file."""
    return _HEAD + "".join(f'\t"{line}",\n' for line in chosen()) + _END


def _keys() -> Iterator[str]:
    return chain(vectors_public_key.lines(), vectors_ed25519.lines())


def _first(
    lines: Iterable[str], kind_of: Callable[[Sequence[str]], tuple[object, ...] | None]
) -> Iterator[str]:
    """The first line of each kind; of no kind is what is left out."""
    seen = set()
    for line in lines:
        kind = kind_of(line.split(" "))
        if kind and kind not in seen:
            seen.add(kind)
            yield line


def _bytes(digits: str) -> int:
    return 0 if digits == "-" else len(digits) // 2


def _symmetric(words: Sequence[str]) -> tuple[object, ...] | None:
    name, direction, key, _, header, message, expected, tag = words
    size = _bytes(message)
    if name.startswith("HMAC-"):
        return name, _bytes(key) > 64
    if size not in _SIZES[name]:
        return None
    if name in ("GCM", "CCM") and (header == "-" or _bytes(tag) < 12):
        return None
    return name, direction, _bytes(key), size, expected == "!"


def _public_key(words: Sequence[str]) -> tuple[object, ...] | None:
    name, size, _, verdict, *_ = words
    return (name, size, verdict) if int(size) in _KEYS.get(name, ()) else None


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
