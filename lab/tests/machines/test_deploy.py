# SPDX-License-Identifier: Apache-2.0
"""Slurm and Kubernetes, as far as a machine without them shows: what would be submitted is right,
and what it starts works.
"""

import importlib.util
import os
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import kubernetes_validate
import pytest
import yaml
from dask_here import FakeBoards, Process, Scheduler, WorkerProcess
from dask_jobqueue.slurm import SLURMJob
from distributed.security import Security

from firesteel.base.checkout import CHECKOUT
from firesteel.machines.cluster import Cluster

DEPLOY = CHECKOUT / "deploy"


def slurm() -> ModuleType:
    """The script, as a module."""
    spec = importlib.util.spec_from_file_location("slurm", DEPLOY / "slurm.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_slurm_s_job_is_a_worker_of_ours(tmp_path: Path) -> None:
    options = slurm().job_options(str(CHECKOUT))
    fake = FakeBoards(tmp_path)
    with Scheduler(tmp_path) as scheduler:
        job = SLURMJob(scheduler=scheduler.address, name="job-1", **options)
        script = tmp_path / "job.sh"
        script.write_text(job.job_script())
        said = script.read_text()
        for line in ("#SBATCH -n 1", "#SBATCH --cpus-per-task=8", "#SBATCH --mem=16G"):
            assert line in said.splitlines()
        assert re.search(r"^#SBATCH -t 08:00:00$", said, re.MULTILINE)
        (tmp_path / "pids").mkdir()
        env = dict(os.environ) | {
            "FIRESTEEL_CACHE": str(tmp_path / "cache"),
            "FAKE_QEMU_PIDS": str(tmp_path / "pids"),
        }
        # To Slurm the script is a program, and the lines that it reads are comments.
        with Process(["bash", str(script)], env) as worker:
            worker.expect("Registered to")
            with Cluster(scheduler.address, Security()) as cluster:
                assert cluster.room() == 8
                said = str(next(cluster.news()))
                assert said.endswith("joined; 1 machine for 8 cells at a time")
                assert fake.run(cluster.run, tmp_path / "logs")


def documents() -> list[dict[str, Any]]:
    """What is in the manifest."""
    return list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text()))


@pytest.mark.parametrize("document", documents(), ids=lambda each: each["metadata"]["name"])
def test_kubernetes_knows_all_that_the_manifest_says(document: dict[str, Any]) -> None:
    kubernetes_validate.validate(document, "1.37", strict=True)


def containers() -> dict[str, dict[str, Any]]:
    """The containers by name."""
    return {
        each["name"]: each
        for document in documents()
        if document["kind"] == "Deployment"
        for each in document["spec"]["template"]["spec"]["containers"]
    }


def test_the_service_leads_to_the_scheduler_that_workers_ask_for() -> None:
    (service,) = [each for each in documents() if each["kind"] == "Service"]
    address = f"tcp://{service['metadata']['name']}:{service['spec']['ports'][0]['port']}"
    assert address in containers()["worker"]["args"]
    ports = [each["containerPort"] for each in containers()["scheduler"]["ports"]]
    assert ports == [service["spec"]["ports"][0]["targetPort"]]
    assert str(ports[0]) in containers()["scheduler"]["args"]


def test_what_containers_start_is_what_there_is(tmp_path: Path) -> None:
    worker, scheduler = containers()["worker"], containers()["scheduler"]
    assert scheduler["command"][1:] == ["-P", "-m", "distributed.cli.dask_scheduler"]
    assert worker["command"][1:] == ["-P", "-m", "firesteel"]
    told, address, *options = worker["args"]
    assert (told, options[:2]) == ("machines", ["--jobs", "4"])
    options[options.index("--wait") + 1] = "1"
    with WorkerProcess("127.0.0.1:1", tmp_path, *options) as process:
        assert process.wait() == 1
    (said,) = process.lines
    assert said == (
        "firesteel: No Dask scheduler answers at tcp://127.0.0.1:1 within 1 s; start one with "
        "`firesteel machines`, or see that address, firewall and TLS files are right."
    )
    assert address.startswith("tcp://")
