# SPDX-License-Identifier: Apache-2.0
"""The driver on kernels of Debian's other releases: self-tests, and traffic while cores go.

The boards are those of tests/boards/test_several_processors.py with another kernel, whose modules
come with the job.
"""

import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from driver_run import AES, HASH, PREPARE, Told
from guest_module import MODULES
from kernels import KERNELS, RUN, Archives, Headers, Kernel, NoKernel, build_module, built_driver
from real_time import RealTimeBoard
from several_processors import Rounds, board, play

from firesteel.architectures import ARCHITECTURES
from firesteel.boards.command import BoardProducts
from firesteel.boards.job import JobFile
from firesteel.build.products import Products

SCENES = ("unbind", "packets")
PROCESSORS = 2
TIMEOUT = 1800
"""Wall seconds of a run."""

_SCRIPT = f"""
depmod
{PREPARE}
modprobe -a authenc uio
insmod /job/firesteel.ko user=none
cat /proc/crypto | probe data crypto
rmmod firesteel
echo Y >/sys/module/cryptomgr/parameters/notests
{play(SCENES, rounds=1)}
"""


def job_files(
    archives: Archives, kernel: Kernel, headers: Headers, image: Path, directory: Path
) -> dict[str, JobFile]:
    """The kernel's modules, the driver and the test's own module for it, by the guest's paths."""
    home = f"/usr/lib/modules/{headers.release}"
    modules = [path for path in (image / "modules").rglob("*") if path.is_file()]
    files = {
        f"{home}/{path.relative_to(image / 'modules')}": JobFile(path.read_bytes())
        for path in modules
    }
    shutil.copytree(MODULES / "order", directory / "order")
    build_module(archives.products, kernel, headers, directory, "order")
    driver = built_driver(archives.products, kernel, headers)
    for path in (driver / "firesteel.ko", directory / "order/order.ko"):
        files[f"/job/{path.name}"] = JobFile(path.read_bytes())
    return files


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archives]:
    archives = Archives(Products(), lambda: tmp_path_factory.mktemp("indexes"))
    yield archives
    archives.close()


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(name, marks=pytest.mark.xdist_group(name.partition("-")[0])) for name in RUN
    ],
)
def rounds(
    archives: Archives, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Rounds:
    (kernel,) = (each for each in KERNELS if str(each) == request.param)
    new_directory = partial(tmp_path_factory.mktemp, "run")
    try:
        headers = archives.headers(kernel)
    except NoKernel as error:
        pytest.skip(str(error))
    image = archives.image(kernel, headers)
    files = job_files(archives, kernel, headers, image, new_directory())
    target = ARCHITECTURES[kernel.architecture]
    usual = BoardProducts.of(Products(architecture=target))
    products = BoardProducts(usual.qemu, image / "vmlinuz", usual.initramfs)
    real_time = RealTimeBoard(products, new_directory, TIMEOUT, target)
    return Rounds(real_time.run(_SCRIPT, files, board(), PROCESSORS), SCENES, 1)


def test_self_tests_pass(rounds: Rounds) -> None:
    assert Told(rounds.run).self_tests() == dict.fromkeys(AES | HASH, "passed")


def test_all_results_are_right_and_in_order(rounds: Rounds) -> None:
    rounds.assert_right()


def test_the_cores_were_used(rounds: Rounds) -> None:
    assert rounds.hardware()["cbc-aes"] > 0 < rounds.hardware()["gcm-aes"]


def test_nothing_is_reported(rounds: Rounds) -> None:
    Told(rounds.run).assert_quiet()
