# SPDX-License-Identifier: Apache-2.0
"""A cell: one point of an experiment, measured in one boot of its topology."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

Protocol = Literal["none", "openvpn", "ipsec", "crypto-api"]
Cipher = Literal[
    "none",
    "aes-128-cbc",
    "aes-256-cbc",
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
Implementation = Literal["software", "hardware", "virtio-crypto"]
Direction = Literal["encrypt", "decrypt"]


class PingPlan(BaseModel):
    """Flood pings from the board: payload sizes in bytes and echo requests per size."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sizes: tuple[int, ...]
    count: int


class TransferPlan(BaseModel):
    """One file of random data fetched over FTP: its size in bytes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    size: int


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


class Cell(BaseModel):
    """One configuration of one topology, and what is measured while it is up.

    `topology` and the values of `profiles` (node name to profile name) are names of files in
    `board/`.  `measured` is the node whose figures are reported.  A cell is a pure function of
    this object, its `seed` and the products (QEMU, kernel, image) it runs on.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    topology: str
    profiles: dict[str, str]
    measured: str
    protocol: Protocol
    cipher: Cipher
    mac: Mac
    implementation: Implementation
    ping: PingPlan | None = None
    transfer: TransferPlan | None = None
    crypto: CryptoPlan | None = None
    seed: int = 1

    @property
    def label(self) -> str:
        """How the cell is called on the terminal: `ipsec aes-256-cbc:sha256 software`."""
        if self.protocol == "none":
            return f"no tunnel {self.implementation}"
        return f"{self.protocol} {self.cipher}:{self.mac} {self.implementation}"
