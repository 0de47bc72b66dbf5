# SPDX-License-Identifier: Apache-2.0
"""Workloads that the client does one after the other while its way to the server is up."""

from abc import ABC, abstractmethod

from firesteel.board.result import NodeResult
from firesteel.model.cell import Cell
from firesteel.workloads.workload import Workload


class TrafficPart(Workload, ABC):
    """A workload of the session `traffic.session.Traffic`."""

    @abstractmethod
    def variables(self, cell: Cell) -> dict[str, str]:
        """The scripts' variables for it, also in cells without a plan of it; board/jobs/run.sh says
        what each means.
        """

    @abstractmethod
    def payload(self, cell: Cell, client: NodeResult) -> tuple[int, int]:
        """Bytes that the client must have received and sent for it, at the least."""
