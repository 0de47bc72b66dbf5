# SPDX-License-Identifier: Apache-2.0
"""Addresses and routes follow from the topology."""

from firesteel.board.network import addresses, network_commands, routes, shell_files
from firesteel.board.topology import load_topology


def test_addresses_are_by_link_and_node() -> None:
    assert addresses(load_topology("host-gateway-gateway-host")) == {
        "host-a": "10.0.0.1",
        "gateway-a": "10.0.0.2",
        "gateway-b": "10.0.1.3",
        "host-b": "10.0.1.4",
    }


def test_routes_go_through_the_nearest_gateway() -> None:
    topology = load_topology("host-gateway-gateway-host")
    assert routes(topology, "host-a") == {1: "10.0.0.2", 2: "10.0.0.2"}
    assert routes(topology, "gateway-a") == {1: "10.0.2.3"}
    assert routes(topology, "host-b") == {0: "10.0.1.3", 2: "10.0.1.3"}
    assert routes(load_topology("three-hosts-gateway-host"), "host-3") == {1: "10.0.0.4"}
    assert routes(load_topology("host-host"), "board") == {}


def test_only_a_gateway_forwards() -> None:
    topology = load_topology("three-hosts-gateway-host")
    assert network_commands(topology, "gateway").splitlines() == [
        "hostname gateway",
        "ip link set lo up",
        "ip address add 10.0.0.4/24 dev eth0",
        "ip link set eth0 up",
        "ip address add 10.0.1.4/24 dev eth1",
        "ip link set eth1 up",
        "echo 1 >/proc/sys/net/ipv4/ip_forward",
    ]
    assert "forward" not in network_commands(topology, "host-1")
    assert "ip route add 10.0.1.0/24 via 10.0.0.4\n" in network_commands(topology, "host-1")


def test_a_shell_knows_the_nodes_by_name() -> None:
    files = shell_files(load_topology("host-host"), "peer")
    assert b"10.0.0.1 board\n10.0.0.2 peer\n" in files["/etc/hosts"].content
    assert files["/etc/profile"].content.startswith(b"hostname peer\n")
