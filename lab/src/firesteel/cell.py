# SPDX-License-Identifier: Apache-2.0
"""A cell: one point of an experiment, measured in one boot of its topology."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

Protocol = Literal["none", "openvpn", "ipsec"]
Cipher = Literal["none", "aes-256-cbc", "aes-256-gcm"]
Mac = Literal["none", "sha256", "gcm"]
Implementation = Literal["software"]


class PingPlan(BaseModel):
    """Flood pings from the board: payload sizes in bytes and echo requests per size."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sizes: tuple[int, ...]
    count: int


class TransferPlan(BaseModel):
    """One file of random data fetched over FTP: its size in bytes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    size: int


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
    seed: int = 1

    @property
    def label(self) -> str:
        """How the cell is called on the terminal: `ipsec aes-256-cbc:sha256 software`."""
        if self.protocol == "none":
            return f"no tunnel {self.implementation}"
        return f"{self.protocol} {self.cipher}:{self.mac} {self.implementation}"
