# SPDX-License-Identifier: Apache-2.0
"""The driver through AF_ALG: what programs get of it, one at a time and many at once.

The kernel has no known answers for two of the driver's algorithms: here OpenSSL's stand in.
"""

import hmac
import struct
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from bench import Bench, KeptRun, on_flat
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC, XTS
from driver_run import LOAD, TELL, Told
from guest_module import MODULES
from guest_program import build_program

from firesteel.boards.job import JobFile
from firesteel.boards.topology import load_topology
from firesteel.build.products import Products
from firesteel.protocols.pki import derive

_PREPARE = f"""
mount -t debugfs none /sys/kernel/debug
{LOAD}
modprobe -a algif_skcipher algif_aead algif_hash
echo 0 >/sys/module/firesteel/parameters/minimum
"""

_END = f"{TELL}dmesg | probe data dmesg\n"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> JobFile:
    built = build_program(Products(), MODULES / "afalg", tmp_path_factory.mktemp("afalg"))
    return JobFile(built, 0o755)


def _run(bench: Bench, program: JobFile, profile: str, script: str) -> KeptRun:
    files = {"/job/firesteel.ko": JobFile(Products().driver().read_bytes()), "/job/afalg": program}
    return bench.run(
        load_topology("one-board"),
        {"board": _PREPARE + script + _END},
        {"board": files},
        {"board": on_flat(profile)},
    )


@dataclass(frozen=True)
class Composed:
    """A cipher, and an HMAC of the associated data and the ciphertext."""

    digest: str
    mac_key_bytes: int
    tag_bytes: int
    key_bytes: int
    mode: Callable[[bytes], CBC | XTS]

    @property
    def keys(self) -> tuple[bytes, bytes]:
        """Of the HMAC, and of the cipher."""
        return derive("mac", self.mac_key_bytes), derive("cipher", self.key_bytes)

    def blob(self) -> bytes:
        """Both keys as authenc() takes them: `struct rtattr`, and the length of the second."""
        mac_key, key = self.keys
        return struct.pack("<HH", 8, 1) + struct.pack(">I", len(key)) + mac_key + key

    def sealed(self, iv: bytes, associated: bytes, text: bytes) -> bytes:
        """Ciphertext and tag by OpenSSL."""
        mac_key, key = self.keys
        cipher = Cipher(AES(key), self.mode(iv)).encryptor()
        ciphertext = cipher.update(text) + cipher.finalize()
        tag = hmac.digest(mac_key, associated + ciphertext, self.digest)
        return ciphertext + tag[: self.tag_bytes]


COMPOSED = {
    "authenc(hmac(sha384),cbc(aes))": Composed("sha384", 48, 24, 32, CBC),
    "authenc(hmac(sha256),xts(aes))": Composed("sha256", 32, 32, 64, XTS),
}
"""What the kernel's self-tests know no answers for."""

_LENGTHS = (16, 64, 512, 1408, 4096)

_ASSOCIATED = derive("associated", 24)


def _driver(name: str) -> str:
    return name.translate(str.maketrans("(,", "--", ")")) + "-firesteel"


def _answers(name: str) -> str:
    composed, lines = COMPOSED[name], []
    for length in _LENGTHS:
        iv, text = derive(f"iv{length}", 16), derive(f"text{length}", length)
        sealed = composed.sealed(iv, _ASSOCIATED, text)
        spoilt = sealed[:-1] + bytes([sealed[-1] ^ 1])
        common = f"aead {_driver(name)} {composed.tag_bytes} {composed.blob().hex()} {iv.hex()}"
        for way, data in (("encrypt", text), ("decrypt", sealed), ("decrypt", spoilt)):
            asked = f"{way} {common} {_ASSOCIATED.hex()} {data.hex()}"
            lines.append(f"timeout 9 /job/afalg answer {asked} 2>&1 || echo $?\n")
    return f"{{\n{''.join(lines)}}} | probe data answers\n"


@pytest.mark.parametrize("profile", ["socrates", "socrates-hash"])
@pytest.mark.parametrize("name", COMPOSED)
def test_answers_are_those_of_openssl(
    bench: Bench, program: JobFile, name: str, profile: str
) -> None:
    run = _run(bench, program, profile, _answers(name))
    expected = []
    for length in _LENGTHS:
        iv, text = derive(f"iv{length}", 16), derive(f"text{length}", length)
        sealed = COMPOSED[name].sealed(iv, _ASSOCIATED, text)
        expected += [sealed.hex(), text.hex(), "afalg: read: Bad message", "2"]
    assert run.text("board", "answers").splitlines() == expected
    told = Told(run)
    assert told.requests("hardware")[_driver(name).removesuffix("-firesteel")] >= 3 * len(_LENGTHS)
    told.assert_quiet()


_PROCESSES = 24
_ROUNDS = 20

MANY = (
    ("skcipher", "cbc-aes", "cbc(aes-generic)", 0, 32),
    ("skcipher", "ctr-aes", "ctr(aes-generic)", 0, 16),
    ("aead", "gcm-aes", "gcm_base(ctr(aes-generic),ghash-generic)", 16, 32),
    ("hash", "hmac-sha256", "hmac(sha256-generic)", 0, 32),
)
"""Type, name, other code, tag and key of algorithms that processes use at once."""


def test_many_processes_get_right_answers(bench: Bench, program: JobFile) -> None:
    """More than the driver has commands, and more than one of each algorithm."""
    lines = []
    for number in range(_PROCESSES * len(MANY) // 2):
        kind, name, other, tag, key = MANY[number % len(MANY)]
        words = f"{kind} {name}-firesteel '{other}' {tag} {derive(str(number), key).hex()}"
        lines.append(f"{{ /job/afalg compare {words} {_ROUNDS}; echo $?; }} >>/run/ends 2>&1 &\n")
    script = f"{''.join(lines)}wait\nprobe data ends /run/ends\n"
    run = _run(bench, program, "socrates-hash", script)
    assert run.text("board", "ends").split() == ["0"] * len(lines)
    told = Told(run)
    for _, name, _, _, _ in MANY:
        assert told.requests("hardware")[name] >= _ROUNDS * len(lines) // len(MANY)
    assert told.requests("failed") == {}
    told.assert_quiet()
