# SPDX-License-Identifier: Apache-2.0
"""Every cell of the published tables has jobs, and others are refused in a sentence."""

import re
from collections.abc import Mapping
from typing import Any

import pytest
from made_cells import made, with_plan
from workloads.sites import jobs_of, settings, variables_of

from firesteel.base.errors import FiresteelError
from firesteel.boards.job import Job, JobFile
from firesteel.boards.topology import load_topology
from firesteel.model.cell import Cell
from firesteel.protocols import pki
from firesteel.protocols.between_hosts import BetweenHosts
from firesteel.protocols.registry import PROTOCOLS
from firesteel.protocols.site import start_offset
from firesteel.run.experiment.experiment import load_experiment
from firesteel.workloads.ping import PingPlan
from firesteel.workloads.sieve import SievePlan
from firesteel.workloads.transfer import TransferPlan


def _cell(topology: str = "host-host", **changes: Any) -> Cell:
    nodes = load_topology(topology).nodes
    given = {
        "topology": topology,
        "profiles": dict.fromkeys(nodes, "peer"),
        "measured": next(iter(nodes)),
        "ping": PingPlan(sizes=(56, 1000), count=(10, 5)),
    }
    return made("ipsec", "aes-256-cbc:sha256", **(given | changes))


def _tunnel(cell: Cell, node: str, number: int = 0) -> dict[str, str]:
    return variables_of(jobs_of(cell)[node], f"tunnel-{number}")


@pytest.mark.parametrize(
    ("topology", "ends"),
    [
        ("host-host", {"board", "peer"}),
        ("host-gateway-gateway-host", {"gateway-a", "gateway-b"}),
        ("three-hosts-gateway-host", {"gateway", "host-b"}),
        ("road-warrior", {"laptop", "gateway"}),
        ("hub", {"laptop", "hub", "branch"}),
    ],
)
@pytest.mark.parametrize("protocol", ["openvpn", "ipsec"])
def test_every_suite_has_a_tunnel(protocol: str, topology: str, ends: set[str]) -> None:
    for suite in ("none:none", "aes-256-cbc:none", "aes-256-cbc:sha256", "aes-256-gcm:gcm"):
        cipher, mac = suite.split(":")
        jobs = jobs_of(_cell(topology, protocol=protocol, cipher=cipher, mac=mac))
        told = {node: variables_of(job) for node, job in jobs.items()}
        assert {node for node, each in told.items() if each["TUNNELS"]} == ends
        for node in ends:
            files = jobs[node].files
            assert f"/job/tunnel-{told[node]['TUNNEL']}.sh" in files
            assert all(f"/job/tunnel-{each}" in files for each in told[node]["TUNNELS"].split())


def test_the_driver_is_loaded_on_the_measured_node_alone() -> None:
    cell = _cell(implementation="hardware", completion="irq")
    with pytest.raises(FiresteelError, match="`peer` .*`board`"):
        jobs_of(cell)
    cell = cell.model_copy(update={"profiles": {"board": "socrates", "peer": "peer"}})
    assert settings(cell)["DRIVER"] == "firesteel user=last completion=irq"
    assert settings(cell, "peer")["DRIVER"] == ""
    assert jobs_of(cell) == jobs_of(cell)


def test_the_first_host_measures_against_the_last() -> None:
    cell = _cell("three-hosts-gateway-host", protocol="none", cipher="none", mac="none")
    parts = {node: variables_of(job)["PART"] for node, job in jobs_of(cell).items()}
    between = dict.fromkeys(("host-2", "host-3", "gateway"), "none")
    assert parts == {"host-1": "client", **between, "host-b": "server"}
    assert settings(cell, "host-1")["TARGET"] == "10.0.1.5"
    assert settings(_cell())["TARGET"] == "10.1.0.2", "inside of a tunnel"
    assert _tunnel(_cell(), "peer")["INSIDE_HERE"] == "10.1.0.2"


@pytest.mark.parametrize("name", ["gateways", "three-hosts"])
def test_the_measured_gateway_ends_the_tunnels_of_experiments_with_gateways(name: str) -> None:
    for cell in load_experiment(name).cells(quick=True):
        assert load_topology(cell.topology).nodes[cell.measured].role == "gateway"
        tunnels = settings(cell, cell.measured)["TUNNELS"]
        assert tunnels == ("" if cell.protocol == "none" else "0")


def test_what_an_esp_tunnel_leads_to_is_routed_to_its_other_end() -> None:
    cell = _cell("three-hosts-gateway-host")
    names = ("INSIDE_HERE", "NETWORK_HERE", "NETWORK_THERE", "NEXT_HOP")
    for node, told in (
        ("gateway", ("", "10.0.0.0/24", "10.1.0.5/32", "10.0.1.5")),
        ("host-b", ("10.1.0.5", "10.1.0.5/32", "10.0.0.0/24", "10.0.1.4")),
    ):
        assert tuple(_tunnel(cell, node)[name] for name in names) == told
    network = jobs_of(cell)["host-3"].files["/job/network"].content.decode()
    assert "ip route add 10.1.0.5/32 via 10.0.0.4\n" in network


def test_tunnels_of_a_hub_share_no_number_no_port_and_no_key() -> None:
    cell = _cell("hub", mac="none")
    hub = [_tunnel(cell, "hub", number) for number in (0, 1)]
    assert [each["NODE_THERE"] for each in hub] == ["branch", "laptop"]
    for near, far in ((hub[0], _tunnel(cell, "branch")), (hub[1], _tunnel(cell, "laptop"))):
        for name in ("SPI", "KEY", "NETWORK", "TUNNEL", "NODE"):
            ends = [(each[f"{name}_HERE"], each[f"{name}_THERE"]) for each in (near, far)]
            assert ends[0] == ends[1][::-1]
    for name in ("SPI", "KEY"):
        assert len({each[f"{name}_{end}"] for each in hub for end in ("HERE", "THERE")}) == 4
    assert len({each["REQID"] for each in hub}) == 2
    programs = _cell("hub", protocol="openvpn")
    hub = [_tunnel(programs, "hub", number) for number in (0, 1)]
    spokes = [_tunnel(programs, "branch"), _tunnel(programs, "laptop")]
    assert len({each["PORT_HERE"] for each in hub}) == 2
    for near, far in zip(hub, spokes, strict=True):
        assert (near["PORT_HERE"], near["PORT_THERE"]) == (far["PORT_THERE"], far["PORT_HERE"])
    assert {each["TUNNEL_ROLE"] for each in hub} == {"client", "server"}
    text = jobs_of(_cell("hub"))["hub"].files["/job/swanctl.conf"].content.decode()
    for number, there in enumerate(("10.0.1.4", "10.0.1.3")):
        _, _, connection = text.partition(f"\ttunnel{number} {{\n\t\tversion")
        assert f"remote_addrs = {there}\n" in connection.partition("\n\t}\n")[0]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"protocol": "none"}, "no tunnel does not support aes-256-cbc:sha256"),
        ({"mac": "gcm"}, "allowed are none:none, aes-256-cbc:none"),
        ({"protocol": "openvpn", "cipher": "none"}, "OpenVPN does not support none:sha256"),
    ],
)
def test_what_does_not_go_together_is_refused(changes: dict[str, str], says: str) -> None:
    with pytest.raises(FiresteelError, match=says):
        jobs_of(_cell(**changes))


def test_another_seed_has_other_addresses_keys_and_start_but_the_same_parts() -> None:
    cell, other = _cell(mac="none"), _cell(mac="none", seed=2)
    first, second = settings(cell), settings(other)
    differ = {name for name in first if first[name] != second[name]}
    assert differ == {"CLIENT", "TARGET", "START_OFFSET"}
    first, second = _tunnel(cell, "board"), _tunnel(other, "board")
    assert {name for name in first if first[name] != second[name]} == {
        *("KEY_HERE", "KEY_THERE", "NETWORK_HERE", "NETWORK_THERE", "NEXT_HOP"),
        *("TUNNEL_HERE", "TUNNEL_THERE", "INSIDE_HERE", "INSIDE_THERE"),
    }
    assert second["TUNNEL_THERE"] == _tunnel(other, "peer")["TUNNEL_HERE"]
    network = jobs_of(other)["peer"].files["/job/network"].content.decode()
    assert f"ip address add {second['TUNNEL_THERE']}/24 dev eth0\n" in network
    files = [jobs_of(_cell(seed=seed))["board"].files for seed in (1, 2)]
    assert files[0]["/job/ca.pem"] == files[1]["/job/ca.pem"]
    assert files[0]["/job/node.key"].content == pki.identity("board").key
    assert files[0]["/job/node.key"] != files[1]["/job/node.key"]
    pauses = [float(start_offset(_cell(seed=seed))["START_OFFSET"]) for seed in range(1, 200)]
    assert pauses[0] == 0
    assert all(0 < pause < 0.01 for pause in pauses[1:])
    assert len(set(pauses)) > 190
    assert max(pauses) > 0.009


@pytest.mark.parametrize(
    ("changes", "measured", "peer"),
    [
        ({}, "fastest", "fastest"),
        ({"implementation": "software-as-installed"}, "as-installed", "fastest"),
        ({"as_in_2015": ("no-neon",)}, "", "fastest"),
        ({"protocol": "openvpn"}, "", ""),
    ],
)
def test_software_is_the_fastest_unless_it_is_told_as_installed(
    changes: dict[str, Any], measured: str, peer: str
) -> None:
    cell = _cell(**changes)
    told = [settings(cell, node)["KERNEL_SOFTWARE"] for node in ("board", "peer")]
    assert told == [measured, peer]
    assert "/job/kernel-software.sh" in jobs_of(cell)["board"].files


def _ssh(**changes: Any) -> Cell:
    plan = TransferPlan(size=1 << 20)
    return _cell(**({"protocol": "ssh", "ping": None, "transfer": plan} | changes))


def test_a_cell_has_the_scripts_and_variables_of_what_it_measures_and_no_others() -> None:
    jobs = [jobs_of(_cell())["peer"], jobs_of(_ssh())["peer"]]
    pings, files = (
        {path for path in job.files if re.match(r"/job/(measure-|serve-|fetch-)", path)}
        for job in jobs
    )
    assert pings == {"/job/measure-ping.sh"}
    names = ("measure-transfer", "serve-transfer", "fetch-scp", "serve-ssh")
    assert files == {f"/job/{name}.sh" for name in names}
    assert {"/job/ssh-client.sh", "/job/start-sshd.sh"} <= jobs[1].files.keys()
    told = [set(variables_of(job)) for job in jobs]
    assert told[0] - told[1] == {"PINGS", "STRONGSWAN"}
    assert variables_of(jobs[0])["PINGS"] == "56:10 1000:5"
    assert told[1] - told[0] >= {"TRANSFER_SIZES", "STEADY", "FILES_BY", "FILES_SERVER"}


def _files_of_every_way() -> list[Cell]:
    return [
        _ssh(
            protocol=each.name,
            cipher=cipher,
            mac=mac,
            transfer=TransferPlan(size=1 << 20, by=way.name),
            topology="board-serves",
        )
        for each in PROTOCOLS
        if isinstance(each, BetweenHosts)
        for cipher, mac in [each.suites[-1].split(":")]
        for way in each.files_by
    ]


def _beside_the_sieve() -> list[Cell]:
    ways = [_ssh(protocol=name, transfer=None) for name in ("ssh", "https")]
    return [with_plan(way, SievePlan(rounds=1, rate_bit_s=8_000_000, seconds=5)) for way in ways]


@pytest.mark.parametrize(
    "cell",
    [_cell(), *_files_of_every_way(), *_beside_the_sieve()],
    ids=lambda cell: cell.label,
)
def test_every_script_that_another_calls_is_there_and_has_its_functions(cell: Cell) -> None:
    files, told = jobs_of(cell)["board"].files, settings(cell)
    called: dict[str, tuple[str, ...]] = {
        f"measure-{name}.sh": (f"prepare_{name}", f"measure_{name}")
        for name in told["MEASURED"].split()
    }
    if "measure-transfer.sh" in called:
        fetching = ("prepare_fetching", "is_sample", "warm_up", "fetch")
        called[f"fetch-{told['FILES_BY']}.sh"] = fetching
        called[f"serve-{told['FILES_SERVER']}.sh"] = ()
    elif "measure-sieve.sh" in called:
        called[f"fetch-{told['SIEVE_BY']}.sh"] = ("prepare_fetching", "is_sample")
    assert called
    for name, functions in called.items():
        text = _with_what_it_reads(files, name)
        assert all(f"\n{function}() {{\n" in text for function in functions)


_OF_UPLOADS = '"./fetch-${FILES_SERVER#upload-}.sh"'
"""How board/jobs/fetch-upload.sh names the script that it goes by."""


def _with_what_it_reads(files: Mapping[str, JobFile], name: str) -> str:
    text = files[f"/job/{name}"].content.decode()
    if _OF_UPLOADS in text:
        server = variables_of(Job(dict(files)))["FILES_SERVER"]
        text = text.replace(_OF_UPLOADS, f"./fetch-{server.removeprefix('upload-')}.sh")
    read = re.findall(r"^\. \./(\S+\.sh)$", text, re.MULTILINE)
    return "".join([text, *(_with_what_it_reads(files, each) for each in read)])
