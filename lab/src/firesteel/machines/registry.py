# SPDX-License-Identifier: Apache-2.0
"""Which machines there are, as far as a client needs it: how many cells they take, who came and
who went.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from firesteel.board.files import NODE_BYTES
from firesteel.machines.version import CELLS, MEMORY, lab_version


@dataclass(frozen=True)
class _Machine:
    name: str
    cells: int
    memory: int

    def room(self, nodes: int) -> int:
        """How many cells of so many nodes it runs at a time."""
        return min(self.cells, self.memory // (nodes * NODE_BYTES))


class WorkerRegistry:
    """The machines that were there when the scheduler was asked last."""

    def __init__(self, address: str) -> None:
        """`address` is the scheduler's, for sentences."""
        self._address = address
        self._machines: dict[str, _Machine] = {}
        self._strange: set[str] = set()
        self._warned = ""

    def room(self, nodes: int) -> int:
        """How many cells of so many nodes all machines run at a time."""
        return sum(machine.room(nodes) for machine in self._machines.values())

    def has(self, worker: str) -> bool:
        """Whether the machine of the worker at that address was there."""
        return worker in self._machines

    def look(self, workers: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
        """Takes what the scheduler says of its workers (address → what it knows), and says what has
        changed, in sentences.
        """
        before, self._machines = self._machines, {}
        for address, worker in workers.items():
            if worker["status"] == "running":
                offered: Mapping[str, float] = worker["resources"]
                if cells := int(offered.get(f"{CELLS} {lab_version()}", 0)):
                    memory = int(offered.get(MEMORY, 0))
                    self._machines[address] = _Machine(str(worker["name"]), cells, memory)
                else:
                    yield from self._of_another_version(address, str(worker["name"]), offered)
        yield from self._changes(before)

    def _changes(self, before: Mapping[str, _Machine]) -> Iterator[str]:
        came = [each.name for at, each in self._machines.items() if at not in before]
        went = [each.name for at, each in before.items() if at not in self._machines]
        if came:
            cells = sum(machine.cells for machine in self._machines.values())
            count = len(self._machines)
            machines = "1 machine" if count == 1 else f"{count} machines"
            yield f"{_list(came)} joined; {machines} for {cells} cells at a time"
        if went:
            yield f"{_list(went)} left; what ran there is handed to others"

    def lack(self, nodes: int) -> Iterator[str]:
        """Says once why nothing, or no cell of so many nodes, can run."""
        warning = ""
        if not self._machines:
            warning = (
                f"no machine is ready at {self._address}; the cells wait until one is: "
                f"`firesteel machines {self._address}`"
            )
        elif not self.room(nodes):
            needed = (nodes * NODE_BYTES) >> 20
            warning = f"no machine at {self._address} has {needed} MiB for a cell of {nodes} boards"
        if warning and warning != self._warned:
            yield warning
        self._warned = warning

    def _of_another_version(
        self, address: str, name: str, offered: Mapping[str, float]
    ) -> Iterator[str]:
        other = next((each for each in offered if each.startswith(CELLS)), "")
        if other and address not in self._strange:
            self._strange.add(address)
            yield (
                f"{name} runs another version of Firesteel or Dask ({other.split()[-1]}, here it "
                f"is {lab_version()}) and gets no cells"
            )


def _list(names: list[str]) -> str:
    """The first few names, and how many more there are."""
    shown = ", ".join(sorted(names)[:4])
    return shown if len(names) <= 4 else f"{shown} and {len(names) - 4} more"
