# SPDX-License-Identifier: Apache-2.0
"""The kernel's self-tests with random inputs, for all algorithms at once on 4 processors.

Debian leaves these tests out of its kernels, so a module brings them: the kernel's own source, with
what that lacks (see guest/selftests/).  tests/debug_kernel/ has a kernel with checkers and them.
"""

import os
import shutil
from collections.abc import Mapping

import kernel_source
import pytest
from bench import Bench, KeptRun, on_flat
from driver_run import AES, HASH, PREPARE, TELL, Told
from guest_module import MODULES, build_module

from firesteel.boards.job import JobFile
from firesteel.boards.topology import load_topology
from firesteel.build.products import Products

PROCESSORS = 4
INPUTS = int(os.environ.get("FIRESTEEL_ROUNDS", "20"))
"""Random layouts in memory of each vector; random messages are eight times as many."""

_FILES = ("crypto/testmgr.c", "crypto/testmgr.h", "crypto/internal.h")

_SCRIPT = f"""
{PREPARE}
echo Y >/sys/module/cryptomgr/parameters/notests
modprobe -a authenc uio
insmod /job/selftests.ko fuzz_iterations={INPUTS}
insmod /job/firesteel.ko minimum=0 user=none completion=$COMPLETION
awk '$1 == "name" {{ name = $3 }}
     $1 == "driver" && $3 ~ /-firesteel$/ {{ print $3, name }}' /proc/crypto >/run/algorithms
test_all() {{
    while read -r driver name; do
        result=passed
        echo "$driver $name" >/sys/kernel/debug/selftests || result=failed
        echo "$driver $result"
    done
}}
for worker in $(seq {PROCESSORS}); do
    awk -v of={PROCESSORS} -v own=$worker 'NR % of == own - 1' /run/algorithms |
        test_all >/run/tested.$worker &
done
wait
cat /run/tested.* | probe data tested
{TELL}
rmmod firesteel
dmesg | probe data dmesg
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, JobFile]:
    products = Products()
    source = tmp_path_factory.mktemp("selftests") / "source"
    shutil.copytree(MODULES / "selftests", source)
    package, _ = kernel_source.package(products)
    kernel_source.take_files(package, _FILES, source)
    module = build_module(products, "selftests", source, tmp_path_factory.mktemp("build"))
    return {
        "/job/selftests.ko": JobFile(module),
        "/job/firesteel.ko": JobFile(products.driver().read_bytes()),
    }


@pytest.fixture(scope="module", params=("irq", "adaptive"))
def run(bench: Bench, files: Mapping[str, JobFile], request: pytest.FixtureRequest) -> KeptRun:
    """By the ways in which the driver learns that a core is done."""
    flat = on_flat("socrates-hash")
    cpu = flat.cpu.model_copy(update={"count": PROCESSORS})
    return bench.run(
        load_topology("one-board"),
        {"board": f"COMPLETION={request.param}\n{_SCRIPT}"},
        {"board": files},
        {"board": flat.model_copy(update={"cpu": cpu})},
    )


@pytest.mark.thorough
def test_all_algorithms_pass(run: KeptRun) -> None:
    tested = dict(line.split() for line in run.text("board", "tested").splitlines())
    assert tested == {f"{name}-firesteel": "passed" for name in AES | HASH}
    log = run.text("board", "dmesg")
    assert "alg: extra crypto tests enabled" in log
    assert "skipping comparison tests" not in log


@pytest.mark.thorough
def test_the_cores_were_used(run: KeptRun) -> None:
    assert Told(run).requests("hardware").keys() == AES | HASH


@pytest.mark.thorough
def test_nothing_is_reported(run: KeptRun) -> None:
    Told(run).assert_quiet()
