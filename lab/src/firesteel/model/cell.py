# SPDX-License-Identifier: Apache-2.0
"""A cell: one point of an experiment, measured in one boot of its topology."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, SerializerFunctionWrapHandler, model_serializer

Protocol = Literal["none", "openvpn", "ipsec", "ssh", "nginx", "openssl", "crypto-api", "dm-crypt"]
Cipher = Literal[
    "none",
    "aes-128-cbc",
    "aes-256-cbc",
    "aes-256-cbc-essiv",
    "aes-128-ctr",
    "aes-256-ctr",
    "aes-128-xts",
    "aes-256-xts",
    "aes-128-gcm",
    "aes-256-gcm",
    "aes-128-gcm-esp",
    "aes-256-gcm-esp",
]
Mac = Literal["none", "sha256", "hmac-sha256", "gcm"]
Implementation = Literal[
    "software", "software-as-installed", "hardware", "hardware-kernel", "virtio-crypto"
]
Completion = Literal["irq", "poll", "adaptive"]
Direction = Literal["encrypt", "decrypt"]
Key = Literal["rsa-1024", "rsa-2048", "rsa-4096", "ecdsa-p256"]
Habit = Literal["openvpn-buffers", "no-neon", "no-gro", "slow-tun", "af-alg", "core-only"]
"""What was otherwise in 2015, or may have been.

- OpenVPN's socket buffers and queue were those of its version 2.3.
- The kernel has AES and GHASH in generic code alone.
- The kernel merges no segments that it received (generic receive offload).
- The peer takes 0.25 ms for each packet that it gives to OpenVPN, as a virtual machine may.
- Programs reach the cores by system calls: OpenSSL's engine `afalg` asks the kernel's driver.
- The driver sends every request to the core, however small.
"""

HARDWARE_HABITS: tuple[Habit, ...] = ("af-alg", "core-only")
"""Habits that only cells on the cores can have."""
Pattern = Literal["sequential-read", "sequential-write", "random-read", "random-write"]


AS_INSTALLED: Implementation = "software-as-installed"
"""The code that the kernel loads without being told to.  `software` is the fastest that the kernel
has for the processor, and the only one that hardware is judged beside."""

IN_SOFTWARE: tuple[Implementation, ...] = ("software", AS_INSTALLED)
"""What a published row in software may stand beside."""

ON_CORES: tuple[Implementation, ...] = ("hardware", "hardware-kernel")
"""Implementations that have the cores.  `hardware` has them by the way that this project offers; a
program's cryptography has them by `hardware-kernel` through system calls instead."""

USUAL_COMPLETION: Completion = "adaptive"
"""The driver's own choice, and what a hardware cell has that asks for no other."""


class PingPlan(BaseModel):
    """Flood pings from the board: payload sizes in bytes and echo requests per size."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sizes: tuple[int, ...]
    count: int


class TransferPlan(BaseModel):
    """One file of random data fetched over FTP, or with SSH by scp: its size in bytes.

    With `steady_from` files of that size, `steady_factor` times that, and so on up to `size` are
    fetched until the rate is steady (`jobs.transfer.STEADY`).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    size: int
    steady_from: int | None = None
    steady_factor: int | None = None

    @model_serializer(mode="wrap")
    def _leave_out_what_is_not_there(self, handler: SerializerFunctionWrapHandler) -> Any:
        """As `Cell` does."""
        told = handler(self)
        return {key: value for key, value in told.items() if value is not None}

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of the files in the order in which they are fetched."""
        sizes = [self.steady_from or self.size]
        while sizes[-1] < self.size:
            sizes.append(min((self.steady_factor or 2) * sizes[-1], self.size))
        return tuple(sizes)


class CryptoPlan(BaseModel):
    """Requests to the kernel's crypto API.

    Their sizes in bytes; how many of each size and direction; and how many are under way at once,
    each number a measurement of its own.  Hashes know no direction and are measured once.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    sizes: tuple[int, ...]
    requests: int
    in_flight: tuple[int, ...]
    directions: tuple[Direction, ...]


class DiskPlan(BaseModel):
    """A disk in memory that is read and written from one end to the other, or at random.

    Sizes in bytes: of the disk, of the blocks that a program asks for, of the sectors that
    dm-crypt encrypts by themselves.  `depths` are how many blocks are under way at once.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    size: int
    block_sizes: tuple[int, ...]
    sector_sizes: tuple[int, ...]
    patterns: tuple[Pattern, ...]
    depths: tuple[int, ...]


class SpeedPlan(BaseModel):
    """Blocks for `openssl speed`: their sizes in bytes, and seconds of virtual time for each."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sizes: tuple[int, ...]
    seconds: int


class HandshakePlan(BaseModel):
    """Handshakes of TLS: the kinds of the server's key; `alone` of one client at a time, where the
    program counts them; then `clients` at once for `seconds` of virtual time.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    keys: tuple[Key, ...]
    alone: int
    clients: int
    seconds: int


_LATER = ("completion", "crypto", "disk", "speed", "handshakes", "as_in_2015")
"""What cells did not always know of."""


class Cell(BaseModel):
    """One configuration of one topology, and what is measured while it is up.

    `topology` and the values of `profiles` (node name to profile name) are names of files in
    `board/`.  `measured` is the node whose figures are reported.  `completion` is how the cores'
    driver waits for the end of a job; none where it is not the driver that is measured.
    `as_in_2015` are habits of that time, to show what they cost.  A cell is
    a pure function of this object and the products (QEMU, kernel, image) it runs on.  From `seed`
    follow all random numbers of the boards, their addresses, keys, and when measuring begins.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    topology: str
    profiles: dict[str, str]
    measured: str
    protocol: Protocol
    cipher: Cipher
    mac: Mac
    implementation: Implementation
    completion: Completion | None = None
    ping: PingPlan | None = None
    transfer: TransferPlan | None = None
    crypto: CryptoPlan | None = None
    disk: DiskPlan | None = None
    speed: SpeedPlan | None = None
    handshakes: HandshakePlan | None = None
    as_in_2015: tuple[Habit, ...] | None = None
    seed: int = 1

    @model_serializer(mode="wrap")
    def _leave_out_what_is_not_there(self, handler: SerializerFunctionWrapHandler) -> Any:
        """So a cell that says nothing of what came later is told as it was before, and its record
        keeps its address.
        """
        told = handler(self)
        return {key: value for key, value in told.items() if key not in _LATER or value is not None}

    @property
    def on_cores(self) -> bool:
        """Whether the cores must do their share of it, and may."""
        return self.implementation in ON_CORES

    @property
    def habits(self) -> str:
        """Those of 2015 as columns have them: `no-neon+slow-tun`, empty for a cell without."""
        return "+".join(self.as_in_2015 or ())

    @property
    def label(self) -> str:
        """How the cell is called on the terminal: `ipsec aes-256-cbc:sha256 hardware poll`, with
        the usual completion left out.
        """
        if self.protocol == "none":
            return f"no tunnel {self.implementation}"
        words = [self.protocol, f"{self.cipher}:{self.mac}", self.implementation]
        if self.handshakes and self.protocol == "openvpn":
            words.append("handshakes")  # which its packets are measured without
        if self.as_in_2015:
            words += ["with", *self.as_in_2015]
        if self.completion not in (None, USUAL_COMPLETION):
            words.append(self.completion)
        return " ".join(words)
