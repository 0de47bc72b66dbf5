# SPDX-License-Identifier: Apache-2.0
"""The page on topologies says of the checkout's what they say."""

from firesteel.base.checkout import CHECKOUT
from firesteel.board.topology import Link, load_topology, topology_names

PAGE = (CHECKOUT / "docs" / "add-a-topology.md").read_text(encoding="utf-8")


def test_the_page_has_the_latencies_of_the_files() -> None:
    fitted = load_topology("host-host").links[0]
    told = f"{fitted.latency_ns / 1000:g} µs"
    assert f"| `host-host` | `{fitted.name}` | {told} |" in PAGE
    assert f"has a latency of {told}, because" in PAGE
    assert load_topology("board-serves").links[0].latency_ns == fitted.latency_ns
    others = {
        link.latency_ns
        for name in topology_names()
        if name not in ("host-host", "board-serves")
        for link in load_topology(name).links
    }
    assert others == {Link.model_fields["latency_ns"].default}
    (default,) = others
    assert f"| all others | all | {default / 1000:g} µs |" in PAGE
    assert f"the default of {default / 1000:g} µs" in PAGE
