# SPDX-License-Identifier: Apache-2.0
"""fscrypt: encrypted files on ext4, whose cipher the kernel takes from its own software alone."""

from collections.abc import Mapping

from cryptography.hazmat.primitives.hashes import SHA512
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from firesteel.board.job import JobFile
from firesteel.board.result import NodeResult
from firesteel.model.cell import Cell
from firesteel.protocols.disk import DiskProtocol
from firesteel.protocols.disk_cipher import xts
from firesteel.protocols.failure import CellFailure
from firesteel.protocols.secrets import derive, seeded
from firesteel.protocols.window import data_of

_KEY_BYTES = 64
"""Of a master key, and of a file's: AES-256-XTS has two of 256 bits."""

_NONCE_BYTES = 16

_OF_A_FILE = 2
"""What fscrypt derives a file's key for (fs/crypto/fscrypt_private.h, HKDF_CONTEXT_*)."""


def file_key(master: bytes, nonce: bytes) -> bytes:
    """The key of a file's contents (Documentation/filesystems/fscrypt.rst, *Per-file encryption
    keys*).
    """
    info = b"fscrypt\0" + bytes([_OF_A_FILE]) + nonce
    return HKDF(SHA512(), _KEY_BYTES, salt=None, info=info).derive(master)


def encrypted(key: bytes, plain: bytes, unit: int) -> bytes:
    """The contents of a file in data units of that size, whose IVs are their numbers."""
    return b"".join(
        xts(key, (at // unit).to_bytes(16, "little"), plain[at : at + unit])
        for at in range(0, len(plain), unit)
    )


class _Fscrypt(DiskProtocol):
    name = "fscrypt"
    title = "fscrypt"
    suites = ("none:none", "aes-256-xts:none")
    script = "fscrypt.sh"
    # A data unit is a block of ext4, and I/Os go through the page cache.
    sectors = (4096,)
    depth = 1

    def in_words(self, cipher: str, mac: str) -> str:
        return "plain file" if cipher == "none" else super().in_words(cipher, mac)

    def variables(self, cell: Cell) -> Mapping[str, str]:
        return {"ENCRYPTED": "" if cell.cipher == "none" else "1"}

    def files(self, cell: Cell) -> dict[str, JobFile]:
        return {**super().files(cell), "/job/key": JobFile(self.master_key(cell))}

    def master_key(self, cell: Cell) -> bytes:
        """The test key of the cell's seed; it protects nothing."""
        return derive(seeded("fscrypt", cell.seed), _KEY_BYTES)

    def has_encrypted(self, cell: Cell, node: NodeResult, plain: bytes, sector: int) -> bool:
        nonce = _nonce(node, sector)
        if cell.cipher != "none":
            plain = encrypted(file_key(self.master_key(cell), nonce), plain, sector)
        elif nonce:
            return False
        return data_of(node, f"raw-{sector}") == plain


def _nonce(node: NodeResult, sector: int) -> bytes:
    """The file's; empty of one that is not encrypted."""
    text = data_of(node, f"nonce-{sector}").decode("ascii", errors="replace").strip()
    try:
        nonce = bytes.fromhex(text)
    except ValueError:
        nonce = b"?"
    if len(nonce) not in (0, _NONCE_BYTES):
        raise CellFailure(f"Node {node.name}: {text!r} is no nonce of a file.")
    return nonce


FSCRYPT = _Fscrypt()
