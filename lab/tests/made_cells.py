# SPDX-License-Identifier: Apache-2.0
"""Cells like others, but for what they measure."""

from firesteel.model.cell import Cell, WorkloadPlan


def with_plan(cell: Cell, plan: WorkloadPlan) -> Cell:
    """The cell with that plan, in the place of its own of that workload if it has one."""
    return cell.model_copy(update={"plans": (*without(cell, type(plan)).plans, plan)})


def without(cell: Cell, kind: type[WorkloadPlan]) -> Cell:
    """The cell without the plan of that kind."""
    return cell.model_copy(
        update={"plans": tuple(plan for plan in cell.plans if not isinstance(plan, kind))}
    )
