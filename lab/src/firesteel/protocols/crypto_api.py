# SPDX-License-Identifier: Apache-2.0
"""The kernel's crypto API: the suites in its own words, and how requests to it look."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from firesteel.model.cell import AS_INSTALLED, Cell, Implementation
from firesteel.protocols.protocol import OneBoard, suites_in

_INNER_HEADERS = 52
"""Bytes of inner IPv4 and TCP headers, with TCP's time stamps: a packet that is sent has them in
memory of its own, right behind the ESP header, and its payload in pages."""

_ESP_HEADER = 8
"""SPI and sequence number (RFC 4303), which ESP authenticates."""

_BLOCK = 16


@dataclass(frozen=True)
class Algorithm:
    """One algorithm of the kernel's crypto API and how requests to it look.

    `reference` is the same algorithm made of the kernel's generic C code, with which results are
    compared.  `key` and `auth_key` are lengths in bytes.  `ad` and `head` are the lengths of
    associated data and of the bytes after it in one segment.  A length must be a multiple of
    `multiple`.
    """

    kind: str
    name: str
    reference: str
    key: int = 0
    auth_key: int = 0
    ad: int = 0
    head: int = 0
    multiple: int = 1

    def padded(self, size: int) -> int:
        """The length of a request for `size` bytes."""
        return -(-size // self.multiple) * self.multiple

    @property
    def directions(self) -> tuple[str, ...]:
        """A hash knows one."""
        return ("encrypt",) if self.kind == "hash" else ("encrypt", "decrypt")


_CBC = Algorithm("cipher", "cbc(aes)", "cbc(aes-generic)", head=_INNER_HEADERS, multiple=_BLOCK)
_CTR = Algorithm("cipher", "ctr(aes)", "ctr(aes-generic)", head=_INNER_HEADERS)
_XTS = Algorithm("cipher", "xts(aes)", "xts(ecb(aes-generic))")
"""For disks, whose sectors are in one piece; the key has two halves."""

_GENERIC_GCM = "gcm_base(ctr(aes-generic),ghash-generic)"
_GCM = Algorithm("aead", "gcm(aes)", _GENERIC_GCM, ad=13, head=_INNER_HEADERS)
"""As TLS 1.2 uses it: 13 bytes of associated data (RFC 5246, 6.2.3.3)."""

_ESP_GCM = Algorithm(
    "aead",
    "rfc4106(gcm(aes))",
    f"rfc4106({_GENERIC_GCM})",
    ad=_ESP_HEADER + 8,
    head=_INNER_HEADERS,
)
"""As ESP uses it: 4 bytes of salt with the key (RFC 4106), 8 of IV with the header."""

_ESP_CBC = Algorithm(
    "aead",
    "authenc(hmac(sha256),cbc(aes))",
    "authenc(hmac(sha256-generic),cbc(aes-generic))",
    auth_key=32,
    ad=_ESP_HEADER + 16,
    head=_INNER_HEADERS,
    multiple=_BLOCK,
)
"""As ESP uses it, which authenticates its header and the IV."""

_DISK_XTS = Algorithm(
    "aead",
    "authenc(hmac(sha256),xts(aes))",
    "authenc(hmac(sha256-generic),xts(ecb(aes-generic)))",
    auth_key=32,
    ad=8 + 16,
)
"""As dm-crypt uses it, which authenticates the sector's number and the IV."""

_ALGORITHMS: Mapping[tuple[str, str], Algorithm] = {
    ("aes-128-cbc", "none"): replace(_CBC, key=16),
    ("aes-256-cbc", "none"): replace(_CBC, key=32),
    ("aes-128-ctr", "none"): replace(_CTR, key=16),
    ("aes-256-ctr", "none"): replace(_CTR, key=32),
    ("aes-128-xts", "none"): replace(_XTS, key=2 * 16),
    ("aes-256-xts", "none"): replace(_XTS, key=2 * 32),
    ("aes-128-gcm", "gcm"): replace(_GCM, key=16),
    ("aes-256-gcm", "gcm"): replace(_GCM, key=32),
    ("aes-128-gcm-esp", "gcm"): replace(_ESP_GCM, key=16 + 4),
    ("aes-256-gcm-esp", "gcm"): replace(_ESP_GCM, key=32 + 4),
    ("aes-128-cbc", "hmac-sha256"): replace(_ESP_CBC, key=16),
    ("aes-256-cbc", "hmac-sha256"): replace(_ESP_CBC, key=32),
    ("aes-256-xts", "hmac-sha256"): replace(_DISK_XTS, key=2 * 32),
    ("none", "sha256"): Algorithm("hash", "sha256", "sha256-generic"),
    ("none", "hmac-sha256"): Algorithm("hash", "hmac(sha256)", "hmac(sha256-generic)", key=32),
}

_VIRTIO_SUITES = ("aes-128-cbc:none", "aes-256-cbc:none")
"""What Linux's virtio-crypto driver registers."""

_VIRTIO_NAME = "virtio_crypto_aes_cbc"


class _CryptoApi(OneBoard):
    name = "crypto-api"
    title = "kernel"
    aliases = ("kernel-crypto",)
    suites = suites_in(_ALGORITHMS)
    implementations = ("software", AS_INSTALLED, "hardware", "virtio-crypto")

    def suites_of(self, implementation: Implementation) -> tuple[str, ...]:
        return _VIRTIO_SUITES if implementation == "virtio-crypto" else self.suites

    def algorithm(self, cell: Cell) -> Algorithm:
        """The algorithm of the cell's suite."""
        return _ALGORITHMS[cell.cipher, cell.mac]

    def kernel_name(self, cell: Cell) -> str:
        """What the kernel is asked for.

        The general name selects the implementation that the kernel prefers: the cores', if their
        driver is loaded, otherwise the best that the kernel loads by itself. virtio-crypto is not
        preferred.
        """
        is_virtio = cell.implementation == "virtio-crypto"
        return _VIRTIO_NAME if is_virtio else self.algorithm(cell).name


CRYPTO_API = _CryptoApi()
