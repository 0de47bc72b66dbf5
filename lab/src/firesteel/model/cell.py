# SPDX-License-Identifier: Apache-2.0
"""A cell: one point of an experiment, measured in one boot of its topology."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SerializeAsAny,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from firesteel.base.errors import FiresteelError
from firesteel.base.quantity import rate_text
from firesteel.base.toml import Table, pattern

ALL_CPUS = "all"
"""All CPUs of the board, also where a sweep varies how many these are."""

_LIST = pattern(
    rf"^({ALL_CPUS}|[0-7](-[0-7])?(,[0-7](-[0-7])?)*)$",
    f'CPUs as Linux lists them, such as "0", "0-1" or "0,2", or "{ALL_CPUS}"',
)


def cpus_of(listed: str) -> list[int]:
    """The CPUs of a list; a range that ends before it begins is empty."""
    found = set()
    for part in listed.split(","):
        first, _, last = part.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return sorted(found)


def _shortest(listed: str) -> str:
    """The list as Linux prints it, so that one set of CPUs makes one cell."""
    if listed == ALL_CPUS:
        return listed
    for part in listed.split(","):
        if not cpus_of(part):
            raise ValueError(f"the range {part} ends before it begins; allowed is a rising range")
    cpus = cpus_of(listed)
    firsts = [cpu for cpu in cpus if cpu - 1 not in cpus]
    lasts = [cpu for cpu in cpus if cpu + 1 not in cpus]
    return ",".join(
        f"{first}-{last}" if last > first else str(first)
        for first, last in zip(firsts, lasts, strict=True)
    )


CpuList = Annotated[str, Field(pattern=_LIST), AfterValidator(_shortest)]
"""CPUs, as `/sys/devices/system/cpu/online` lists them, or `all`."""


class Affinity(Table):
    """Members that are left out keep the defaults without irqbalance: interrupts as if `irq` named
    all CPUs, packets on the CPU of their interrupt, programs on any CPU.
    """

    irq: CpuList | None = None
    """CPUs for interrupts (`/proc/irq/default_smp_affinity`): the first takes network interrupts,
    and the next CPUs take CryptoMaster interrupts in turn.
    """
    rps: CpuList | None = None
    """CPUs on which the network stack processes received packets (`rps_cpus`)."""
    taskset: CpuList | None = None
    """CPUs on which all programs of the board run."""

    @property
    def given(self) -> dict[str, str]:
        """The settings that are made, by name."""
        return {name: listed for name, listed in self if listed is not None}

    @property
    def text(self) -> str:
        """The text for columns: `irq 0 taskset 1`; empty if nothing is set."""
        return " ".join(f"{name} {listed}" for name, listed in self.given.items())


@dataclass(frozen=True, slots=True)
class Place:
    """The profile of the measured `node`, in `topology`, whose links have the rate `link`, or their
    own where that is empty.
    """

    board: str
    topology: str
    node: str
    link: str = ""


Implementation = Literal[
    "software",
    "software-as-installed",
    "software-pcrypt",
    "hardware",
    "hardware-kernel",
    "virtio-crypto",
]
Completion = Literal["irq", "poll", "adaptive"]
Habit = Literal["openvpn-buffers", "no-neon", "no-gro", "slow-tun", "af-alg", "core-only"]
"""What was otherwise in 2015, or may have been (`protocols.protocol`)."""

AS_INSTALLED: Implementation = "software-as-installed"
"""The code that the kernel loads by default.  `software` is the kernel's fastest code for the
processor; hardware is compared only with it.
"""

BY_PCRYPT: Implementation = "software-pcrypt"
"""The same code as `software`, which the kernel's template pcrypt has run by threads."""

OTHER_SOFTWARE: tuple[Implementation, ...] = (AS_INSTALLED, BY_PCRYPT)
"""Further implementations in software, which no verdict uses."""

IN_SOFTWARE: tuple[Implementation, ...] = ("software", *OTHER_SOFTWARE)
"""What no core has a part in."""

ON_CORES: tuple[Implementation, ...] = ("hardware", "hardware-kernel")
"""Implementations that have the cores.  `hardware` reaches them by this project's software;
`hardware-kernel` reaches them from a program by system calls.
"""

USUAL_COMPLETION: Completion = "adaptive"
"""The driver's own choice, and the default of hardware cells."""


ABSENT = "none"
"""What files call a cipher, a MAC or a habit that a cell does without."""

NO_TUNNEL = ABSENT
"""The protocol of cells whose traffic is not encrypted."""

OWN_LINK = "own"
"""What `--only link=` calls the topology's own rates."""


class WorkloadPlan(BaseModel):
    """What a cell does of one workload.

    `workload` is the workload's name, and the plan's key in a cell's JSON.  If it is
    `always_named`, a cell without the plan has null there.  `of_data`: its figures depend on the
    cipher of the data, unlike handshakes.  Every plan is known as soon as its class is there;
    `always` are the names of those that are always named, sorted.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    workload: ClassVar[str]
    always_named: ClassVar[bool] = False
    of_data: ClassVar[bool] = True
    known: ClassVar[dict[str, type["WorkloadPlan"]]] = {}
    always: ClassVar[list[str]] = []

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        WorkloadPlan.known[cls.workload] = cls
        if cls.always_named:
            WorkloadPlan.always[:] = sorted({*WorkloadPlan.always, cls.workload})

    @property
    def tunnels(self) -> int:
        """IPsec tunnels between the same two nodes that share the traffic."""
        return 1

    def label(self, protocol: str) -> str:
        """What a cell's label says of the plan; nothing where its configuration says enough."""
        del protocol
        return ""


SomePlan = TypeVar("SomePlan", bound=WorkloadPlan)

_LATER = ("completion", "as_in_2015", "link_rate_bit_s", "affinity")
"""What cells did not always know of."""


class Cell(BaseModel):
    """One configuration of one topology, and what is measured while it is up.

    `topology` and the values of `profiles` (node name to profile name) are names of files in
    `board/`.  All links of the topology have the rate `link_rate_bit_s`, or their own.  `measured`
    is the node whose figures are reported.  `completion` is how the cores' driver waits for the end
    of a job; none where it is not the driver that is measured.  `plans` are the measured plans, by
    the workloads' names; in JSON each has a separate key.  `as_in_2015` are habits of that time, to
    show what they cost.  A cell is a pure function of this object and the products (QEMU, kernel,
    image) it runs on.  From `seed` follow all random numbers of the boards, their addresses, keys,
    and when measuring begins.

    Which protocols, suites and workloads there are is not known here but by their registries.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    topology: str
    """A name in `board/topologies/`."""
    profiles: dict[str, str]
    """A name in `board/profiles/` for each node."""
    measured: str
    """The device under test: the node whose figures are reported."""
    protocol: str
    """Program or kernel part that encrypts."""
    cipher: str
    """Cipher of the suite."""
    mac: str
    """MAC of the suite; `gcm` for GCM, which needs no MAC."""
    implementation: Implementation
    """What computes."""
    completion: Completion | None = None
    """How the driver or library waits for the cores; absent in software."""
    plans: tuple[SerializeAsAny[WorkloadPlan], ...] = ()
    as_in_2015: tuple[Habit, ...] | None = None
    """Variants that work as software did in 2015; absent if none."""
    link_rate_bit_s: int | None = None
    """Bit rate of all links; absent if the links have the topology's rates."""
    affinity: Affinity | None = None
    """The measured board's CPUs for each kind of work; absent if nothing is set."""
    seed: int = 1
    """Random seed of the boards."""

    @model_validator(mode="before")
    @classmethod
    def _plans_by_name(cls, told: Any) -> Any:
        """JSON has each plan by its workload's name."""
        if not isinstance(told, dict):
            return told
        own = cls.model_fields  # Which pydantic makes anew whenever it is asked for.
        fields = {
            key: tuple(value) if isinstance(value, list) else value
            for key, value in told.items()
            if key in own
        }
        rest = {key: value for key, value in told.items() if key not in fields}
        if unknown := [key for key in rest if key not in WorkloadPlan.known]:
            raise ValueError(f"the workload `{unknown[0]}` is unknown")
        read = (
            WorkloadPlan.known[name].model_validate(value)
            for name, value in rest.items()
            if value is not None
        )
        plans = sorted((*fields.get("plans", ()), *read), key=lambda plan: plan.workload)
        return {**fields, "plans": tuple(plans)}

    @model_serializer(mode="wrap")
    def _leave_out_what_is_not_there(self, handler: SerializerFunctionWrapHandler) -> Any:
        """So a cell that says nothing of what came later is written as before, and its record keeps
        its address.
        """
        told = handler(self)
        plans = told.pop("plans", None)
        for key in _LATER:
            if told.get(key) is None:
                told.pop(key, None)
        if plans is not None:  # They were asked for
            told.update(dict.fromkeys(WorkloadPlan.always))
            told.update(zip((plan.workload for plan in self.plans), plans, strict=True))
        return told

    def plan(self, kind: type[SomePlan]) -> SomePlan | None:
        """The cell's plan of that kind, if it has one."""
        return next((plan for plan in self.plans if isinstance(plan, kind)), None)

    def needed(self, kind: type[SomePlan]) -> SomePlan:
        """The cell's plan of that kind; `FiresteelError` if there is no such plan."""
        plan = self.plan(kind)
        if plan is None:
            raise FiresteelError(f"Cell {self.label}: the table `{kind.workload}` is missing.")
        return plan

    @property
    def of_data(self) -> bool:
        """Whether all that is measured hangs on the cipher of the data."""
        return all(plan.of_data for plan in self.plans)

    @property
    def on_cores(self) -> bool:
        """Whether the cores must do their share of it, and may."""
        return self.implementation in ON_CORES

    @property
    def tunnels(self) -> int:
        """IPsec tunnels between the same two nodes that share the traffic."""
        return max((plan.tunnels for plan in self.plans), default=1)

    @property
    def of_any_seed(self) -> "Cell":
        """The same with the first seed: what cells of several seeds have in common."""
        return self.model_copy(update={"seed": 1})

    @property
    def of_any_implementation(self) -> "Cell":
        """The same in software: what a cell in hardware has in common with its partner."""
        return self.model_copy(update={"implementation": "software", "completion": None})

    @property
    def habits(self) -> str:
        """The habits of 2015 as text for columns: `no-neon+slow-tun`, empty for a cell without."""
        return "+".join(self.as_in_2015 or ())

    @property
    def pinned(self) -> str:
        """The affinity as text for columns: `irq 0 taskset 1`, empty for a cell without."""
        return self.affinity.text if self.affinity else ""

    @property
    def place(self) -> Place:
        """Where it is measured."""
        return Place(self.profiles[self.measured], self.topology, self.measured, self.link)

    @property
    def link(self) -> str:
        """The rate of all links as text for columns, `1 Gbit/s`; empty if links keep their own."""
        return "" if self.link_rate_bit_s is None else rate_text(self.link_rate_bit_s)

    @property
    def label(self) -> str:
        """How the cell is called on the terminal: `ipsec aes-256-cbc:sha256 hardware poll at
        1 Gbit/s`, with the usual completion left out, and the topology's own rates.
        """
        return f"{self.configuration} at {self.link}" if self.link else self.configuration

    @property
    def configuration(self) -> str:
        """The label, but for the link."""
        tunnel = (self.protocol, f"{self.cipher}:{self.mac}")
        words = [*(("no tunnel",) if self.protocol == NO_TUNNEL else tunnel), self.implementation]
        words += filter(None, (plan.label(self.protocol) for plan in self.plans))
        if self.as_in_2015:
            words += ["with", *self.as_in_2015]
        if self.completion not in (None, USUAL_COMPLETION):
            words.append(self.completion)
        return " ".join([*words, *filter(None, [self.pinned])])
