# SPDX-License-Identifier: Apache-2.0
"""What is asked of every protocol, each answers, and each is measured by some workload."""

import pytest

from firesteel.base.errors import FiresteelError
from firesteel.protocols.between_hosts import BetweenHosts
from firesteel.protocols.protocol import Protocol
from firesteel.protocols.registry import ALIASES, PROTOCOLS, protocol_named
from firesteel.workloads.registry import sessions_for

NAMES = [protocol.name for protocol in PROTOCOLS]


def test_names_and_aliases_are_each_of_one_protocol() -> None:
    all_names = [*NAMES, *(alias for protocol in PROTOCOLS for alias in protocol.aliases)]
    assert len(all_names) == len(set(all_names))
    assert {protocol_named(name).name for name in ALIASES.values()} <= set(NAMES)


def test_an_unknown_name_is_answered_with_all_there_are() -> None:
    with pytest.raises(FiresteelError) as caught:
        protocol_named("quic")
    assert all(name in str(caught.value) for name in NAMES if name != "none")


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=NAMES)
def test_every_protocol_answers_what_is_asked_of_each(protocol: Protocol) -> None:
    for implementation in protocol.implementations:
        suites = protocol.suites_of(implementation)
        assert suites
        assert set(suites) <= set(protocol.suites)
        protocol.check_suites(suites)
    for suite in protocol.suites:
        words = protocol.in_words(*suite.split(":"))
        assert words.startswith(protocol.title) or suite == "none:none"
    uses = [protocol.use(*suite.split(":")) for suite in protocol.suites]
    assert {use and use.purpose for use in uses} == {protocol.purpose}
    assert protocol.purpose is None or any(use and use.protects for use in uses)
    if protocol.handshakes:
        use = protocol.use("none", "none", connections=True)
        assert (use and use.purpose) == protocol.purpose
    usual, *_ = sessions_for(protocol)
    measured = {workload.name for workload in usual.workloads if workload.measures(protocol)}
    assert measured
    between = isinstance(protocol, BetweenHosts) and protocol.carries_packets
    assert ("ping" in measured) is between
