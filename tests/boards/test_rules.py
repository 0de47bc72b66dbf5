# SPDX-License-Identifier: Apache-2.0
"""The driver and the library do with the cores what all public drivers do.

The emulator checks each access by the model's rules (`model/rules.h`), also on cores that demand
all that the strictest part demands.
"""

import pytest
from bench import Bench, KeptRun, on_flat
from driver_run import AES, HASH, PREPARE, Told
from driver_run import TELL as TELL_DRIVER
from library_program import build_library_program
from uio_scenes import LOAD, Played

from firesteel.boards.job import JobFile
from firesteel.boards.topology import load_topology
from firesteel.build.products import Products

_SCENARIO = "answers"

_WORK = f"""
{PREPARE}
{LOAD.format(options="user=last")}
/job/library {_SCENARIO} 2>&1 | probe data {_SCENARIO}
{TELL_DRIVER}
rmmod firesteel
dmesg | probe data dmesg
"""


@pytest.fixture(scope="module", params=["firesteel", "nrf54l15"])
def worked(
    bench: Bench, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> KeptRun:
    products, directory = Products(), tmp_path_factory.mktemp("rules")
    files = {
        "/job/firesteel.ko": JobFile(products.driver().read_bytes()),
        "/job/library": JobFile(build_library_program(products, "library", directory), 0o755),
    }
    cores = {"rules": "on", "profile": request.param, "pk_microcode": "0"}
    return bench.with_cores(directory, **cores).run(
        load_topology("one-board"),
        {"board": _WORK},
        {"board": files},
        {"board": on_flat("socrates-hash")},
    )


def test_no_rule_is_broken(worked: KeptRun) -> None:
    assert (worked.directory / "board" / "qemu").read_text() == ""


def test_the_work_was_done_on_these_cores(worked: KeptRun) -> None:
    told = Told(worked)
    assert told.self_tests() == dict.fromkeys(AES | HASH, "passed")
    assert told.requests("failed") == {}
    played = Played(worked)
    played.assert_well(_SCENARIO)
    assert played.cores("crypto0")["pk_points"] > 0 < played.cores("crypto1")["aes_jobs"]
