# SPDX-License-Identifier: Apache-2.0
"""A node's command line says all that makes it deterministic."""

import dataclasses
from pathlib import Path

from firesteel.boards.command import (
    BoardProducts,
    Profiling,
    Wiring,
    ethernet_options,
    node_command,
    node_seed,
)
from firesteel.boards.files import NodeFiles
from firesteel.boards.profile import BOARD_FILES, load_profile
from firesteel.boards.topology import load_profiles, load_topology

BOTH = ("board", "peer")
BOARDS = BoardProducts(Path("/q/qemu"), Path("/i/kernel"), Path("/i/initramfs"))
CMDLINE = (BOARD_FILES / "image" / "cmdline").read_text().strip().replace("@CONSOLE@", "ttyAMA0")
DELAY = (
    "e1000.RxIntDelay=638 e1000.RxAbsIntDelay=638 e1000.TxIntDelay=638 e1000.TxAbsIntDelay=638 "
    "e1000.InterruptThrottleRate=0"
)
"""653 us in units of 1.024 us."""


def wiring(name: str, seed: int = 1) -> Wiring:
    topology = load_topology(name)
    return Wiring(topology, load_profiles(topology), seed, Path("/tmp/s"))


def command(name: str, node: str, directory: str = "/run") -> list[str]:
    return node_command(BOARDS, wiring(name), node, NodeFiles(Path(directory) / node))


def values(arguments: list[str], option: str) -> list[str]:
    return [arguments[i + 1] for i, word in enumerate(arguments) if word == option]


def test_the_whole_command_of_the_board() -> None:
    # These numbers are fitted, and so not for this test to say.
    costs = load_profile("socrates").cpu.costs
    assert costs
    latency = load_topology("host-host").links[0].latency_ns
    digest = wiring("host-host").digest
    assert command("host-host", "board") == [
        *("/q/qemu", "-M", "virt,highmem=off", "-cpu", "cortex-a15", "-smp", "1", "-m", "1024"),
        *("-seed", str(node_seed(wiring("host-host"), "board"))),
        *("-nodefaults", "-display", "none"),
        *("-icount", f"rate=800000000,sleep=off,cycles={costs}"),
        *("-rtc", "clock=vm,base=2026-01-01"),
        *("-no-reboot", "-monitor", "none", "-serial", "file:/run/board/console"),
        *("-kernel", "/i/kernel", "-initrd", "/i/initramfs"),
        *("-append", f"{CMDLINE} {DELAY}"),
        *("-device", "firesteel-probe,log=/run/board/probe.jsonl,job=/run/board/job"),
        "-device",
        (
            "lockstep,id=wire,dir=/tmp/s,node=0,nodes=2,name=board,"
            f"topology={digest},timeout=60,start=1875000000,trace=/run/board/trace"
        ),
        "-device",
        f"lockstep-port,id=eth0,lockstep=wire,link=0,rate=100000000,latency={latency},queue=2",
        "-device",
        "e1000,netdev=eth0,mac=52:54:00:00:01:00,romfile=",
        "-device",
        "silex-pci,id=crypto0,cryptomaster=on,aes=on,hash=off,pk=on,zero=off",
    ]


def test_every_controller_of_a_board_has_the_delay_and_those_of_others_their_own() -> None:
    profile = load_profile("socrates")
    assert "e1000.RxAbsIntDelay=638,638" in ethernet_options(profile, 2)
    assert ethernet_options(profile, 0) == []
    assert ethernet_options(load_profile("peer"), 1) == []
    assert values(command("host-host", "peer"), "-append") == [CMDLINE]


def test_virtio_crypto_never_works_on_a_thread_of_its_own() -> None:
    topology = load_topology("one-board").override(profiles={"board": "socrates-virtio"})
    alone = Wiring(topology, load_profiles(topology), 1, Path("/tmp/s"))
    words = node_command(BOARDS, alone, "board", NodeFiles(Path("/run/board")))
    assert values(words, "-object") == ["cryptodev-backend-builtin,id=virtio-crypto-backend"]
    assert values(words, "-device")[-1] == (
        "virtio-crypto-pci,cryptodev=virtio-crypto-backend,ioeventfd=off"
    )
    assert "-object" not in command("host-host", "board")


def test_storage_comes_behind_all_other_devices() -> None:
    topology = load_topology("host-host").override(profiles={"board": "socrates-sd"})
    wired = Wiring(topology, load_profiles(topology), 1, Path("/tmp/s"))
    words = node_command(BOARDS, wired, "board", NodeFiles(Path("/run/board")))
    usual = [word.split(",")[0] for word in values(command("host-host", "board"), "-device")]
    *others, storage = values(words, "-device")
    assert [word.split(",")[0] for word in others] == usual
    assert storage == (
        "firesteel-storage-pci,size=536870912,read-rate=16800000,write-rate=8900000,"
        "latency=514000,depth=1"
    )


def test_only_a_board_whose_dma_is_not_coherent_is_told_so() -> None:
    topology = load_topology("host-host").override(profiles={"board": "socrates-noncoherent"})
    wired = Wiring(topology, load_profiles(topology), 1, Path("/tmp/s"))
    machines = {
        node: values(node_command(BOARDS, wired, node, NodeFiles(Path("/run") / node)), "-M")
        for node in BOTH
    }
    assert machines == {
        "board": ["virt,highmem=off,dma-coherent=off"],
        "peer": ["virt,highmem=off"],
    }


def test_nodes_differ_in_number_rate_and_seed_and_commas_in_paths_are_doubled() -> None:
    assert values(command("host-host", "board", "/a,b"), "-serial") == ["file:/a,,b/board/console"]
    peer = command("host-host", "peer")
    assert values(peer, "-icount") == ["rate=100000000000,sleep=off"]
    assert ",node=1,nodes=2,name=peer," in values(peer, "-device")[1]
    seeds = {node_seed(wiring("host-host", seed), node) for seed in (1, 2) for node in BOTH}
    assert len(seeds) == 4
    assert all(0 <= seed < 2**32 for seed in seeds)


def test_a_gateway_has_a_port_and_a_controller_for_each_link() -> None:
    _, _, *devices = values(command("three-hosts-gateway-host", "gateway"), "-device")
    assert [device.split(",")[0] for device in devices] == [
        *["lockstep-port", "e1000"] * 2,
        "silex-pci",
    ]
    assert ",link=0," in devices[0]
    assert devices[0].endswith(",switch=on")
    assert ",link=1," in devices[2]
    assert "switch" not in devices[2]
    assert "netdev=eth1" in devices[3]


def test_only_the_profiled_node_is_told_to_count() -> None:
    profiling = Profiling("board", "transfer", {"task-pid": 1640})
    wired = dataclasses.replace(wiring("host-host"), profiling=profiling)
    probes = [
        next(value for value in values(command, "-device") if value.startswith("firesteel-probe"))
        for node in ("board", "peer")
        if (command := node_command(BOARDS, wired, node, NodeFiles(Path("/run") / node)))
    ]
    counting = "profile=/run/board/profile,profile-window=transfer,task-pid=1640"
    assert probes == [
        f"firesteel-probe,log=/run/board/probe.jsonl,job=/run/board/job,{counting}",
        "firesteel-probe,log=/run/peer/probe.jsonl,job=/run/peer/job",
    ]
