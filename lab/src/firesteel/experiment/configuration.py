# SPDX-License-Identifier: Apache-2.0
"""The tables `[[configurations]]` of an experiment's file: what is measured, but for sizes."""

from itertools import product
from typing import Any, Self

from pydantic import Field, model_validator

from firesteel.base.schema import Many, Table
from firesteel.model.cell import (
    ON_CORES,
    USUAL_COMPLETION,
    Completion,
    Habit,
    Implementation,
)
from firesteel.protocols.protocol import HABITS
from firesteel.protocols.registry import PROTOCOLS, ProtocolName, Suite, protocol_named


def _only_suite(said: dict[str, Any]) -> tuple[str, ...]:
    """The suite of protocols that have a single one; nothing for others."""
    suites = {suite for name in said.get("protocol", ()) for suite in protocol_named(name).suites}
    return tuple(suites) if len(suites) == 1 else ()


class Configuration(Table):
    """Lists whose product is a set of cells; `completion` is of those in hardware alone."""

    protocol: Many[ProtocolName]
    """Program or kernel part that encrypts; [its suites and implementations](#protocols)."""
    suite: Many[Suite] = Field(default_factory=_only_suite)
    """`CIPHER:MAC`; the cipher alone where only one suite has it, such as `aes-256-gcm`; default:
    the protocol's, where it has a single one, as `none` has.
    """
    implementation: Many[Implementation] = ("software",)
    """What computes: the board's CPU, its cores or QEMU's virtio-crypto device."""
    completion: Many[Completion] = (USUAL_COMPLETION,)
    """How the driver or library waits for the cores; for hardware cells only."""
    as_in_2015: Many[Habit] | None = None
    """Variants that work as software did in 2015, to show [what that cost](../fidelity.md)."""

    @model_validator(mode="after")
    def _habits_fit(self) -> Self:
        protocols = [protocol_named(name) for name in self.protocol]
        for habit in self.as_in_2015 or ():
            if not all(habit in protocol.variants for protocol in protocols):
                allowed = [each.name for each in PROTOCOLS if habit in each.variants]
                raise ValueError(
                    f'`as_in_2015` "{habit}" is only for protocol {" and ".join(allowed)}'
                )
            nature = HABITS[habit]
            if nature.on_cores and self.implementation != ("hardware",):
                raise ValueError(f'`as_in_2015` "{habit}" is only for implementation "hardware"')
            if any(nature.suites not in suite for suite in self.suite):
                raise ValueError(f'`as_in_2015` "{habit}" is only for {nature.said}')
        for protocol in protocols:
            protocol.check_variants(self.as_in_2015 or ())
        return self

    @model_validator(mode="after")
    def _suites_fit(self) -> Self:
        for name in self.protocol:
            protocol = protocol_named(name)
            if not self.suite:
                allowed = ", ".join(protocol.suites)
                raise ValueError(f'`suite` is missing; protocol "{name}" has: {allowed}')
            protocol.check_suites(self.suite)
        return self

    @model_validator(mode="after")
    def _implementations_fit(self) -> Self:
        protocols = [protocol_named(name) for name in self.protocol]
        for protocol in protocols:
            allowed = protocol.implementations
            if not set(self.implementation) <= set(allowed):
                raise ValueError(
                    f'protocol "{protocol.name}" is measured with implementation '
                    + " or ".join(f'"{name}"' for name in allowed)
                )
        if "hardware" in self.implementation:
            self._encrypt_something()
        for protocol, implementation in product(protocols, self.implementation):
            suites = protocol.suites_of(implementation)
            for suite in self.suite:
                if suite not in suites:
                    raise ValueError(
                        f'implementation "{implementation}" has no suite "{suite}"; '
                        f"allowed are {', '.join(suites)}"
                    )
        return self

    @model_validator(mode="after")
    def _completions_fit(self) -> Self:
        if "completion" in self.model_fields_set and not set(self.implementation) & set(ON_CORES):
            raise ValueError(
                '`completion` is for implementation "hardware", which is not measured here'
            )
        return self

    def _encrypt_something(self) -> None:
        if "none:none" in self.suite:
            raise ValueError(
                'suite "none:none" gives the hardware nothing to do; '
                "put it into another configuration, in software"
            )
