# SPDX-License-Identifier: Apache-2.0
"""dm-crypt: encrypted disks; the suites in its own words."""

from collections.abc import Mapping
from dataclasses import replace

from firesteel.board.job import JobFile
from firesteel.board.profile import Profile
from firesteel.board.result import NodeResult
from firesteel.model.cell import AS_INSTALLED, Cell
from firesteel.protocols.disk import SCRIPTS, DiskProtocol
from firesteel.protocols.disk_cipher import (
    AdiantumPlain64,
    CbcEssiv,
    DiskCipher,
    GcmRandom,
    Stored,
    XtsHmacRandom,
    XtsPlain64,
)
from firesteel.protocols.kernel import check_fastest
from firesteel.protocols.protocol import suites_in
from firesteel.protocols.setup import Setup, Step, by_driver
from firesteel.protocols.window import data_of

_CIPHERS: Mapping[tuple[str, str], DiskCipher | None] = {
    ("none", "none"): None,
    ("aes-128-xts", "none"): XtsPlain64("aes-xts-plain64", 32),
    ("aes-256-xts", "none"): XtsPlain64("aes-xts-plain64", 64),
    ("aes-256-cbc-essiv", "none"): CbcEssiv("aes-cbc-essiv:sha256", 32),
    ("adiantum", "none"): AdiantumPlain64("xchacha12,aes-adiantum-plain64", 32),
    ("aes-256-gcm", "gcm"): GcmRandom("capi:gcm(aes)-random", 32, metadata_bytes=28),
    ("aes-256-xts", "hmac-sha256"): XtsHmacRandom(
        "capi:authenc(hmac(sha256),xts(aes))-random", 96, metadata_bytes=48
    ),
}

_FORMATS = {
    ("aes-128-xts", "none"): "--cipher aes-xts-plain64 --key-size 256",
    ("aes-256-xts", "none"): "--cipher aes-xts-plain64 --key-size 512",
    ("aes-256-cbc-essiv", "none"): "--cipher aes-cbc-essiv:sha256 --key-size 256",
    ("aes-256-gcm", "gcm"): "--cipher aes-gcm-random --key-size 256 --integrity aead",
    ("aes-256-xts", "hmac-sha256"): (
        "--cipher aes-xts-random --key-size 512 --integrity hmac-sha256"
    ),
}
"""The options that a user gives cryptsetup for the suites that may be on the cores."""

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

    def in_words(self, cipher: str, mac: str) -> str:
        return "bare disk" if cipher == "none" else super().in_words(cipher, mac)

    def cipher(self, cell: Cell) -> DiskCipher | None:
        """The cell's cipher with the key of its seed, none for a bare disk."""
        cipher = _CIPHERS[cell.cipher, cell.mac]
        return replace(cipher, seed=cell.seed) if cipher else None

    def files(self, cell: Cell) -> dict[str, JobFile]:
        script = super().files(cell)
        if cell.cipher not in _OF_SEVERAL:
            return script
        script["/job/dm-crypt.sh"] = script["/job/disk.sh"]
        return script | {"/job/disk.sh": JobFile((SCRIPTS / "dm-crypt-code.sh").read_bytes())}

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

    def setup(self, cell: Cell, board: Profile | None) -> Setup:
        del board
        step = Step(
            "Disks opened from now on use the driver. Larger sectors make fewer requests; "
            "choose them when you format the disk:",
            (f"cryptsetup luksFormat --sector-size 4096 {_FORMATS[cell.cipher, cell.mac]} DEVICE",),
        )
        return by_driver(cell, "docs/disk.md", step)


DM_CRYPT = _DmCrypt()
