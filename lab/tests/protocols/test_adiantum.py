# SPDX-License-Identifier: Apache-2.0
"""The lab's Adiantum makes what its authors' does.

The vectors are five of Google's (https://github.com/google/adiantum, the file
`test_vectors/ours/Adiantum/Adiantum_XChaCha12_32_AES256.json`, under the MIT licence), by their
places in it: tweaks of 0, 17 and 32 bytes, messages of one block, of less than two, of one sector
and of more than NH takes at once.
"""

import json
from pathlib import Path

import pytest

from firesteel.protocols.disk_cipher import adiantum, adiantum_plain64

VECTORS = json.loads(Path(__file__).with_name("adiantum-vectors.json").read_text())


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: str(vector["number"]))
def test_ciphertext_is_that_of_its_authors(vector: dict[str, str]) -> None:
    words = ("key", "tweak", "plaintext", "ciphertext")
    key, tweak, plain, expected = (bytes.fromhex(vector[word]) for word in words)
    assert adiantum(key, tweak, plain) == expected


def test_each_bit_of_a_sector_changes_all_of_it() -> None:
    """What tells it from XTS, which encrypts 16 bytes by themselves."""
    plain = bytes(4096)
    one = adiantum(bytes(32), bytes(32), plain)
    other = adiantum(bytes(32), bytes(32), plain[:-1] + b"\1")
    equal = [at for at in range(0, 4096, 16) if one[at : at + 16] == other[at : at + 16]]
    assert equal == []


def test_the_tweak_of_a_sector_is_its_number() -> None:
    """In 32 bytes, as the kernel's tweak has, the lowest byte first."""
    key, plain = bytes(range(32)), bytes(range(256)) * 2
    stored = adiantum_plain64(key, 0x102, plain, b"")
    assert stored == (adiantum(key, b"\2\1" + bytes(30), plain), b"")
