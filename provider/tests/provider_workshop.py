# SPDX-License-Identifier: Apache-2.0
"""Where the provider's tests are compiled and run, with the OpenSSL of the build root or of another
root.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import vectors_curves
import vectors_rsa
from records import write_lines
from workshop import Workshop, open_workshop

from firesteel.build.buildroot import BuildRoot

_PARTS = ("model", "silex", "lib", "docs", "provider", "frontends/common", "lab/src")
_TESTS = "/firesteel/checkout/provider/tests"
_VECTORS = {"rsa": vectors_rsa.lines, "curves": vectors_curves.lines}


@contextmanager
def open_provider(root: BuildRoot | None = None) -> Iterator[Workshop]:
    """All that build.sh builds; in another root only what is built as it is used.  Ours alone."""
    builds = () if root is None else ("plain",)
    with open_workshop("provider-tests", *_PARTS, root=root) as workshop:
        workshop.run("Building the provider", "sh", f"{_TESTS}/build.sh", *builds)
        yield workshop


def run_tests(provider: Workshop, build: str) -> None:
    """Every test program that meson knows."""
    directory = f"/firesteel/work/{build}"
    command = ("nice", "meson", "test", "-C", directory, "--no-rebuild", "--num-processes", "1")
    provider.run(f"Testing the provider, {build}", *command, "--print-errorlogs", "-t", "8")


def run_answers(provider: Workshop, build: str, kind: str) -> None:
    """Published vectors of that kind: rsa or curves."""
    write_lines(provider.work / f"{kind}.txt", _VECTORS[kind]())
    directory = f"/firesteel/work/{build}/provider"
    command = ("env", f"PROVIDER_DIRECTORY={directory}", "nice", f"{directory}/answers-{kind}")
    provider.run(f"Running the vectors of {kind}", *command, f"/firesteel/work/{kind}.txt")


def run_statistics(provider: Workshop, build: str) -> None:
    """The test of files in directories that users share, which wants to be root."""
    directory = f"/firesteel/work/{build}/provider"
    command = ("env", f"PROVIDER_DIRECTORY={directory}", f"{directory}/test-statistics")
    provider.run(f"Sharing a directory, {build}", *command, user="0:0")


def try_programs(provider: Workshop) -> None:
    """The `openssl` program with the provider, with others that lack it."""
    module = "/firesteel/work/plain/provider/firesteel.so"
    provider.run("Trying the openssl program", "sh", f"{_TESTS}/programs.sh", module)


def try_command(provider: Workshop) -> None:
    """`firesteel-provider`."""
    directory = "/firesteel/work/plain/provider"
    provider.run("Checking programs", "sh", f"{_TESTS}/check.sh", directory)


def try_installed(provider: Workshop) -> None:
    """What is installed, from where it is installed."""
    provider.run("Installing", "sh", f"{_TESTS}/installed.sh")
