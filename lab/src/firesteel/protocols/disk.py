# SPDX-License-Identifier: Apache-2.0
"""Encryption of disks, one object for each protocol: of the whole disk, or of its files."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace

from cryptography.hazmat.primitives.hashes import SHA512
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from firesteel.boards.job import JobFile, script
from firesteel.boards.profile import BOARD_FILES
from firesteel.boards.result import NodeResult
from firesteel.model.cell import ABSENT, AS_INSTALLED, Cell
from firesteel.protocols.disk_cipher import (
    DiskCipher,
    Stored,
    adiantum_plain64,
    cbc_essiv,
    gcm_random,
    xts,
    xts_hmac_random,
    xts_plain64,
)
from firesteel.protocols.kernel import check_fastest
from firesteel.protocols.pki import derive, seeded
from firesteel.protocols.protocol import OneBoard, Use, suites_in
from firesteel.protocols.window import CellFailure, data_of

SCRIPTS = BOARD_FILES / "jobs" / "disk"


class DiskProtocol(OneBoard, ABC):
    """Encryption of a disk.

    `script` is the name of the file whose functions open, close and show a disk.  `sectors` are the
    sizes of what is encrypted by itself, in bytes, and `depth` how many I/Os can be under way.
    """

    script: str
    sectors: tuple[int, ...] = (512, 4096)
    depth: int = 128

    def check_sizes(self, sectors: Sequence[int], depths: Sequence[int]) -> None:
        """Raises `ValueError` when it has no such sectors, or does not do as much at once."""
        if not set(sectors) <= set(self.sectors):
            raise ValueError(
                f'protocol "{self.name}" has no sectors of {max(set(sectors) - set(self.sectors))} '
                f"bytes; allowed are {', '.join(map(str, self.sectors))}"
            )
        if max(depths) > self.depth:
            raise ValueError(
                f'protocol "{self.name}" has no {max(depths)} I/Os in flight; '
                f"allowed are {self.depth} at most"
            )

    def use(self, cipher: str, mac: str, *, connections: bool = False) -> Use | None:
        """Most disks have no tags, and are protected all the same from whoever takes them away."""
        del connections
        if self.purpose is None:
            return None
        return Use(self.purpose, "" if mac == ABSENT else "tags", protects=cipher != ABSENT)

    def files(self, _cell: Cell) -> dict[str, JobFile]:
        """The job's files in addition to every disk's, by guest path."""
        return {"/job/disk.sh": script(SCRIPTS / self.script)}

    def check_code(self, _cell: Cell, _node: NodeResult, _sector: int) -> None:
        """Raises `CellFailure` when the kernel opened the disk with slower code than the cell
        should have, as far as the node says which it took.
        """

    @abstractmethod
    def variables(self, cell: Cell) -> Mapping[str, str]:
        """What its script is given."""

    @abstractmethod
    def has_encrypted(self, cell: Cell, node: NodeResult, plain: bytes, sector: int) -> bool:
        """Whether the node's disk contains the right ciphertext of `plain`, written to its start in
        sectors of that size.

        Raises `CellFailure` when the node did not hand it out.
        """


_CIPHERS: Mapping[tuple[str, str], DiskCipher | None] = {
    ("none", "none"): None,
    ("aes-128-xts", "none"): DiskCipher("aes-xts-plain64", xts_plain64, 32),
    ("aes-256-xts", "none"): DiskCipher("aes-xts-plain64", xts_plain64, 64),
    ("aes-256-cbc-essiv", "none"): DiskCipher("aes-cbc-essiv:sha256", cbc_essiv, 32),
    ("adiantum", "none"): DiskCipher("xchacha12,aes-adiantum-plain64", adiantum_plain64, 32),
    ("aes-256-gcm", "gcm"): DiskCipher("capi:gcm(aes)-random", gcm_random, 32, 16 + 12),
    ("aes-256-xts", "hmac-sha256"): DiskCipher(
        "capi:authenc(hmac(sha256),xts(aes))-random", xts_hmac_random, 64 + 32, 32 + 16
    ),
}

_OF_SEVERAL = frozenset({"adiantum"})
"""Ciphers that the kernel makes of several algorithms; their job hands out the code of each."""


class _DmCrypt(DiskProtocol):
    name = "dm-crypt"
    purpose = "disk"
    title = "dm-crypt"
    aliases = ("disk", "luks")
    suites = suites_in(_CIPHERS)
    implementations = ("software", AS_INSTALLED, "hardware")
    script = "dm-crypt.sh"
    set_up_by = "disk"

    def in_words(self, cipher: str, mac: str) -> str:
        return "bare disk" if cipher == "none" else super().in_words(cipher, mac)

    def cipher(self, cell: Cell) -> DiskCipher | None:
        """The cell's cipher with the key of its seed, none for a bare disk."""
        cipher = _CIPHERS[cell.cipher, cell.mac]
        return replace(cipher, seed=cell.seed) if cipher else None

    def files(self, cell: Cell) -> dict[str, JobFile]:
        files = super().files(cell)
        if cell.cipher not in _OF_SEVERAL:
            return files
        files["/job/dm-crypt.sh"] = files["/job/disk.sh"]
        return files | {"/job/disk.sh": script(SCRIPTS / "dm-crypt-code.sh")}

    def check_code(self, cell: Cell, node: NodeResult, sector: int) -> None:
        if cell.cipher in _OF_SEVERAL:
            driver = data_of(node, f"code-{sector}").decode(errors="replace").strip()
            check_fastest(cell, driver)

    def variables(self, cell: Cell) -> Mapping[str, str]:
        cipher = self.cipher(cell)
        return {
            "CIPHER": cipher.spec if cipher else "",
            "KEY": cipher.key.hex() if cipher else "",
            "METADATA": str(cipher.metadata_bytes) if cipher else "0",
        }

    def has_encrypted(self, cell: Cell, node: NodeResult, plain: bytes, sector: int) -> bool:
        cipher, raw = self.cipher(cell), data_of(node, f"raw-{sector}")
        if cipher is None:
            return raw == plain
        size = cipher.metadata_bytes * (len(plain) // sector)
        # The node hands out whole sectors of them.
        metadata = data_of(node, f"metadata-{sector}")[:size] if size else b""
        return Stored(raw, metadata) == cipher.stored(plain, sector, metadata)


DM_CRYPT = _DmCrypt()


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
