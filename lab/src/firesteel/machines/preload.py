# SPDX-License-Identifier: Apache-2.0
"""Makes a worker of Dask's own one of ours.

With `dask worker ADDRESS --preload firesteel.machines.preload` whatever starts Dask's workers, such
as dask-jobqueue, starts ours.
"""

import socket

from distributed import Worker

from firesteel.machines.machine import Machine
from firesteel.machines.worker import Capacity, Tasks, capacity_here, directory_here


async def dask_setup(worker: Worker) -> None:
    """What Dask calls before the worker registers: it takes a cell for each of its threads."""
    machine = Machine(f"{socket.gethostname()}-{worker.name}", directory_here())
    machine.clean()
    memory = worker.memory_manager.memory_limit or capacity_here().memory
    plugin = Tasks(machine, Capacity(worker.state.nthreads, int(memory)))
    await worker.plugin_add(plugin, name=plugin.name)
