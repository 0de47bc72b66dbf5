# SPDX-License-Identifier: Apache-2.0
"""Machines of a Slurm cluster for the lab, by dask-jobqueue (docs/machines.md).

    python3 slurm.py CHECKOUT JOBS

starts a Dask scheduler here, submits that many jobs with a worker each, and says how to use them.
It runs with a Python that has `requirements/run.txt` and dask-jobqueue, as the jobs do, on a file
system that all machines see.  Change OPTIONS to what the cluster wants.
"""

import shlex
import sys
import time
from typing import Any

OPTIONS: dict[str, Any] = {
    "cores": 8,  # cells at a time
    "memory": "16 GiB",  # for them: 1.5 GiB for a cell of two boards
    "walltime": "08:00:00",
    "queue": None,
    "account": None,
}


def job_options(checkout: str) -> dict[str, Any]:
    """What dask-jobqueue makes a job's script of: one of Dask's workers, which the lab's module
    turns into one of ours.
    """
    return OPTIONS | {
        "processes": 1,
        "nanny": False,
        "python": sys.executable,
        "worker_extra_args": ["--preload", "firesteel.machines.worker"],
        "job_script_prologue": [f"export PYTHONPATH={shlex.quote(checkout)}/lab/src"],
    }


def main(checkout: str, jobs: int) -> None:
    """Keeps the jobs running until Ctrl-C."""
    from dask_jobqueue import SLURMCluster

    with SLURMCluster(**job_options(checkout)) as cluster:
        cluster.scale(jobs=jobs)
        print(f"firesteel run thesis --on {cluster.scheduler_address}", flush=True)
        while True:
            time.sleep(3600)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
