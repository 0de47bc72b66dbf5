# SPDX-License-Identifier: Apache-2.0
"""The front end of wolfSSL: its own tests, written in C, as it is used and with sanitizers."""

import subprocess

import pytest
import vectors_curves
import vectors_symmetric
from records import write_lines
from wolfssl_workshop import TESTS, WolfsslWorkshop

_CHECKED = "/firesteel/work/checked/frontends/wolfssl/tests"


@pytest.mark.parametrize("build", ["plain", "checked"])
def test_the_front_end_does_what_it_says(wolfssl: WolfsslWorkshop, build: str) -> None:
    directory = f"/firesteel/work/{build}/frontends/wolfssl"
    command = ("nice", "meson", "test", "-C", directory, "--no-rebuild", "--num-processes", "1")
    wolfssl.run(f"Testing the front end, {build}", *command, "--print-errorlogs", "-t", "8")


def test_threads_do_not_race(wolfssl: WolfsslWorkshop) -> None:
    # wolfSSL has no instruments: what it does without a lock cannot be judged.
    environment = ("env", "TSAN_OPTIONS=ignore_noninstrumented_modules=1")
    directory = "/firesteel/work/threads/frontends/wolfssl"
    command = ("nice", "meson", "test", "-C", directory, "--no-rebuild", "--print-errorlogs")
    wolfssl.run("Looking for races", *environment, *command, "-t", "8", "threads")


def test_symmetric_answers_are_the_published_ones(wolfssl: WolfsslWorkshop) -> None:
    write_lines(wolfssl.work / "symmetric.txt", vectors_symmetric.lines())
    command = (f"{_CHECKED}/answers-symmetric", "/firesteel/work/symmetric.txt")
    wolfssl.run("Running the symmetric vectors", "nice", *command)


def test_answers_of_curves_are_the_published_ones(wolfssl: WolfsslWorkshop) -> None:
    write_lines(wolfssl.work / "curves.txt", vectors_curves.lines())
    command = (f"{_CHECKED}/answers-curves", "/firesteel/work/curves.txt")
    wolfssl.run("Running the vectors of curves", "nice", *command)


@pytest.mark.parametrize(
    ("faults", "works"),
    [
        ("", "all"),
        ("dma-error:rate=20", "all"),
        ("gone:nth=700", "some"),
    ],
    ids=["no-fault", "dma-error", "gone"],
)
def test_own_tests_of_wolfcrypt_pass(wolfssl: WolfsslWorkshop, faults: str, works: str) -> None:
    device = "model:hash=on" + (f",faults={faults}" if faults else "")
    wolfssl.run("Testing wolfCrypt", "sh", f"{TESTS}/wolfcrypt.sh", device, works)


def test_only_its_interface_is_exported(wolfssl: WolfsslWorkshop) -> None:
    library = wolfssl.work / "plain/frontends/wolfssl/libfiresteel-wolfssl.so.0"
    command = ["nm", "-D", "--defined-only", str(library)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    names = {line.split()[-1].partition("@")[0] for line in lines.splitlines()}
    assert {name for name in names if not name.startswith("firesteel_wolfssl_")} == {
        "FIRESTEEL_WOLFSSL_0"
    }
    assert {"firesteel_wolfssl_register", "firesteel_wolfssl_statistics"} <= names


def test_libfiresteel_knows_nothing_of_wolfssl(wolfssl: WolfsslWorkshop) -> None:
    library = wolfssl.work / "plain/lib/libfiresteel.so.0"
    command = ["objdump", "-p", str(library)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    needed = {line.split()[1] for line in lines if "NEEDED" in line}
    assert needed
    assert not {name for name in needed if "wolfssl" in name}
