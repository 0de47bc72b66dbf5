# SPDX-License-Identifier: Apache-2.0
"""The QEMU command line of a node.

The options here make a board deterministic.  Virtual time counts the CPU's work, the clock starts
at a fixed date, and the random seed follows from the run's.  The only block device is ours, and the
only network is the lockstep's.
"""

import contextlib
import functools
import hashlib
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from firesteel.boards.files import NodeFiles
from firesteel.boards.profile import BOARD_FILES, Profile
from firesteel.boards.topology import Port, Topology, topology_digest
from firesteel.build.artifacts import ArtifactSource
from firesteel.build.cache import cache_directory

HANDSHAKE_SECONDS = 60
"""Wall seconds that a node waits for the others to come up."""

START_NS = 1_000_000_000
"""Least virtual time at which the cables are plugged in; until then boards boot without waiting for
each other.  A guest's driver needs 2 s more than the boot to see its link up."""

BOOT_WORK = 1_500_000_000
"""Instructions or cycles that no board's boot takes; a peer's takes a third."""

_E1000_DELAY_UNIT_US = 1.024
"""Unit of RDTR, RADV, TIDV and TADV; source: Intel, PCI/PCI-X Family of Gigabit Ethernet
Controllers Software Developer's Manual, 13.4.30 and following."""


@dataclass(frozen=True)
class BoardProducts:
    """What boards of one architecture are run with: the emulator, and the guest's kernel and base
    initramfs.
    """

    qemu: Path
    kernel: Path
    initramfs: Path
    cmdline: Path = BOARD_FILES / "image" / "cmdline"
    """The file with the kernel's arguments."""

    @staticmethod
    def of(source: ArtifactSource) -> "BoardProducts":
        """Those of an architecture, built if need be."""
        image = source.image()
        return BoardProducts(source.emulator(), image.kernel, image.initramfs)


@dataclass(frozen=True)
class Profiling:
    """That the emulator counts what `node` executes between its marks `WINDOW.begin` and
    `WINDOW.end`, which changes nothing of what any node does.

    `kernel` are properties of the probe device that say where the guest's kernel keeps what it is
    doing.
    """

    node: str
    window: str
    kernel: Mapping[str, int]


@dataclass(frozen=True)
class Wiring:
    """What all nodes of one run share: topology, profiles, seed, and where they meet."""

    topology: Topology
    profiles: Mapping[str, Profile]
    seed: int
    sockets: Path
    profiling: Profiling | None = None

    @property
    def digest(self) -> str:
        """Hex digest of the topology and its profiles; nodes that differ refuse each other."""
        return topology_digest(self.topology, self.profiles)


def node_command(
    boards: BoardProducts,
    wiring: Wiring,
    node: str,
    files: NodeFiles,
    snapshot: Path | None = None,
) -> list[str]:
    """The command that runs `node` in deterministic time.

    It starts from `snapshot` if there is such a file, and otherwise makes it when it has booted.
    """
    profile, topology = wiring.profiles[node], wiring.topology
    seed = node_seed(wiring, node)
    probe: dict[str, object] = {"log": _value(files.probe_log), "job": _value(files.job)}
    if wiring.profiling is not None and wiring.profiling.node == node:
        probe["profile"] = _value(files.profile)
        probe |= {"profile-window": wiring.profiling.window, **wiring.profiling.kernel}
    resumes = snapshot is not None and snapshot.exists()
    if snapshot is not None:
        probe["resume" if resumes else "save"] = _value(snapshot)
    lockstep = {
        "id": "wire",
        "dir": _value(wiring.sockets),
        "node": topology.index(node),
        "nodes": len(topology.nodes),
        "name": node,
        "topology": wiring.digest,
        "timeout": HANDSHAKE_SECONDS,
        "start": plugged_in_ns(wiring.profiles.values()),
        "trace": _value(files.trace),
    }
    command = timed_machine_arguments(boards.qemu, profile, seed)
    command += ["-no-reboot", "-monitor", "none", "-serial", f"file:{_value(files.console)}"]
    if not resumes:
        command += boot_arguments(boards, profile, boards.initramfs, len(topology.ports(node)))
    command += _device("firesteel-probe", probe) + _device("lockstep", lockstep)
    for port in topology.ports(node):
        cable = {
            "id": port.interface,
            "lockstep": "wire",
            "link": port.link_number,
            "rate": port.link.rate_bit_s,
            "latency": port.link.latency_ns,
            "queue": port.link.queue_frames,
            **({"switch": "on"} if port.link.kind == "switch" else {}),
        }
        command += [*_device("lockstep-port", cable), "-device", ethernet(port)]
    return command + crypto_arguments(profile, seed) + storage_arguments(profile)


def timed_machine_arguments(qemu: Path, profile: Profile, seed: int) -> list[str]:
    """The emulator and the bare machine of a profile, with separate clocks."""
    command = machine_arguments(qemu, profile, seed)
    return [*command, "-icount", profile.cpu.icount, "-rtc", "clock=vm,base=2026-01-01"]


def plugged_in_ns(profiles: Iterable[Profile]) -> int:
    """Virtual time at which the cables are plugged in: when the slowest board has booted."""
    slowest = min(profile.cpu.rate for profile in profiles)
    return max(START_NS, BOOT_WORK * 1_000_000_000 // slowest)


def machine_arguments(qemu: Path, profile: Profile, seed: int) -> list[str]:
    """The emulator and the bare machine of a profile."""
    machine = profile.architecture.machine
    options = [machine.options]
    if profile.memory.dma == "non-coherent":
        options.append(machine.non_coherent)
    return [
        str(qemu),
        *("-M", ",".join(options), "-cpu", machine.cpu(profile.cpu.model)),
        *("-smp", str(profile.cpu.count)),
        *("-m", str(profile.memory.mebibytes), "-seed", str(seed)),
        *("-nodefaults", "-display", "none"),
    ]


def boot_arguments(
    boards: BoardProducts, profile: Profile, initramfs: Path, ports: int
) -> list[str]:
    """What a machine with so many Ethernet ports boots: the kernel, its arguments, its initramfs.

    With the arguments of `board/image/cmdline` a kernel that panics resets at once, which with
    `-no-reboot` ends QEMU.
    """
    command = ["-kernel", str(boards.kernel), "-initrd", str(initramfs)]
    architecture, text = profile.architecture, boards.cmdline.read_text(encoding="utf-8")
    told = [architecture.fill_in(text).strip(), architecture.kernel.arguments]
    told += ethernet_options(profile, ports)
    return [*command, "-append", " ".join(filter(None, told))]


def ethernet_options(profile: Profile, ports: int) -> list[str]:
    """Options of the driver of a board's `ports` Ethernet controllers, for the kernel.

    RADV and TADV (`…AbsIntDelay`) are the delay; the hardware heeds them where RDTR and TIDV
    (`…IntDelay`) are not 0.  The throttle is off, as the delay does its work.
    """
    if profile.ethernet is None or not ports:
        return []
    delay = round(profile.ethernet.interrupt_delay_us / _E1000_DELAY_UNIT_US)
    delays = ("RxIntDelay", "RxAbsIntDelay", "TxIntDelay", "TxAbsIntDelay")
    values = [*((name, delay) for name in delays), ("InterruptThrottleRate", 0)]
    return [f"e1000.{name}=" + ",".join([str(value)] * ports) for name, value in values]


def ethernet(port: Port) -> str:
    """The Ethernet controller on a port, for `-device`; it needs no boot ROM."""
    return f"e1000,netdev={port.interface},mac={port.mac},romfile="


def crypto_arguments(profile: Profile, seed: int) -> list[str]:
    """A profile's windows of crypto cores, and QEMU's crypto device, if the profile asks for it;
    `seed` is the node's.
    """
    command = []
    for cores in profile.windows:
        properties = cores.properties(_derived_seed(f"{seed}/{cores.name}"))
        command += _device(f"silex-{cores.bus}", {"id": cores.name, **properties})
    if profile.virtio_crypto:
        command += ["-object", "cryptodev-backend-builtin,id=virtio-crypto-backend"]
        # Else it would do requests on a thread of its own, when the host lets it.
        device = {"cryptodev": "virtio-crypto-backend", "ioeventfd": "off"}
        command += _device("virtio-crypto-pci", device)
    return command


def storage_arguments(profile: Profile) -> list[str]:
    """A profile's disk, if it has one; behind all else, whose places on the bus stay the same."""
    if profile.storage is None:
        return []
    properties = {
        "size": profile.storage.mebibytes << 20,
        "read-rate": profile.storage.read_byte_s,
        "write-rate": profile.storage.write_byte_s,
        "latency": profile.storage.latency_ns,
        "depth": profile.storage.queue_depth,
    }
    return _device("firesteel-storage-pci", properties)


def node_seed(wiring: Wiring, node: str) -> int:
    """A seed for the node's random numbers: another for each node and each run's seed."""
    return _derived_seed(f"{wiring.seed}/{wiring.topology.index(node)}")


def _derived_seed(what: str) -> int:
    return int.from_bytes(hashlib.sha256(what.encode()).digest()[:4], "little")


def _device(kind: str, properties: Mapping[str, object]) -> list[str]:
    return ["-device", ",".join([kind, *(f"{key}={value}" for key, value in properties.items())])]


def _value(path: Path) -> str:
    """A path as the value of a QEMU option, where a comma is doubled."""
    return str(path).replace(",", ",,")


_PRODUCTS = BoardProducts(Path("qemu"), Path("kernel"), Path("initramfs"))
_NO_SEED = 0


def commands_digest(topology: Topology, profiles: Mapping[str, Profile]) -> str:
    """Hex SHA-256 of every node's command line, with names instead of paths.

    What is built (emulator, kernel, image), the jobs and the seed do not count.
    """
    wiring = Wiring(topology, profiles, _NO_SEED, Path("sockets"))
    digest = hashlib.sha256()
    for node in topology.nodes:
        for word in node_command(_PRODUCTS, wiring, node, NodeFiles(Path(node))):
            digest.update(word.encode() + b"\0")
        digest.update(b"\n")
    return digest.hexdigest()


MOST_BYTES = 2 << 30
"""What all snapshots together may take on the disk; a board's take some 150 MB."""

_STARTING_SECONDS = 60.0
"""How long after it was chosen a snapshot is not removed: the emulator may not have opened it."""

_UNUSABLE = re.compile(r"the snapshot (.+?)(?: is damaged|:)")
"""How the emulator says that it could not start from one."""

_HOST_BOOT = Path("/proc/sys/kernel/random/boot_id")


class Snapshots:
    """The snapshots in one directory, which need not exist yet."""

    def __init__(self, directory: Path, most_bytes: int = MOST_BYTES) -> None:
        self.directory = directory
        self._most_bytes = most_bytes

    def of(self, boards: BoardProducts, wiring: Wiring, node: str) -> Path:
        """The snapshot that `node` starts from, or the place where it leaves one.

        Makes room for it among the others: those go that were not used for longest.  Where nothing
        can be written, boards boot.
        """
        path = self.directory / _name(boards, wiring, node)
        with contextlib.suppress(OSError):
            self.directory.mkdir(parents=True, exist_ok=True)
            if path.exists():
                os.utime(path)
            else:
                self._trim()
        return path

    def drop(self, reason: str) -> bool:
        """Whether `reason`, for which a node failed, is a snapshot of ours that was damaged, or is
        gone; if so it is removed.
        """
        found = _UNUSABLE.search(reason)
        if found is None or Path(found[1]).parent != self.directory:
            return False
        Path(found[1]).unlink(missing_ok=True)
        return True

    def _trim(self) -> None:
        now, taken = time.time(), 0
        for used, size, path in sorted(self._files(), reverse=True):
            taken += size
            if taken > self._most_bytes and now - used > _STARTING_SECONDS:
                path.unlink(missing_ok=True)

    def _files(self) -> Iterator[tuple[float, int, Path]]:
        """When each file was used last, and how many bytes it takes on the disk."""
        for path in self.directory.iterdir():
            with contextlib.suppress(FileNotFoundError):
                status = path.stat()
                yield status.st_mtime, status.st_blocks * 512, path


USUAL = Snapshots(cache_directory() / "snapshots")
"""Those of the cache directory."""


def _name(boards: BoardProducts, wiring: Wiring, node: str) -> str:
    profile, seed = wiring.profiles[node], node_seed(wiring, node)
    ports = wiring.topology.ports(node)
    words = [
        *timed_machine_arguments(boards.qemu, profile, seed),
        *boot_arguments(boards, profile, boards.initramfs, len(ports)),
        *map(ethernet, ports),
        *(f"{cores.bus} {cores.name}" for cores in profile.windows),
        f"virtio {profile.virtio_crypto}",
        *storage_arguments(profile),
    ]
    files = {str(path): path for path in (boards.qemu, boards.kernel, boards.initramfs)}
    digest = hashlib.sha256(_HOST_BOOT.read_bytes() if _HOST_BOOT.exists() else b"")
    for word in words:
        told = _digest(files[word]) if word in files else word
        digest.update(told.encode() + b"\0")
    return digest.hexdigest()[:32]


def _digest(path: Path) -> str:
    status = path.stat()
    return _digest_of(path, status.st_size, status.st_mtime_ns)


@functools.lru_cache(maxsize=64)
def _digest_of(path: Path, _size: int, _changed: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
