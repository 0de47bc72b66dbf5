# SPDX-License-Identifier: Apache-2.0
"""The table `[crypto]` of an experiment's file, and the plan of a cell: requests to the kernel's
crypto API.
"""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from firesteel.base.schema import Many, Table, check_distinct
from firesteel.model.cell import WorkloadPlan
from firesteel.protocols.protocol import Protocol
from firesteel.workloads.workload import WorkloadTable

Direction = Literal["encrypt", "decrypt"]


class CryptoPlan(WorkloadPlan):
    """Requests to the kernel's crypto API.

    Their sizes in bytes; how many of each size and direction; and how many are under way at once,
    each number a measurement of its own.  Hashes know no direction and are measured once.
    """

    workload = "crypto"

    sizes: tuple[int, ...]
    """Bytes."""
    requests: int
    """Number for each size."""
    in_flight: tuple[int, ...]
    """Numbers of requests in flight."""
    directions: tuple[Direction, ...]
    """Directions to measure."""


RequestSize = Annotated[int, Field(ge=16, le=65_536)]
"""Bytes: from a block of AES to the largest packet that IP has a length for."""

Requests = Annotated[int, Field(ge=1, le=5_000)]
InFlight = Annotated[int, Field(ge=1, le=256)]


class QuickCrypto(Table):
    """What `--quick` changes of the requests."""

    sizes: Many[RequestSize] | None = None
    requests: Requests | None = None


class Crypto(WorkloadTable):
    """The requests of every cell; see `CryptoPlan`."""

    sizes: Many[RequestSize]
    """Request sizes, bytes, each once."""
    requests: Requests
    """Number for each size; fewer of large sizes, so that they stay below 16 MiB together, but at
    least 16.
    """
    in_flight: Many[InFlight] = (1,)
    """Number of requests in flight; each number is a separate measurement."""
    directions: Many[Direction] = ("encrypt",)
    """Encryption, decryption or both; hashes have no direction and are measured once."""
    quick: QuickCrypto = QuickCrypto()
    """Keys that `--quick` replaces."""

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        check_distinct("sizes", self.sizes)
        check_distinct("sizes", self.quick.sizes or ())
        check_distinct("in_flight", self.in_flight)
        check_distinct("directions", self.directions)
        return self

    def plan(self, protocol: Protocol, quick: bool) -> CryptoPlan:
        """What a cell does."""
        del protocol
        sizes = (self.quick.sizes if quick else None) or self.sizes
        requests = (self.quick.requests if quick else None) or self.requests
        return CryptoPlan(
            sizes=sizes,
            requests=requests,
            in_flight=self.in_flight,
            directions=self.directions,
        )
