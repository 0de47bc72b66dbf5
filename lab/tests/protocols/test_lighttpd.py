# SPDX-License-Identifier: Apache-2.0
"""lighttpd comes along with wolfSSL, and in hardware alone with what brings the cores under it."""

from pathlib import Path

import pytest
from made_supply import MadeSupply
from page_steps import steps_of
from workloads.made_handshakes import cell
from workloads.sites import jobs_of, settings

from firesteel.architectures import DEFAULT
from firesteel.boards.catalog import Catalog
from firesteel.boards.job import Job
from firesteel.model.cell import Cell
from firesteel.protocols.registry import protocol_named
from firesteel.protocols.site import site_of
from firesteel.workloads.cells import with_programs, with_provider
from firesteel.workloads.handshakes import HandshakePlan

PROGRAMS = {
    "/usr/sbin/lighttpd",
    "/usr/lib/lighttpd/mod_wolfssl.so",
    f"{DEFAULT.libraries}/libwolfssl.so.42",
}
FRONT_END = {
    f"{DEFAULT.libraries}/libfiresteel.so.0",
    f"{DEFAULT.libraries}/libfiresteel-wolfssl.so.0",
    f"{DEFAULT.libraries}/libfiresteel-wolfssl-preload.so",
}


def served(implementation: str = "software", name: str = "lighttpd-p256") -> Cell:
    plan = HandshakePlan(keys=("rsa-2048",), alone=2, clients=3, seconds=10)
    return cell(implementation, protocol=name, handshakes=plan, cipher="aes-256-gcm", mac="gcm")


def overlaid(of: Cell, directory: Path) -> dict[str, Job]:
    """The cell's jobs with all that is laid over the image but the driver."""
    site = site_of(of, Catalog())
    everywhere = dict.fromkeys(site.profiles, MadeSupply(directory))
    return with_programs(of, with_provider(of, site, jobs_of(of), everywhere), everywhere)


def test_the_server_preloads_the_front_end_in_the_place_of_the_provider(tmp_path: Path) -> None:
    files = overlaid(served(), tmp_path)["board"].files
    assert files.keys() >= PROGRAMS
    assert files["/usr/sbin/lighttpd"].mode == 0o755
    assert not files.keys() & FRONT_END
    assert settings(served())["PROVIDER"] == ""
    of = served("hardware")
    told = settings(of)
    assert told["DRIVER"] == "firesteel user=all"
    preload, completion = told["PROVIDER"].split()
    assert preload == "LD_PRELOAD=libfiresteel-wolfssl-preload.so"
    assert completion.startswith("FIRESTEEL_COMPLETION=")
    jobs = overlaid(of, tmp_path)
    assert jobs["board"].files.keys() >= PROGRAMS | FRONT_END
    assert "/job/openssl.cnf" not in jobs["board"].files
    assert not jobs["peer"].files.keys() & FRONT_END


@pytest.mark.parametrize("completion", ["adaptive", "poll"])
def test_advice_is_what_the_page_says(completion: str) -> None:
    of = served("hardware").model_copy(update={"completion": completion})
    setup = protocol_named("lighttpd-p256").setup(of, None)
    assert setup.pages == ("docs/wolfssl.md",)
    written = {line for step in steps_of("wolfssl.md") for line in step.lines}
    typed = [line for step in setup.steps for line in step.lines]
    own = [line for line in typed if line not in written and "insmod" not in line]
    assert own == ([] if completion == "adaptive" else ["Environment=FIRESTEEL_COMPLETION=poll"])
