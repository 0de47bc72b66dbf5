# SPDX-License-Identifier: Apache-2.0
"""Cells whose cores are reached from user space: the provider comes with the job, and programs are
given a CryptoMaster.
"""

import dataclasses
import shlex
from pathlib import Path

import pytest
from tiny_provider import tiny_provider
from workloads.made_programs import PROFILES, cell, speed_cell
from workloads.sites import jobs_of

from firesteel.base.errors import FiresteelError
from firesteel.board.profile import load_profile
from firesteel.board.result import Mark, NodeResult, TopologyRun
from firesteel.board.topology import load_topology
from firesteel.model.cell import Cell
from firesteel.protocols import user_space
from firesteel.protocols.window import CellFailure
from firesteel.workloads.cells import cell_figures, cell_proof

CPU = b"irq_ns 0\nsoftirq_ns 0\ncpu  0 0 0 0 0 0 0 0 0 0\nintr 0 \nctxt 0\n"


def settings(of: Cell, node: str = "board") -> dict[str, str]:
    lines = jobs_of(of)[node].files["/job/settings"].content.decode().splitlines()
    parts = (line.split("=", 1) for line in lines)
    return {name: " ".join(shlex.split(value)) for name, value in parts}


@pytest.mark.parametrize(
    ("profile", "driver"),
    [("socrates", "firesteel user=all"), ("socrates-hash", "firesteel user=last")],
)
def test_programs_get_a_core_and_the_environment_that_leads_there(
    profile: str, driver: str
) -> None:
    told = settings(cell("openvpn", "aes-256-cbc:sha256", profiles=PROFILES | {"board": profile}))
    assert told["DRIVER"] == driver
    assert told["PROVIDER"] == "OPENSSL_CONF=/job/openssl.cnf FIRESTEEL_COMPLETION=adaptive"


def test_nobody_else_does() -> None:
    assert settings(cell("openvpn", "aes-256-cbc:sha256", "software"))["PROVIDER"] == ""
    assert settings(cell("openvpn", "aes-256-cbc:sha256"), "peer")["PROVIDER"] == ""
    kernel = settings(cell("ipsec", "aes-256-cbc:sha256"))
    assert (kernel["DRIVER"], kernel["PROVIDER"]) == ("firesteel user=last completion=adaptive", "")


@pytest.mark.parametrize("protocol", ["openvpn", "ssh"])
def test_with_af_alg_a_program_has_an_engine_and_the_driver_all_cores(protocol: str) -> None:
    of = cell(protocol, "aes-256-cbc:none", completion="irq", as_in_2015=("af-alg",))
    assert not user_space.reached(of)
    told = settings(of)
    assert told["DRIVER"] == "firesteel user=none completion=irq"
    assert told["PROVIDER"] == "OPENSSL_CONF=/job/openssl.cnf"
    files = jobs_of(of)
    assert b"engines = engine_section" in files["board"].files["/job/openssl.cnf"].content
    assert "/job/openssl.cnf" not in files["peer"].files
    assert settings(of, "peer")["PROVIDER"] == ""


def test_with_core_only_the_driver_never_chooses_software() -> None:
    of = cell("ipsec", "aes-256-cbc:none", completion="irq", as_in_2015=("core-only",))
    assert settings(of)["DRIVER"] == "firesteel user=last completion=irq minimum=0"


def test_through_the_kernel_a_program_has_an_engine_and_the_driver_all_cores() -> None:
    of = speed_cell("hardware-kernel").model_copy(update={"completion": "irq"})
    told = settings(of)
    assert told["DRIVER"] == "firesteel user=none completion=irq"
    assert told["PROVIDER"] == ""
    runs = jobs_of(of)["board"].files["/job/runs"].content.decode()
    assert runs.splitlines()[0] == "speed-64 64 -engine afalg -evp aes-256-cbc"
    assert not user_space.reached(of)


def test_the_configuration_keeps_random_numbers_in_software(tmp_path: Path) -> None:
    provider = tiny_provider(tmp_path)
    files = user_space.files(cell("openvpn", "aes-256-cbc:none"), provider)
    text = files["/job/openssl.cnf"].content.decode()
    assert "default_properties = ?firesteel.cores=yes" in text
    assert "properties = provider=default" in text.partition("[random_sect]")[2]
    assert "DRBG" not in text
    assert sorted(file.content for file in files.values())[1:] == [b"a library", b"a provider"]
    ssh = user_space.files(cell("ssh", "aes-256-ctr:none"), provider)
    assert ssh["/job/openssl.cnf"].content.endswith(b"random = HASH-DRBG\ndigest = SHA512\n")


def test_both_sides_of_ssh_know_each_other_and_one_cipher() -> None:
    of = cell("ssh", "aes-256-cbc:none")
    jobs = jobs_of(of)
    for node in ("board", "peer"):
        told = settings(of, node)
        assert told["FILES_BY"] == "scp"
        assert told["SSH_OPTIONS"] == "-o Ciphers=aes256-cbc -o MACs=none"
    client, server = jobs["board"].files, jobs["peer"].files
    assert client["/job/known_hosts"].content.startswith(b"10.")
    assert client["/job/known_hosts"] == server["/job/known_hosts"]
    assert server["/job/authorized_keys"].content.startswith(b"ssh-rsa ")
    assert client["/job/node.key"].mode == 0o600
    assert client["/job/node.key"].content != server["/job/node.key"].content


def test_a_suite_that_ssh_has_not_is_refused() -> None:
    with pytest.raises(FiresteelError, match="SSH .*none:none; .*aes"):
        jobs_of(cell("ssh", "none:none"))


# ---- what came of it ----


def mark(name: str, time_ms: int, aes_bytes: int) -> Mark:
    return Mark(
        name=name,
        time_ns=time_ms * 1_000_000,
        instructions=0,
        idle_ns=0,
        stalled_ns=0,
        user_ns=0,
        ports={},
        cores={"crypto0": {"aes_bytes": aes_bytes, "hash_bytes": 0, "cm_interrupts": 0}},
    )


def speed_run(aes_bytes: int, blocks: int = 1000) -> TopologyRun:
    """Runs of 64 and of 4096 bytes; the cores worked on so many in the latter."""
    names = ["proof.before", "speed-64.begin", "speed-64.end", "speed-4096.begin"]
    marks = [mark(name, 1000 * n, 0) for n, name in enumerate(names)]
    marks += [mark(n, t, aes_bytes) for n, t in (("speed-4096.end", 4000), ("proof.after", 5000))]
    data = {f"{name.name}.cpu": CPU for name in marks}
    for size in (64, 4096):
        data[f"speed-{size}"] = f"+H:{size}\n+R:{blocks}:AES-256-CBC:2.000000\n".encode()
    board = NodeResult("board", tuple(marks), data, "", load_profile("socrates-hash"))
    return TopologyRun({"board": board}, "0" * 64, load_topology("one-board"))


def test_blocks_and_seconds_are_those_that_speed_told() -> None:
    of = speed_cell()
    values = {
        (figure.parameter.text, figure.metric): figure.value
        for figure in cell_figures(of, speed_run(4096 * 1000))
    }
    assert values["4096 B", "throughput"] == pytest.approx(1000 * 4096 / 2 / 1e6)
    assert values["64 B", "time_per_request"] == 2000
    assert values["64 B", "offloaded"] == 0
    assert values["4096 B", "offloaded"] == 100
    assert cell_proof(of, speed_run(4096 * 1000))["speed_blocks"] == 2000


@pytest.mark.parametrize("done", [0, 0.9])
def test_large_blocks_that_were_not_the_cores_are_a_failed_cell(done: float) -> None:
    with pytest.raises(CellFailure, match="cores worked on"):
        cell_figures(speed_cell(), speed_run(int(4096 * 1000 * done)))


def test_software_leaves_the_cores_alone() -> None:
    assert cell_figures(speed_cell("software"), speed_run(0))
    with pytest.raises(CellFailure, match="cores did part"):
        cell_figures(speed_cell("software"), speed_run(16))


def test_speed_that_told_nothing_is_a_failed_cell() -> None:
    run = speed_run(4096 * 1000)
    board = run.nodes["board"]
    silent = dataclasses.replace(board, data={**board.data, "speed-64": b"+H:64\n"})
    with pytest.raises(CellFailure, match="64 B gave no"):
        cell_figures(speed_cell(), dataclasses.replace(run, nodes={"board": silent}))
