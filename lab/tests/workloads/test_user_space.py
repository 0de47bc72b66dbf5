# SPDX-License-Identifier: Apache-2.0
"""Cells whose cores are reached from user space: the provider comes with the job, and programs are
given a CryptoMaster.
"""

from pathlib import Path

import pytest
from tiny_provider import tiny_provider
from workloads.made_programs import PROFILES, cell, speed_cell
from workloads.recorded_runs import CPU, with_data
from workloads.sites import jobs_of, settings, value

from firesteel.base.errors import FiresteelError
from firesteel.boards.profile import load_profile
from firesteel.boards.result import Mark, NodeResult, TopologyRun
from firesteel.boards.topology import load_topology
from firesteel.protocols import user_space
from firesteel.protocols.window import CellFailure
from firesteel.workloads.cells import cell_figures, cell_proof

OPENSSL_CONF = "OPENSSL_CONF=/job/openssl.cnf"


def test_programs_get_a_core_and_the_environment_that_leads_there() -> None:
    suite = "aes-256-cbc:sha256"
    given = f"{OPENSSL_CONF} FIRESTEEL_COMPLETION=adaptive"
    for of, node, driver, provider in (
        (cell("openvpn", suite), "board", "firesteel user=all", given),
        (
            cell("openvpn", suite, profiles=PROFILES | {"board": "socrates-hash"}),
            *("board", "firesteel user=last", given),
        ),
        (cell("openvpn", suite, "software"), "board", "", ""),
        (cell("openvpn", suite), "peer", "", ""),
        (cell("ipsec", suite), "board", "firesteel user=last completion=adaptive", ""),
        (
            cell("ipsec", "aes-256-cbc:none", completion="irq", as_in_2015=("core-only",)),
            *("board", "firesteel user=last completion=irq minimum=0", ""),
        ),
        (
            speed_cell("hardware-kernel").model_copy(update={"completion": "irq"}),
            *("board", "firesteel user=none completion=irq", ""),
        ),
        (
            speed_cell("hardware-kernel").model_copy(
                update={"completion": "irq", "as_in_2015": ("core-only",)}
            ),
            *("board", "firesteel user=none completion=irq minimum=0", ""),
        ),
    ):
        told = settings(of, node)
        assert (told["DRIVER"], told["PROVIDER"]) == (driver, provider)
    runs = jobs_of(speed_cell("hardware-kernel"))["board"].files["/job/runs"].content
    assert runs.startswith(b"speed-64 64 -engine afalg -evp aes-256-cbc\n")


@pytest.mark.parametrize("protocol", ["openvpn", "ssh"])
def test_with_af_alg_a_program_has_an_engine_and_the_driver_all_cores(protocol: str) -> None:
    of = cell(protocol, "aes-256-cbc:none", completion="irq", as_in_2015=("af-alg",))
    assert not user_space.reached(of)
    told = settings(of)
    assert told["DRIVER"] == "firesteel user=none completion=irq"
    assert told["PROVIDER"] == OPENSSL_CONF
    files = jobs_of(of)
    assert b"engines = engine_section" in files["board"].files["/job/openssl.cnf"].content
    assert "/job/openssl.cnf" not in files["peer"].files
    assert settings(of, "peer")["PROVIDER"] == ""


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


def speed_run(aes_bytes: int) -> TopologyRun:
    """Runs of 64 and of 4096 bytes; the cores worked on so many in the latter."""
    names = ["proof.before", "speed-64.begin", "speed-64.end", "speed-4096.begin"]
    marks = [_mark(name, second, 0) for second, name in enumerate(names)]
    marks += [_mark("speed-4096.end", 4, aes_bytes), _mark("proof.after", 5, aes_bytes)]
    data = {f"{name.name}.cpu": CPU for name in marks}
    for size in (64, 4096):
        data[f"speed-{size}"] = f"+H:{size}\n+R:1000:AES-256-CBC:2.000000\n".encode()
    board = NodeResult("board", tuple(marks), data, "", load_profile("socrates-hash"))
    return TopologyRun({"board": board}, "0" * 64, load_topology("one-board"))


def _mark(name: str, second: int, aes_bytes: int) -> Mark:
    counted = {"aes_bytes": aes_bytes, "hash_bytes": 0, "cm_interrupts": 0}
    return Mark(name, second * 10**9, 0, 0, 0, 0, {}, {"crypto0": counted})


def test_blocks_and_seconds_are_those_that_speed_told() -> None:
    of, run = speed_cell(), speed_run(4096 * 1000)
    figures = cell_figures(of, run)
    for size, metric, found in (
        (4096, "throughput", 1000 * 4096 / 2 / 1e6),
        (64, "time_per_request", 2000),
        (64, "offloaded", 0),
        (4096, "offloaded", 100),
    ):
        assert value(figures, "openssl-speed", f"{size} B", metric) == pytest.approx(found)
    assert cell_proof(of, run)["speed_blocks"] == 2000
    assert cell_figures(speed_cell("software"), speed_run(0))
    for bad, whole, says in (
        (of, speed_run(0), "cores worked on"),
        (of, speed_run(4096 * 900), "cores worked on"),
        (speed_cell("software"), speed_run(16), "cores did part"),
        (of, with_data(run, "speed-64", b"+H:64\n"), "64 B gave no"),
    ):
        with pytest.raises(CellFailure, match=says):
            cell_figures(bad, whole)
