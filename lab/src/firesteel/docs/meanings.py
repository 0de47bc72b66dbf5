# SPDX-License-Identifier: Apache-2.0
"""What the keys of files mean, by the names of model and field, for the reference.

A key that is new must have its meaning here, or the site is not built.  Tables named `Quick…` need
none: their keys replace those of the same name.
"""

from firesteel.docs.models import Meanings

_SIDES = {
    "protocol": "of which protocols; without it the same on both sides",
    "suite": "`CIPHER:MAC`, likewise",
    "implementation": "likewise",
    "completion": "likewise",
}

EXPERIMENT: Meanings = {
    "ExperimentFile": {
        "title": "what it measures, in a line",
        "topology": "the boards and links: a file of `board/topologies/`",
        "measured": "the node whose figures are reported",
        "seed": "the boards' seed: [what follows from it](../experiments.md#seeds)",
        "seeds": "with how many, from `seed` on, every configuration is measured",
        "profiles": "the profile of a node, where it is not to be the topology's",
        "configurations": "what is measured: lists that multiply; all are measured alike",
        "ping": "flood pings from the client, for protocols between boards",
        "transfer": "one file, for protocols between boards",
        "crypto": "requests to the kernel's crypto API, for `crypto-api`",
        "disk": "a disk in memory, for `dm-crypt`",
        "speed": "`openssl speed`, for `openssl`",
        "handshakes": "handshakes of TLS, for `nginx` and `openvpn`",
        "limits": "what figures must reach; a missed limit makes no run fail",
    },
    "Configuration": {
        "protocol": "who encrypts; with the suites and implementations [above](#protocols)",
        "suite": "`CIPHER:MAC`; a cipher alone where only one suite has it, as `aes-256-gcm`",
        "implementation": "who computes: the board's CPU, its cores, QEMU's virtio-crypto device",
        "completion": "how driver or library wait for the cores; of cells in hardware",
        "as_in_2015": "habits of that time, to show [what they cost](../fidelity.md)",
    },
    "Ping": {
        "sizes": "bytes of payload",
        "count": "echo requests of each size",
        "quick": "what `--quick` changes",
    },
    "Transfer": {
        "size": "of the file, or of the longest; 256 MiB at most, all together",
        "steady": "files no longer than "
        "[their rate needs](../experiments.md#how-long-a-transfer-is)",
        "quick": "what `--quick` changes",
    },
    "Steady": {
        "start": "of the first file, smaller than the longest",
        "factor": "how many times as long each is as the one before",
    },
    "Crypto": {
        "sizes": "bytes of a request, each once",
        "requests": "of each size; fewer of large ones, 16 MiB together, but 16 at least",
        "in_flight": "requests under way at once, each number a measurement of its own",
        "directions": "hashes know none and are measured once",
        "quick": "what `--quick` changes",
    },
    "Disk": {
        "size": "a multiple of 64 KiB, 256 MiB at most",
        "block_sizes": "what a program asks for at once: multiples of the largest sector that "
        "divide the disk's size, 1 MiB at most",
        "sector_sizes": "bytes that dm-crypt encrypts by themselves",
        "patterns": "the order of the blocks",
        "depths": "blocks under way at once",
        "quick": "what `--quick` changes",
    },
    "Speed": {
        "sizes": "bytes of a block",
        "seconds": "of virtual time for each size",
        "quick": "what `--quick` changes",
    },
    "Handshakes": {
        "keys": "kinds of the server's key, by program",
        "alone": "handshakes of one client, one after the other",
        "clients": "who are then served at once",
        "seconds": "of virtual time for which all clients are measured, by program",
        "quick": "what `--quick` changes",
    },
    "Keys": {
        "openvpn": "RSA alone, as its suite is DHE-RSA; the group of Diffie-Hellman has their size",
        "nginx": "of the certificate, under TLS 1.3",
    },
    "Lengths": {"openvpn": "seconds", "nginx": "seconds"},
    "Limits": {
        "link": "the configuration that nothing but the link slows down",
        "ratios": "which ratios are looked at, and what they may be",
    },
    "Link": {
        **_SIDES,
        "share": "who has this share of its throughput is slowed down by the link too, and meets "
        "every `least` of throughput",
    },
    "Ratio": {
        "protocol": "of which cells; without it, of all",
        "suite": "likewise",
        "implementation": "likewise",
        "completion": "likewise, in hardware",
        "experiment": "of which figures, by their column `experiment`; without it, of all",
        "parameter": "likewise, by the column `parameter`",
        "beside": "the cell that it is divided by: what is other there",
        "least": "the least that the ratio may be, by metric",
        "most": "the most that it may be, by metric",
        "tell": "metrics whose ratio is shown without a limit",
        "note": "a line that says why a limit of these is missed; shown where one is",
    },
    "Beside": _SIDES,
}

COLLECTION: Meanings = {
    "Parts": {
        "title": "what it measures, in a line",
        "parts": "the experiments that make one run",
        "profiles": "cells that are profiled in the end, for the report",
    },
    "Part": {
        "experiment": "a name in `experiments/`",
        "without": "cells that fit one of these are left out: `KEY=VALUE`, as `--only` takes it",
        "quick": "what `--quick` leaves out besides",
    },
    "QuickPart": {"without": "cells that fit one of these are left out as well"},
    "Profiles": {
        "cells": "labels, as `firesteel profile` takes them; their partners come along",
        "quick": "the same with `--quick`; none if left out",
    },
}

PROFILE: Meanings = {
    "Profile": {
        "cpu": "the one CPU that carries the load",
        "memory": "main memory",
        "ethernet": "the Ethernet controllers, all alike; without it their driver chooses when to "
        "interrupt, which is for nearly every frame",
        "cores": "windows of crypto cores, [told there](../cores.md); names are unique",
        "virtio_crypto": "QEMU's own crypto device besides, which takes no virtual time",
    },
    "Cpu": {
        "model": "the core that QEMU emulates: its instructions, not its speed",
        "instructions_per_second": "of [virtual time](../virtual-time.md)",
    },
    "Memory": {"mebibytes": "a board without high memory addresses no more than 3 GiB"},
    "Ethernet": {
        "interrupt_delay_us": "from the first frame until the interrupt that tells of all since",
    },
    "Cores": {
        "name": "what its counters are called by; not `wire`, not `eth0` and the like",
        "bus": "where the guest finds it: a PCI function, or the device tree",
        "aes": "BA411E, behind a CryptoMaster; at least one core must be there",
        "hash": "BA413, behind the same CryptoMaster",
        "pk": "BA414E",
        "pk_multipliers": "of BA414E; the model has 16",
        "timing": "how long the cores take; nothing is measured, "
        "[every constant is argued](../cores.md)",
        "faults": "faults on demand, each kind once",
    },
    "Timing": {
        "zero": "nothing takes time; then no other key may be there",
        "clock_hz": "of the cores; the model has 100 MHz",
        "register_ns": "what a register access costs the CPU; the model has 120",
        "dma_bytes_per_beat": "width of the bus; the model has 8",
        "dma_latency_cycles": "from a request to its first beat",
        "start_cycles": "from START to the first request",
        "end_cycles": "from the last beat to the status bit",
        "aes128_cycles": "a block of 16 bytes with a key of 128 bits",
        "aes192_cycles": "the same with 192 bits",
        "aes256_cycles": "the same with 256 bits",
        "aes_key_cycles": "expanding a key",
        "sha1_cycles": "a block of 64 bytes",
        "sha256_cycles": "a block of 64 bytes; SHA-224 too",
        "sha512_cycles": "a block of 128 bytes; SHA-384 too",
        "pk_operation_cycles": "once for each operation with a public key",
        "pk_product_cycles": "once for each modular product",
    },
    "Fault": {
        "kind": "[what happens](../cores.md#faults)",
        "rate": "strikes one operation in so many, at random; either this or `nth`",
        "nth": "strikes this operation alone, counted from 1",
        "factor": "of `late` alone: how many times as long it takes",
        "from_ms": "the board's virtual time from which it can strike; without it from the start",
        "until_ms": "until when; above `from_ms`; without it for ever",
        "accesses": "of `gone` alone, in the place of `rate` and `nth`: follows one register "
        "access in so many, at random",
        "within_ns": "of `gone` alone: strikes at random up to so long after an operation's start",
        "for_ns": "of `gone` alone: the window is back after so long, as after power-on",
    },
}

TOPOLOGY: Meanings = {
    "Topology": {
        "nodes": "1 to 8 boards by name; their order numbers them",
        "links": "their order numbers the ports of each node (`eth0`, `eth1`); a board alone needs "
        "none, of several each is on one",
    },
    "Node": {
        "role": "a gateway passes packets on",
        "profile": "a file of `board/profiles/`; an experiment may name another",
    },
    "Link": {
        "name": "unique within the topology",
        "kind": "a cable between two nodes, or a store-and-forward switch with a cable to each",
        "nodes": "who is on it, each once",
        "rate_bit_s": "of each direction of each cable",
        "latency_ns": "of a cable, one way",
        "queue_frames": "frames that wait for a cable: in the sending port of a link, which then "
        "refuses (2 without it); in a switch, which then loses (64)",
    },
}

_SIZES = "bytes"

RECORD: Meanings = {
    "Record": {
        "inputs": "what the record is addressed by",
        "measurement": "what the cell gave",
        "packages": "the guest's packages and their versions",
    },
    "Inputs": {
        "cell": "the cell, with the sizes that it was measured with",
        "versions": "SHA-256 of all else that figures depend on",
    },
    "Cell": {
        "topology": "a name in `board/topologies/`",
        "profiles": "a name in `board/profiles/` for each node",
        "measured": "the node whose figures are reported",
        "protocol": "who encrypts",
        "cipher": "the suite's first half",
        "mac": "the suite's second half; `gcm` for ciphers that bring their own",
        "implementation": "who computes",
        "completion": "how driver or library wait for the cores; left out where there are none",
        "as_in_2015": "habits of that time; left out where there are none",
        "ping": "flood pings",
        "transfer": "a file",
        "crypto": "requests to the kernel; left out where there are none, as what follows",
        "disk": "a disk in memory",
        "speed": "blocks for OpenSSL",
        "handshakes": "handshakes of TLS",
        "seed": "the boards' random seed",
    },
    "PingPlan": {"sizes": _SIZES, "count": "echo requests of each size"},
    "TransferPlan": {
        "size": "bytes of the longest file",
        "steady_from": "bytes of the first one; left out where there is one file, as what follows",
        "steady_factor": "how many times as long each is as the one before",
    },
    "CryptoPlan": {
        "sizes": _SIZES,
        "requests": "of each size",
        "in_flight": "at once",
        "directions": "each measured",
    },
    "DiskPlan": {
        "size": _SIZES,
        "block_sizes": _SIZES,
        "sector_sizes": _SIZES,
        "patterns": "each measured",
        "depths": "blocks under way at once",
    },
    "SpeedPlan": {"sizes": _SIZES, "seconds": "of virtual time for each size"},
    "HandshakePlan": {
        "keys": "kinds of the server's key",
        "alone": "handshakes of one client",
        "clients": "at once",
        "seconds": "of virtual time",
    },
    "Versions": {
        "qemu": "source, patches, devices and build recipe of the emulator",
        "kernel": "the guest's kernel",
        "image": "the guest's packages and all that is added to them",
        "boards": "topology and profiles",
        "jobs": "what each node is told to do, with the driver and the provider in hardware",
        "lab": "the code that runs boards and reads figures from their logs",
    },
    "Measurement": {
        "figures": "one number each, [by metric](figures.md)",
        "proof": "counters which show that the work went [the way it was meant to](../proof.md)",
        "trace": "SHA-256 of all frames of all nodes with their virtual times",
        "setup": "boards and links that it was measured on, as they were run",
    },
    "Setup": {
        "topology": "nodes and links",
        "profiles": "what each node is",
        "order": "the nodes in their order, which numbers them",
    },
    **TOPOLOGY,
    **PROFILE,
    "Figure": {
        "experiment": "what was done: `ping`, `file-transfer` …",
        "protocol": "of the cell",
        "cipher": "of the cell",
        "mac": "of the cell",
        "implementation": "of the cell",
        "parameter": "the swept value, as `56 B`",
        "metric": "[which quantity](figures.md)",
        "unit": "its unit",
        "value": "the number",
        "uncertainty": "half of its own 95 % interval; missing where it is exact for its seed",
    },
}
