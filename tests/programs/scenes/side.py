# SPDX-License-Identifier: Apache-2.0
"""A side of a conversation: an environment for programs, and what cores have done for them."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from firesteel.protocols.provider_statistics import Statistics

CONFIGURATIONS = Path("/firesteel/checkout/provider/configurations")
"""The files that users are given; what they leave to the user comes from the environment."""

_CORE_FAILED = (-5, -6)
"""FAULT and GONE of `enum firesteel_error`."""

_BASE = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/tmp", "LC_ALL": "C.UTF-8", "TZ": "UTC"}


@dataclass
class Work:
    """What was done for a side: requests by kind of work."""

    hardware: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    """What software did because a core failed or was gone."""

    def since(self, before: "Work") -> "Work":
        """What of it was done after `before`."""
        return Work(self.hardware - before.hardware, self.failed - before.failed)

    def __str__(self) -> str:
        done = [f"{kind} {count}" for kind, count in sorted(self.hardware.items())]
        failed = [f"{kind} failed {count}" for kind, count in sorted(self.failed.items())]
        return ", ".join(done + failed)


class Side:
    """`ours` has the provider by its configuration; `theirs` has the system's OpenSSL.

    Both are told where to write statistics, so a provider that is loaded where it should not be
    shows itself.
    """

    def __init__(
        self, name: str, provider: bool, settings: dict[str, str] | None = None, faults: str = ""
    ) -> None:
        """`settings` are further variables of the environment, `faults` those of the cores."""
        self.name = name
        self.faults = faults
        self.provider = provider
        self.directory = Path("/tmp/statistics") / name
        self.directory.mkdir(parents=True, exist_ok=True)
        self.environment = {
            **_BASE,
            "FIRESTEEL_DEVICE": f"model:faults={faults}" if faults else "model",
            "FIRESTEEL_PROVIDER_THRESHOLDS": "all=16",
            "FIRESTEEL_PROVIDER_STATISTICS": f"{self.directory}/%p",
            **(settings or {}),
        }
        if provider:
            self.environment["OPENSSL_CONF"] = str(CONFIGURATIONS / "firesteel.cnf")

    def work(self) -> Work:
        """What cores have done for all programs of this side up to now."""
        total = Work()
        for file in self.directory.iterdir():
            work = read_statistics(file)
            total.hardware += work.hardware
            total.failed += work.failed
        return total

    def loaded(self) -> bool:
        """Whether a program of this side has loaded the provider."""
        return any(self.directory.iterdir())


def read_statistics(file: Path) -> Work:
    """What a statistics file of the provider says."""
    works = Statistics.read(file).works
    return Work(
        Counter({work.name: work.hardware for work in works if work.hardware}),
        Counter({work.name: work.failed for work in works if work.last_error in _CORE_FAILED}),
    )


def pair(scene: str, faults: str = "") -> tuple[Side, Side]:
    """The side with the provider and the side without, for a scene; the former's cores' faults."""
    return Side(f"{scene}-ours", True, faults=faults), Side(f"{scene}-theirs", False)
