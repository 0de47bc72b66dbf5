# SPDX-License-Identifier: Apache-2.0
"""An experiment: a file in `experiments/` that says what to measure, and the cells it expands to.

1. `load_experiment` reads and validates the file.
2. `Experiment.cells` multiplies its lists out: one cell a configuration and seed, in the file's
   order, all of the first seed before those of the next.
3. `select` keeps the cells that `--only KEY=VALUE` asks for.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Annotated, Self, cast

from pydantic import Field, model_validator

from firesteel.base import toml
from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError, shortened
from firesteel.base.schema import Count, Many, Table
from firesteel.board.catalog import Catalog
from firesteel.experiment.crypto_table import Crypto
from firesteel.experiment.disk_table import Disk
from firesteel.experiment.handshakes_table import Handshakes
from firesteel.experiment.limits_table import Limits
from firesteel.experiment.speed_table import Speed
from firesteel.experiment.transfer_table import Transfer
from firesteel.model import names
from firesteel.model.cell import (
    HARDWARE_HABITS,
    ON_CORES,
    USUAL_COMPLETION,
    Cell,
    Cipher,
    Completion,
    Habit,
    Implementation,
    Mac,
    PingPlan,
    Protocol,
)
from firesteel.model.limit import Limit
from firesteel.protocols.crypto_api import VIRTIO_SUITES
from firesteel.protocols.openssl import KERNEL_SUITES
from firesteel.protocols.possible import IMPLEMENTATIONS
from firesteel.protocols.suites import SUITES, Suite, whole

EXPERIMENTS = CHECKOUT / "experiments"
"""Where the experiments of this checkout are."""

_KINDS: Mapping[Protocol, str] = {
    "none": "tunnels",
    "openvpn": "tunnels",
    "ipsec": "tunnels",
    "ssh": "tunnels",
    "nginx": "handshakes",
    "openssl": "speed",
    "crypto-api": "crypto",
    "dm-crypt": "disk",
}
"""Protocols of one kind are measured alike."""

PayloadSize = Annotated[int, Field(ge=16, le=65_507)]
"""Bytes of payload of an echo request; 16 hold the time stamp from which the RTT is taken."""

_FEWER_SUITES: Mapping[Implementation, Sequence[str]] = {
    "virtio-crypto": VIRTIO_SUITES,
    "hardware-kernel": KERNEL_SUITES,
}
"""Implementations that have not all suites of their protocol."""


_TUNNELS: Sequence[Protocol] = ("openvpn", "ipsec")

_HABITS: Mapping[Habit, Sequence[Protocol]] = {
    "openvpn-buffers": _TUNNELS,
    "no-neon": _TUNNELS,
    "no-gro": _TUNNELS,
    "slow-tun": _TUNNELS,
    "af-alg": ("openvpn", "ssh"),
    "core-only": ("ipsec", "openvpn"),
}
"""By which protocols each variant can be measured."""


class QuickPing(Table):
    """What `--quick` changes of the pings."""

    sizes: tuple[PayloadSize, ...] | None = None
    count: Count | None = None


class Ping(Table):
    """The pings of every cell; see `model.cell.PingPlan`."""

    sizes: Annotated[tuple[PayloadSize, ...], Field(min_length=1)]
    count: Count
    quick: QuickPing = QuickPing()

    def plan(self, quick: bool) -> PingPlan:
        """What a cell is told to do."""
        sizes = (self.quick.sizes if quick else None) or self.sizes
        count = (self.quick.count if quick else None) or self.count
        return PingPlan(sizes=sizes, count=count)


class Configuration(Table):
    """Lists whose product is a set of cells; `completion` is of those in hardware alone."""

    protocol: Many[Protocol]
    suite: Many[Suite]
    implementation: Many[Implementation] = ("software",)
    completion: Many[Completion] = (USUAL_COMPLETION,)
    as_in_2015: Many[Habit] | None = None

    @model_validator(mode="after")
    def _habits_fit(self) -> Self:
        for habit in self.as_in_2015 or ():
            allowed = _HABITS[habit]
            if not set(self.protocol) <= set(allowed):
                raise ValueError(
                    f'`as_in_2015` "{habit}" is only for protocol {" and ".join(allowed)}'
                )
            if habit in HARDWARE_HABITS and self.implementation != ("hardware",):
                raise ValueError(f'`as_in_2015` "{habit}" is only for implementation "hardware"')
            if habit == "core-only" and "openvpn" in self.protocol:
                self._asks_the_driver()
            if habit == "af-alg" and any("-cbc:" not in suite for suite in self.suite):
                raise ValueError(
                    '`as_in_2015` "af-alg" is only for AES-CBC, the one cipher of OpenSSL\'s engine'
                )
        return self

    @model_validator(mode="after")
    def _suites_fit(self) -> Self:
        if "none" in self.protocol and self.suite != ("none:none",):
            raise ValueError(
                'protocol "none" allows only suite "none:none"; put the tunnels into another '
                "configuration"
            )
        for protocol, suite in product(self.protocol, self.suite):
            if suite not in SUITES[protocol]:
                raise ValueError(
                    f'protocol "{protocol}" has no suite "{suite}"; '
                    f"allowed are {', '.join(SUITES[protocol])}"
                )
        return self

    @model_validator(mode="after")
    def _implementations_fit(self) -> Self:
        for protocol in self.protocol:
            allowed = IMPLEMENTATIONS[protocol]
            if not set(self.implementation) <= set(allowed):
                raise ValueError(
                    f'protocol "{protocol}" is measured with implementation '
                    + " or ".join(f'"{name}"' for name in allowed)
                )
        if "hardware" in self.implementation:
            self._encrypt_something()
        for implementation, suites in _FEWER_SUITES.items():
            for suite in self.suite:
                if implementation in self.implementation and suite not in suites:
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

    def _asks_the_driver(self) -> None:
        if "af-alg" not in (self.as_in_2015 or ()):
            raise ValueError(
                '`as_in_2015` "core-only" is for the kernel driver, '
                'which "openvpn" uses only together with "af-alg"'
            )

    def _encrypt_something(self) -> None:
        if "none:none" in self.suite:
            raise ValueError(
                'suite "none:none" gives the hardware nothing to do; '
                "put it into another configuration, in software"
            )


_LARGEST_SEED = 2**31 - 1

MOST_SEEDS = 100
"""How many seeds a configuration is measured with at the most."""


class ExperimentFile(Table):
    """What an experiment's file may say."""

    title: str
    topology: str
    measured: str
    seed: Annotated[int, Field(ge=1, le=_LARGEST_SEED - MOST_SEEDS + 1)] = 1
    seeds: Annotated[int, Field(ge=1, le=MOST_SEEDS)] = 1
    profiles: dict[str, str] = Field(default_factory=dict)
    configurations: Annotated[tuple[Configuration, ...], Field(min_length=1)]
    ping: Ping | None = None
    transfer: Transfer | None = None
    crypto: Crypto | None = None
    disk: Disk | None = None
    speed: Speed | None = None
    handshakes: Handshakes | None = None
    limits: Limits | None = None

    @model_validator(mode="after")
    def _measures_something(self) -> Self:
        protocols = {name for each in self.configurations for name in each.protocol}
        kinds = {_KINDS[name] for name in protocols}
        if self.handshakes:
            # OpenVPN is measured by its packets or by its handshakes
            self.handshakes.check(protocols)
            kinds = {"handshakes"}
            for each in self.configurations:
                if "openvpn" in each.protocol and each.suite != ("aes-256-cbc:none",):
                    raise ValueError(
                        'protocol "openvpn" measures handshakes only with suite '
                        '"aes-256-cbc:none"; no packet uses the tunnel, so no suite would differ'
                    )
        if len(kinds) > 1:
            raise ValueError(
                "`configurations` has protocols with different measurements: "
                f"{' and '.join(sorted(kinds))}; put each into its own experiment"
            )
        tables = {
            "tunnels": ("ping", "transfer"),
            "crypto": ("crypto",),
            "disk": ("disk",),
            "speed": ("speed",),
            "handshakes": ("handshakes",),
        }
        wanted = tables[kinds.pop()]
        given = [name for names in tables.values() for name in names if getattr(self, name)]
        if not given and len(wanted) > 1:
            raise ValueError("a table `ping` or `transfer` is missing; at least one is needed")
        if not given:
            raise ValueError(f"the table `{wanted[0]}` is missing")
        for name in given:
            if name not in wanted:
                raise ValueError(
                    f"the table `{name}` does not apply to these protocols; allowed here: "
                    f"{', '.join(wanted)}"
                )
        return self

    @model_validator(mode="after")
    def _files_go_over_ssh(self) -> Self:
        protocols = {name for each in self.configurations for name in each.protocol}
        if "ssh" in protocols and (self.ping or not self.transfer):
            raise ValueError(
                'protocol "ssh" carries only files: the table `transfer` is needed, and `ping` is '
                "not allowed"
            )
        return self


@dataclass(frozen=True)
class Experiment:
    """A validated experiment; `profiles` gives every node of its topology its profile's name, and
    `catalog` has what these names stand for.
    """

    name: str
    path: Path
    file: ExperimentFile
    profiles: dict[str, str]
    catalog: Catalog = field(compare=False)

    @property
    def title(self) -> str:
        """What is measured, in words."""
        return self.file.title

    def cells(self, quick: bool = False, seeds: int | None = None) -> tuple[Cell, ...]:
        """Every configuration, in the order of the file, with the first seed, then with the next.

        `seeds` is how many there are, the file's number if it is not given.  What a run that is
        stopped has measured is so of all configurations alike.
        """
        first = self.file.seed
        numbers = range(first, first + (seeds or self.file.seeds))
        cells = self._cells(quick)
        return tuple(cell.model_copy(update={"seed": seed}) for seed in numbers for cell in cells)

    def _cells(self, quick: bool) -> tuple[Cell, ...]:
        file = self.file
        return tuple(
            Cell(
                topology=file.topology,
                profiles=self.profiles,
                measured=file.measured,
                protocol=protocol,
                cipher=cipher,
                mac=mac,
                implementation=implementation,
                completion=completion,
                as_in_2015=habits,
                ping=file.ping.plan(quick) if file.ping else None,
                transfer=file.transfer.plan(quick) if file.transfer else None,
                crypto=file.crypto.plan(quick) if file.crypto else None,
                disk=file.disk.plan(quick) if file.disk else None,
                speed=file.speed.plan(quick) if file.speed else None,
                handshakes=file.handshakes.plan(protocol, quick) if file.handshakes else None,
                seed=file.seed,
            )
            for protocol, cipher, mac, implementation, completion, habits in _configurations(file)
        )

    def limits(self, quick: bool = False) -> tuple[Limit, ...]:
        """What the figures of all cells are held against, quick or not.

        Raises `ValueError` when that cannot be.
        """
        del quick
        return self.file.limits.of_cells(self.cells(seeds=1)) if self.file.limits else ()


def experiment_names() -> list[str]:
    """The names of all experiments of the checkout, sorted."""
    return toml.names_in(EXPERIMENTS)


def load_experiment(
    name: str, directory: Path = EXPERIMENTS, catalog: Catalog | None = None
) -> Experiment:
    """The experiment of that name, or in that file when the name ends in `.toml`.

    Raises `FiresteelError` when it is not there or says something that is not allowed.
    """
    if name.endswith(".toml"):
        path = Path(name)
        file = toml.read_model(path, ExperimentFile)
    else:
        path = directory / f"{name}.toml"
        _check_name(name, directory)
        file = toml.read_named("experiment", name, directory, ExperimentFile)
    catalog = catalog or Catalog()
    file = file.model_copy(update={"topology": _topology(path, file, catalog)})
    profiles = _profiles(path, file, catalog)
    _check_distinct(path, file)
    experiment = Experiment(path.stem, path, file, profiles, catalog)
    try:
        experiment.limits()
    except ValueError as error:
        raise FiresteelError(f"{path}: {error}.") from None
    return experiment


def _check_name(name: str, directory: Path) -> None:
    """Raises `FiresteelError` when the word is meant for a file, not for an experiment's name."""
    kind = toml.kind_of(Path(name)) if name else ""
    if name in toml.names_in(directory) or not (kind or "/" in name):
        return
    what = f"is {kind}" if kind else "is no file"
    raise FiresteelError(
        f"{shortened(Path(name))}: {what}; allowed is an experiment's name, or a TOML file whose "
        "name ends in `.toml`."
    )


SELECTORS = ("protocol", "suite", "cipher", "mac", "implementation", "completion", "as_in_2015")
"""Keys that `--only` takes."""

_NO_HABIT = "none"
"""What `as_in_2015` is of cells without a habit."""


def values_of(cell: Cell, key: str) -> tuple[str, ...]:
    """What a cell has for a key of `--only`; a cell with two habits is chosen by either."""
    if key == "as_in_2015":
        return cell.as_in_2015 or (_NO_HABIT,)
    if key == "suite":
        return (f"{cell.cipher}:{cell.mac}",)
    value = getattr(cell, key)
    return () if value is None else (value,)


def select(cells: Sequence[Cell], only: Iterable[str]) -> tuple[Cell, ...]:
    """The cells that fit every `KEY=VALUE`; of several values of one key any will do.

    Raises `FiresteelError` for an unknown key, for a value that no cell has, and when nothing is
    left.
    """
    wanted: dict[str, set[str]] = {}
    for text in only:
        key, separator, value = text.partition("=")
        if not separator or key not in SELECTORS:
            raise FiresteelError(
                f"--only {text}: allowed is KEY=VALUE with one of the keys {', '.join(SELECTORS)}."
            )
        there = sorted({value for cell in cells for value in values_of(cell, key)})
        if key == "suite":
            value = whole(value, there)
        elif key == "cipher":
            value = value.removesuffix(":gcm")
        if value not in there:
            known = ", ".join(there) or "none"
            raise FiresteelError(f"--only {text}: no cell has that {key}; there are: {known}.")
        wanted.setdefault(key, set()).add(value)
    kept = tuple(
        cell
        for cell in cells
        if all(values & set(values_of(cell, key)) for key, values in wanted.items())
    )
    if not kept:
        raise FiresteelError(f"--only {' --only '.join(only)}: no cell matches all of these.")
    return kept


def named(cells: Sequence[Cell], label: str) -> list[Cell]:
    """The cells of that label or name; the ones in software if it does not say what computes."""
    return [
        cell
        for cell in cells
        if label in (cell.label, names.of_cell(cell)) or cell.label == f"{label} software"
    ]


_Configuration = tuple[
    Protocol, Cipher, Mac, Implementation, Completion | None, tuple[Habit, ...] | None
]


def _configurations(file: ExperimentFile) -> Iterable[_Configuration]:
    for each in file.configurations:
        for protocol, suite, implementation in product(
            each.protocol, each.suite, each.implementation
        ):
            cipher, mac = suite.split(":")
            for completion in each.completion if implementation in ON_CORES else (None,):
                suite_of = cast(Cipher, cipher), cast(Mac, mac)
                yield protocol, *suite_of, implementation, completion, each.as_in_2015


def combinations() -> Iterable[tuple[Protocol, Sequence[str], Sequence[Implementation]]]:
    """Every protocol with the suites and the implementations that it goes with."""
    return ((protocol, SUITES[protocol], IMPLEMENTATIONS[protocol]) for protocol in SUITES)


def _topology(path: Path, file: ExperimentFile, catalog: Catalog) -> str:
    """The name of the topology, which may lie elsewhere."""
    try:
        return catalog.find_topology(file.topology, path.parent)
    except FiresteelError as error:
        raise FiresteelError(f"{path}: key `topology`: {error}") from None


def _profiles(path: Path, file: ExperimentFile, catalog: Catalog) -> dict[str, str]:
    """The profile of every node: the topology's, unless the experiment names another."""
    topology = catalog.topology(file.topology)
    nodes = ", ".join(topology.nodes)
    if file.measured not in topology.nodes:
        raise FiresteelError(
            f'{path}: key `measured` is "{file.measured}"; '
            f"allowed is a node of the topology `{file.topology}`: {nodes}."
        )
    for node in file.profiles:
        if node not in topology.nodes:
            raise FiresteelError(
                f"{path}: key `profiles.{node}` is unknown; "
                f"allowed here are the nodes of the topology `{file.topology}`: {nodes}."
            )
    said = {name: node.profile for name, node in topology.nodes.items()} | file.profiles
    found = {}
    for node, profile in said.items():
        try:
            found[node] = catalog.find_profile(profile, path.parent)
        except FiresteelError as error:
            raise FiresteelError(f"{path}: key `profiles.{node}`: {error}") from None
    return found


def _check_distinct(path: Path, file: ExperimentFile) -> None:
    seen = set()
    for configuration in _configurations(file):
        if configuration in seen:
            protocol, cipher, mac, implementation, completion, habits = configuration
            words = (protocol, f"{cipher}:{mac}", implementation, completion, *(habits or ()))
            told = " ".join(filter(None, words))
            raise FiresteelError(
                f"{path}: key `configurations` gives {told} more than once; "
                "a cell is measured once."
            )
        seen.add(configuration)
