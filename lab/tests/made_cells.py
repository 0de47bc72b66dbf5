# SPDX-License-Identifier: Apache-2.0
"""Made-up cells, and cells like others but for what they measure."""

from typing import Any

from firesteel.boards.topology import load_topology
from firesteel.model.cell import Cell, WorkloadPlan


def made(protocol: str, suite: str, /, *plans: WorkloadPlan, **changes: Any) -> Cell:
    """A cell in software on the topology's own boards, host to host unless another is named; the
    node `board`, or else the first `socrates`, is measured.
    """
    cipher, mac = suite.split(":")
    given: dict[str, Any] = {
        "topology": "host-host",
        "implementation": "software",
        "plans": plans,
    } | changes
    nodes = load_topology(str(given["topology"])).nodes
    boards = {name: node.profile for name, node in nodes.items()}
    measured = next((name for name in boards if boards[name] == "socrates"), next(iter(boards)))
    usual: dict[str, Any] = {
        "profiles": boards,
        "measured": "board" if "board" in boards else measured,
        "protocol": protocol,
        "cipher": cipher,
        "mac": mac,
    }
    return Cell(**(usual | given))


def with_plan(cell: Cell, plan: WorkloadPlan) -> Cell:
    """The cell with that plan, in the place of its own of that workload if it has one."""
    return cell.model_copy(update={"plans": (*without(cell, type(plan)).plans, plan)})


def without(cell: Cell, kind: type[WorkloadPlan]) -> Cell:
    """The cell without the plan of that kind."""
    return cell.model_copy(
        update={"plans": tuple(plan for plan in cell.plans if not isinstance(plan, kind))}
    )
