# SPDX-License-Identifier: Apache-2.0
"""The table `[handshakes]` of an experiment's file: connections of TLS, one and many at a time."""

from collections.abc import Iterable
from typing import Annotated, Self

from pydantic import Field, model_validator

from firesteel.base.schema import Many, Table, check_distinct
from firesteel.model.cell import HandshakePlan, Key, Protocol

Clients = Annotated[int, Field(ge=1, le=64)]
Number = Annotated[int, Field(ge=1, le=1000)]
Seconds = Annotated[int, Field(ge=1, le=600)]


class Keys(Table):
    """The kinds of the server's key, by program."""

    openvpn: Many[Key] | None = None
    nginx: Many[Key] | None = None

    @model_validator(mode="after")
    def _fit(self) -> Self:
        for name in ("openvpn", "nginx"):
            check_distinct(f"keys.{name}", getattr(self, name) or ())
        for key in self.openvpn or ():
            if not key.startswith("rsa-"):
                raise ValueError(f"`keys.openvpn` has {key}; its suite is DHE-RSA, so keys are RSA")
        return self


class Lengths(Table):
    """For how many seconds all clients are measured, by program."""

    openvpn: Seconds | None = None
    nginx: Seconds | None = None


class QuickHandshakes(Table):
    """What `--quick` changes."""

    alone: Number | None = None
    seconds: Lengths = Lengths()


class Handshakes(Table):
    """The handshakes of every cell; see `model.cell.HandshakePlan`."""

    keys: Keys
    alone: Number
    clients: Clients
    seconds: Lengths
    quick: QuickHandshakes = QuickHandshakes()

    def check(self, protocols: Iterable[Protocol]) -> None:
        """Raises `ValueError` when a protocol has no keys, or is not measured by handshakes."""
        for name in sorted(protocols):
            if name not in Keys.model_fields:
                raise ValueError(
                    f'protocol "{name}" has no handshake measurement; '
                    f"allowed are {', '.join(Keys.model_fields)}"
                )
            for table in ("keys", "seconds"):
                if not getattr(getattr(self, table), name):
                    raise ValueError(f"the key `handshakes.{table}.{name}` is missing")

    def plan(self, protocol: Protocol, quick: bool) -> HandshakePlan:
        """What a cell of that protocol is told to do."""
        return HandshakePlan(
            keys=getattr(self.keys, protocol),
            alone=(self.quick.alone if quick else None) or self.alone,
            clients=self.clients,
            seconds=(getattr(self.quick.seconds, protocol) if quick else None)
            or getattr(self.seconds, protocol),
        )
