# SPDX-License-Identifier: Apache-2.0
"""The front end of wolfSSL: its own tests, written in C, as it is used and with sanitizers."""

import re
import subprocess

import pytest
from wolfssl_workshop import TESTS, WolfsslWorkshop

from firesteel.base.checkout import CHECKOUT


@pytest.mark.parametrize("build", ["plain", "checked"])
def test_the_front_end_does_what_it_says(wolfssl: WolfsslWorkshop, build: str) -> None:
    directory = f"/firesteel/work/{build}"
    command = ("nice", "meson", "test", "-C", directory, "--no-rebuild", "--num-processes", "1")
    wolfssl.run(f"Testing the front end, {build}", *command, "--print-errorlogs", "-t", "8")


def test_threads_do_not_race(wolfssl: WolfsslWorkshop) -> None:
    # wolfSSL has no instruments: what it does without a lock cannot be judged.
    environment = ("env", "TSAN_OPTIONS=ignore_noninstrumented_modules=1")
    directory = "/firesteel/work/threads"
    command = ("nice", "meson", "test", "-C", directory, "--no-rebuild", "--print-errorlogs")
    wolfssl.run("Looking for races", *environment, *command, "-t", "8", "threads")


def test_only_its_interface_is_exported(wolfssl: WolfsslWorkshop) -> None:
    library = wolfssl.work / "plain/frontends/wolfssl/libfiresteel-wolfssl.so.0"
    command = ["nm", "-D", "--defined-only", str(library)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    names = {line.split()[-1].partition("@")[0] for line in lines.splitlines()}
    assert {name for name in names if not name.startswith("firesteel_wolfssl_")} == {
        "FIRESTEEL_WOLFSSL_0"
    }
    assert {"firesteel_wolfssl_register", "firesteel_wolfssl_statistics"} <= names


def test_the_man_page_has_all_of_the_interface() -> None:
    directory = CHECKOUT / "frontends/wolfssl"
    page = (directory / "man/libfiresteel-wolfssl.3").read_text()
    header = (directory / "include/firesteel/wolfssl.h").read_text()
    functions = set(re.findall(r"(firesteel_wolfssl_\w+)\(", header))
    assert len(functions) > 3
    assert {name for name in functions if f".Fn {name} " not in page} == set()
    sources = "".join(path.read_text() for path in directory.glob("*.c"))
    variables = set(re.findall(r'getenv\("(FIRESTEEL_\w+)"\)', sources))
    assert "FIRESTEEL_WOLFSSL_USE" in variables
    assert {name for name in variables if f".It Ev {name}\n" not in page} == set()


def test_what_is_preloaded_stands_in_for_contexts_alone(wolfssl: WolfsslWorkshop) -> None:
    library = wolfssl.work / "plain/frontends/wolfssl/libfiresteel-wolfssl-preload.so"
    command = ["nm", "-D", "--defined-only", str(library)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    names = {line.split()[-1] for line in lines.splitlines()}
    assert names == {"wolfSSL_CTX_new", "wolfSSL_CTX_new_ex"}


def test_libfiresteel_knows_nothing_of_wolfssl(wolfssl: WolfsslWorkshop) -> None:
    library = wolfssl.work / "plain/lib/libfiresteel.so.0"
    command = ["objdump", "-p", str(library)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    needed = {line.split()[1] for line in lines if "NEEDED" in line}
    assert needed
    assert not {name for name in needed if "wolfssl" in name}


def test_the_server_on_the_page_speaks_with_openssl(wolfssl: WolfsslWorkshop) -> None:
    wolfssl.run("Trying the page's server", "sh", f"{TESTS}/programs.sh")


def test_the_page_names_every_work() -> None:
    source = (CHECKOUT / "frontends/wolfssl/register.c").read_text()
    names = re.findall(r"\[FIRESTEEL_WOLFSSL_\w+\] = \"([\w-]+)\"", source)
    header = (CHECKOUT / "frontends/wolfssl/include/firesteel/wolfssl.h").read_text()
    counters = re.findall(r"\tuint64_t (\w+);", header)
    assert len(names) > 10
    assert len(counters) > 5
    page = (CHECKOUT / "docs/wolfssl.md").read_text()
    assert not [name for name in (*names, *counters) if f"`{name}`" not in page]
