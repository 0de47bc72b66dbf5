# SPDX-License-Identifier: Apache-2.0
"""What the keys of files mean, by the names of model and field, for the reference.

A key that is new must have its meaning here, or the site is not built.  Tables named `Quick…` need
none: their keys replace those of the same name.
"""

from firesteel.docs.models import Meanings
from firesteel.workloads.registry import WORKLOADS

_SIDES = {
    "protocol": "protocol of the other cell; default: the same",
    "suite": "suite of the other cell, `CIPHER:MAC`; default: the same",
    "implementation": "implementation of the other cell; default: the same",
    "completion": "completion of the other cell; default: the same",
}

_WORKLOADS = {workload.name: workload.meaning for workload in WORKLOADS}

EXPERIMENT: Meanings = {
    "ExperimentFile": {
        "title": "what the experiment measures, in one line",
        "topology": "boards and links: a file in `board/topologies/`",
        "measured": "the device under test: the node whose figures are reported",
        "seed": "random seed of the boards; [what it decides](../experiments.md#seeds)",
        "seeds": "number of seeds, from `seed` upwards, that each configuration is measured with",
        "profiles": "profile of a node; overrides the one in the topology",
        "configurations": "what is measured: every combination of the listed values, all with the "
        "same tables",
        **_WORKLOADS,
        "limits": "thresholds (acceptance criteria) for figures; a missed limit does not fail the "
        "run",
    },
    "Configuration": {
        "protocol": "program or kernel part that encrypts; [its suites and "
        "implementations](#protocols)",
        "suite": "`CIPHER:MAC`; the cipher alone where only one suite has it, such as "
        "`aes-256-gcm`",
        "implementation": "what computes: the board's CPU, its cores or QEMU's virtio-crypto "
        "device",
        "completion": "how the driver or library waits for the cores; for hardware cells only",
        "as_in_2015": "variants that work as software did in 2015, to show [what that "
        "cost](../fidelity.md)",
    },
    "Ping": {
        "sizes": "payload sizes, bytes",
        "count": "echo requests of each size",
        "quick": "keys that `--quick` replaces",
    },
    "Transfer": {
        "size": "size of the file, or of the longest; at most 256 MiB for all together",
        "steady": "sends longer and longer files until "
        "[the rate is steady](../experiments.md#how-long-a-transfer-is)",
        "quick": "keys that `--quick` replaces",
    },
    "Steady": {
        "start": "size of the first file, smaller than the longest",
        "factor": "size of each file divided by that of the one before",
    },
    "Crypto": {
        "sizes": "request sizes, bytes, each once",
        "requests": "number for each size; fewer of large sizes, so that they stay below 16 MiB "
        "together, but at least 16",
        "in_flight": "number of requests in flight; each number is a separate measurement",
        "directions": "encryption, decryption or both; hashes have no direction and are measured "
        "once",
        "quick": "keys that `--quick` replaces",
    },
    "Disk": {
        "size": "size of the disk: a multiple of 64 KiB, at most 256 MiB",
        "block_sizes": "size of one I/O: multiples of the largest sector that divide the disk's "
        "size, at most 1 MiB",
        "sector_sizes": "bytes that dm-crypt encrypts as one unit",
        "patterns": "order of the blocks, and whether they are read or written",
        "depths": "numbers of I/Os in flight",
        "quick": "keys that `--quick` replaces",
    },
    "Speed": {
        "sizes": "block sizes, bytes",
        "seconds": "virtual time for each size",
        "quick": "keys that `--quick` replaces",
    },
    "Handshakes": {
        "keys": "types of the server's key, by program",
        "alone": "number of handshakes of a single client, one after the other",
        "clients": "number of clients that are then served at once",
        "seconds": "virtual time for which all clients are measured, by program",
        "quick": "keys that `--quick` replaces",
    },
    "Keys": {
        "openvpn": "only RSA, as its suite is DHE-RSA; the Diffie-Hellman group has the size of "
        "the key",
        "nginx": "key of the certificate, with TLS 1.3",
    },
    "Lengths": {"openvpn": "seconds", "nginx": "seconds"},
    "Limits": {
        "link": "the configuration that only the link slows down",
        "ratios": "ratios of figures, with their limits",
    },
    "Link": {
        **_SIDES,
        "share": "a configuration with at least this share of that throughput counts as line rate, "
        "and "
        "meets every `least` of throughput",
    },
    "Ratio": {
        "protocol": "protocols of the cells; default: all",
        "suite": "suites of the cells; default: all",
        "implementation": "implementations of the cells; default: `hardware`",
        "completion": "completions of hardware cells; default: `adaptive`",
        "experiment": "values of the figures' column `experiment`; default: all",
        "parameter": "values of the figures' column `parameter`; default: all",
        "versus": "the cell to divide by: the keys that differ there",
        "least": "lower limit of the ratio, by metric",
        "most": "upper limit of the ratio, by metric",
        "show": "metrics whose ratio is shown without a limit",
        "note": "one line that says why these limits are missed; shown where one is",
    },
    "Versus": _SIDES,
}

COLLECTION: Meanings = {
    "Parts": {
        "title": "what the collection measures, in one line",
        "parts": "the experiments that make up one run",
        "profiles": "cells that are profiled after the run, for the report",
        "libcrypto": "what the measured board has in the place of Debian's libcrypto: "
        "`neon-ghash`, the same with [GHASH in NEON code](../profiles.md#what-neon-would-give); "
        "default: Debian's",
    },
    "Part": {
        "experiment": "a name in `experiments/`",
        "without": "leaves out cells that match one of these: `KEY=VALUE`, as `--only` takes it",
        "quick": "what `--quick` leaves out in addition",
    },
    "QuickPart": {"without": "also leaves out cells that match one of these"},
    "Profiles": {
        "cells": "labels, as `firesteel profile` takes them; the software or hardware counterpart "
        "is profiled too",
        "quick": "the same for `--quick`; default: none",
    },
}

PROFILE: Meanings = {
    "Profile": {
        "cpu": "the one CPU that carries the load",
        "memory": "main memory",
        "ethernet": "the Ethernet controllers, all alike; default: the driver chooses when they "
        "interrupt, which is after nearly every frame",
        "cores": "[windows of crypto cores](../cores.md); names are unique",
        "virtio_crypto": "adds QEMU's own crypto device, which takes no virtual time",
    },
    "Cpu": {
        "model": "CPU core that QEMU emulates: its instruction set, not its speed",
        "instructions_per_second": "instructions per second of [virtual time](../virtual-time.md)",
    },
    "Memory": {
        "mebibytes": "main memory, MiB; a board without high memory addresses at most 3 GiB"
    },
    "Ethernet": {
        "interrupt_delay_us": "time from the first frame to the interrupt, which covers all frames "
        "since",
    },
    "Cores": {
        "name": "prefix of its counters; not `wire` or the name of a network interface, such as "
        "`eth0`",
        "bus": "how the guest finds it: as a PCI function or in the device tree",
        "aes": "BA411E, behind a CryptoMaster; a window needs at least one core",
        "hash": "BA413, behind the same CryptoMaster",
        "pk": "BA414E",
        "pk_multipliers": "number of multipliers of BA414E; default: 16",
        "timing": "how long the cores take; the constants are not measured but "
        "[derived](../cores.md)",
        "faults": "faults to inject, each kind at most once",
    },
    "Timing": {
        "zero": "the cores take no time; allows no other key",
        "clock_hz": "clock of the cores; default: 100 MHz",
        "register_ns": "time that a register access costs the CPU; default: 120",
        "dma_bytes_per_beat": "width of the bus; default: 8",
        "dma_latency_cycles": "from a request to its first beat",
        "start_cycles": "from START to the first request",
        "end_cycles": "from the last beat to the status bit",
        "aes128_cycles": "one block of 16 bytes with a 128-bit key",
        "aes192_cycles": "the same with a 192-bit key",
        "aes256_cycles": "the same with a 256-bit key",
        "aes_key_cycles": "key expansion",
        "sha1_cycles": "one block of 64 bytes",
        "sha256_cycles": "one block of 64 bytes; also for SHA-224",
        "sha512_cycles": "one block of 128 bytes; also for SHA-384",
        "pk_operation_cycles": "fixed cost of each public-key operation",
        "pk_product_cycles": "cost of each modular product",
    },
    "Fault": {
        "kind": "[what happens](../cores.md#faults)",
        "rate": "one operation in this many fails, at random; either this or `nth`",
        "nth": "only this operation fails, counted from 1",
        "factor": "for `late` only: how many times as long the operation takes",
        "from_ms": "virtual time from which the fault can occur; default: from the start",
        "until_ms": "virtual time until which it can occur, after `from_ms`; default: for ever",
        "accesses": "for `gone` only, instead of `rate` and `nth`: the fault follows one register "
        "access in this many, at random",
        "within_ns": "for `gone` only: the fault occurs at random up to this long after the start "
        "of an operation",
        "for_ns": "for `gone` only: the window returns after this time, in its power-on state",
    },
}

TOPOLOGY: Meanings = {
    "Topology": {
        "client": "the node that sends the pings and fetches the files; default: the first host",
        "server": "the node that answers it; default: the last host",
        "tunnels": "pairs of nodes between which a tunnel runs in cells of `ipsec` and `openvpn`, "
        "the initiator first; each node ends one at most; [default](../boards.md#roles)",
        "nodes": "1 to 8 boards by name, numbered in this order",
        "links": "links in the order in which they number the ports of each node (`eth0`, `eth1`); "
        "a single "
        "board needs none, several boards need at least one each",
    },
    "Node": {
        "role": "gateways and routers forward packets; tunnels end at hosts and gateways",
        "profile": "a file in `board/profiles/`; an experiment may override it",
    },
    "Link": {
        "name": "unique within the topology",
        "kind": "a cable between two nodes, or a store-and-forward switch with a cable to each "
        "node",
        "nodes": "nodes on the link, each once",
        "rate_bit_s": "bit rate of each direction of each cable",
        "latency_ns": "latency of a cable, one way",
        "queue_frames": "frames that can wait for a cable: in the sending port of a link, which "
        "refuses further frames "
        "(default 2); in a switch, which drops further frames (default 64)",
    },
}

_SIZES = "bytes"

RECORD: Meanings = {
    "RecordFile": {
        "cell": "the cell that it was first measured for",
        "versions": "SHA-256 of everything else that the measurement depended on",
        "setup": "boards and links that the cell was measured on",
        "trace": "SHA-256 of all frames of all nodes with their virtual times",
        "observed": "SHA-256 of the observations, unpacked",
        "packages": "packages of the guest with their versions",
    },
    "Cell": {
        "topology": "a name in `board/topologies/`",
        "profiles": "a name in `board/profiles/` for each node",
        "measured": "the device under test: the node whose figures are reported",
        "protocol": "program or kernel part that encrypts",
        "cipher": "first half of the suite",
        "mac": "second half of the suite; `gcm` for GCM, which authenticates by itself",
        "implementation": "what computes",
        "completion": "how the driver or library waits for the cores; absent in software",
        "as_in_2015": "variants that work as software did in 2015; absent if none",
        **_WORKLOADS,
        "seed": "random seed of the boards",
    },
    "PingPlan": {"sizes": _SIZES, "count": "echo requests of each size"},
    "TransferPlan": {
        "size": "bytes of the longest file",
        "steady_from": "bytes of the first file; absent for a single file, as is the next key",
        "steady_factor": "size of each file divided by that of the one before",
    },
    "CryptoPlan": {
        "sizes": _SIZES,
        "requests": "number for each size",
        "in_flight": "numbers of requests in flight",
        "directions": "directions to measure",
    },
    "DiskPlan": {
        "size": _SIZES,
        "block_sizes": _SIZES,
        "sector_sizes": _SIZES,
        "patterns": "patterns to measure",
        "depths": "numbers of I/Os in flight",
    },
    "SpeedPlan": {"sizes": _SIZES, "seconds": "virtual time for each size"},
    "HandshakePlan": {
        "keys": "types of the server's key",
        "alone": "number of handshakes of a single client",
        "clients": "number of clients at once",
        "seconds": "virtual time for all clients",
    },
    "Versions": {
        "qemu": "source, patches, devices and build recipe of QEMU",
        "kernel": "the guest's kernel",
        "image": "the guest's packages and everything added to them",
        "boards": "topology and profiles",
        "jobs": "the job of each node; in hardware with the driver and the provider",
        "commands": "the emulator's command line for every node, without paths and seeds",
    },
    "Setup": {
        "topology": "nodes and links",
        "profiles": "the board of each node",
        "order": "the nodes in the order in which they are numbered",
    },
    **TOPOLOGY,
    **PROFILE,
}

FIGURE: Meanings = {
    "Figure": {
        "workload": "measurement: `ping`, `file-transfer` …; the column `experiment` of tables",
        "protocol": "protocol of the cell",
        "cipher": "cipher of the cell",
        "mac": "MAC of the cell",
        "implementation": "implementation of the cell",
        "parameter": "swept value; what it does not have is absent",
        "metric": "[quantity](figures.md)",
        "value": "the figure, in the unit of its metric",
        "uncertainty": "half of its 95 % interval; absent where the figure is exact for its seed",
    },
    "Parameter": {
        "size_bytes": "size of the packet, block or request",
        "file_bytes": "size of the file",
        "class_bytes": "smallest size of a class of packets",
        "class_bytes_most": "largest size of the class; absent in the last one",
        "in_flight": "requests under way at once",
        "sector_bytes": "size of the sectors that dm-crypt encrypts",
        "key": "key of the server",
        "direction": "`encrypt`, `decrypt`",
        "pattern": "how a disk was accessed",
        "words": "anything else that a published figure says",
    },
}
