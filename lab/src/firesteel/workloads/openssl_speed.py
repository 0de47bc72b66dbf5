# SPDX-License-Identifier: Apache-2.0
"""OpenSSL's algorithms by block size, as `openssl speed` measures them.

It calls an algorithm again and again with blocks of one size for a number of seconds, by the wall's
clock, and says how many there were.  So this is what a program can have that does nothing else.
"""

import re
from collections.abc import Iterator

from firesteel.base.errors import FiresteelError
from firesteel.board.job import Job, JobFile
from firesteel.board.profile import BOARD_FILES, Profile
from firesteel.board.result import TopologyRun
from firesteel.model.cell import Cell, SpeedPlan
from firesteel.model.figure import Figure
from firesteel.model.parameter import Parameter
from firesteel.protocols import user_space
from firesteel.protocols.failure import CellFailure
from firesteel.protocols.kernel import driver_module, only_node
from firesteel.protocols.offload import LARGE, check_share, cores_proof, offloaded_percent
from firesteel.protocols.openssl import ALGORITHMS
from firesteel.protocols.site import Site, start_offset
from firesteel.protocols.variables import settings_file
from firesteel.protocols.window import data_of, window
from firesteel.workloads.load import load_values
from firesteel.workloads.rows import Value, rows

_SCRIPT = BOARD_FILES / "jobs" / "speed" / "run.sh"

_RESULT = re.compile(r"^\+R:(\d+):[^:]+:([\d.]+)$", re.MULTILINE)
"""With -mr: blocks, the algorithm, and seconds."""


def cell_jobs(cell: Cell, site: Site) -> dict[str, Job]:
    """The job of the one board.

    Raises `FiresteelError` when suite, implementation, profile and topology do not go together.
    """
    node = only_node(cell, site.topology)
    plan = _plan(cell)
    options = ALGORITHMS[cell.cipher, cell.mac]
    if cell.implementation == "hardware-kernel":
        options = f"-engine afalg {options}"
    variables = {
        **_cores(cell, site.measured(cell)),
        "SECONDS_EACH": str(plan.seconds),
        **start_offset(cell),
    }
    lines = [f"{_name(size)} {size} {options}\n" for size in plan.sizes]
    files = {
        "/job/run": JobFile(_SCRIPT.read_bytes()),
        "/job/settings": settings_file(variables),
        "/job/runs": JobFile("".join(lines).encode()),
    }
    return {node: Job(files)}


def cell_figures(cell: Cell, run: TopologyRun) -> list[Figure]:
    """All figures of the cell, in a fixed order; `CellFailure` when it gave none."""
    cell_proof(cell, run)
    figures: list[Figure] = []
    for size in _plan(cell).sizes:
        figures += rows(cell, "openssl-speed", Parameter(size_bytes=size), _values(cell, run, size))
    return figures


def cell_proof(cell: Cell, run: TopologyRun) -> dict[str, int]:
    """Counters by name: `speed_blocks` of all runs together; `cores.NAME.COUNTER`.

    Raises `CellFailure` when the cores had no part in a hardware cell, not their share of large
    blocks, or a part in software.
    """
    node = run.nodes[cell.measured]
    blocks = 0
    for size in _plan(cell).sizes:
        done, _ = _result(cell, run, size)
        blocks += done
        if cell.on_cores and size >= LARGE:
            check_share(cell, node, _name(size), done * size)
    return {"speed_blocks": blocks, **cores_proof(cell, node)}


def _cores(cell: Cell, profile: Profile) -> dict[str, str]:
    """The variables by which the script has the cores.

    Through the kernel all of them are its driver's, which would give some to programs otherwise.
    """
    variables = user_space.variables(cell, profile)
    if cell.implementation == "hardware-kernel":
        variables["DRIVER"] = f"{driver_module(cell)} user=none"
    return variables


def _values(cell: Cell, run: TopologyRun, size: int) -> Iterator[Value]:
    blocks, seconds = _result(cell, run, size)
    node = run.nodes[cell.measured]
    during = window(node, _name(size))
    yield "throughput", blocks * size / seconds / 1e6
    yield "time_per_request", seconds / blocks * 1e6
    yield "cpu", 100 * during.busy / during.elapsed
    yield from load_values(cell, run, _name(size))
    if cell.on_cores:
        share = offloaded_percent(cell, node, _name(size), blocks * size)
        yield "offloaded", share


def _result(cell: Cell, run: TopologyRun, size: int) -> tuple[int, float]:
    """How many blocks of that size there were, and in how many seconds."""
    text = data_of(run.nodes[cell.measured], _name(size)).decode(errors="replace")
    found = _RESULT.search(text)
    if not found or int(found[1]) == 0 or float(found[2]) == 0:
        raise CellFailure(f"openssl speed of {size} B gave no result: {text.strip()[:200]}")
    return int(found[1]), float(found[2])


def _plan(cell: Cell) -> SpeedPlan:
    if cell.speed is None:
        raise FiresteelError(f"Cell {cell.label}: the table `speed` is missing.")
    return cell.speed


def _name(size: int) -> str:
    """What the run of that size is called."""
    return f"speed-{size}"
