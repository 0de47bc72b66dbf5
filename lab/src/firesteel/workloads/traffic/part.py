# SPDX-License-Identifier: Apache-2.0
"""Workloads that the client does one after the other while its way to the server is up."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from firesteel.board.network import Plan
from firesteel.board.result import NodeResult, TopologyRun
from firesteel.model.cell import Cell
from firesteel.workloads.workload import Workload


class TrafficPart(Workload, ABC):
    """A workload of the session `traffic.session.Traffic`, asked of cells with a plan of it alone.

    What the client does of it is board/jobs/measure-NAME.sh; what the server does before, if there
    is anything, is serve-NAME.sh, one of its `scripts`.
    """

    overloads = False
    """Whether it sends more than the measured board can take, whose software then helps the cores:
    it sees to their share itself.
    """

    def lost(self, cell: Cell, run: TopologyRun) -> int:
        """Frames that it knows to have been lost: those of a part that `overloads`."""
        del cell, run
        return 0

    def scripts(self, cell: Cell) -> tuple[str, ...]:
        """What nodes need of board/jobs/ for it."""
        del cell
        return (f"measure-{self.name}.sh",)

    @abstractmethod
    def variables(self, cell: Cell, plan: Plan, node: str) -> dict[str, str]:
        """These scripts' variables on a node; each says what its own mean."""

    def actors(self, cell: Cell, plan: Plan) -> tuple[str, ...]:
        """Nodes that do something at the client's orders: `act_NAME` of its script.  Where there
        are any, the variable NAME_OTHERS has the ports of those that take orders.
        """
        del cell, plan
        return ()

    @abstractmethod
    def payload(self, cell: Cell, clients: Sequence[NodeResult]) -> tuple[int, int]:
        """Bytes that the clients together must have received and sent for it, at the least."""
