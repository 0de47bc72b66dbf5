# SPDX-License-Identifier: Apache-2.0
"""The library's own tests, written in C, as it is used and with sanitizers."""

import re
import subprocess
from pathlib import Path

import pytest
from workshop import Workshop

from firesteel.base.checkout import CHECKOUT

_RACES = ("cancel", "engines", "fork", "jobs", "threads")
"""Those with threads.  Others have none, too little memory left for the sanitizer's, or a child in
the same memory, which the sanitizer does not follow (`fork-generation`)."""


def _test(library: Workshop, what: str, build: str, *options: str) -> None:
    command = ("meson", "test", "-C", f"/firesteel/work/{build}", "--no-rebuild")
    # Its own answer to a child that starts threads is to end it.
    environment = ("env", "TSAN_OPTIONS=die_after_fork=0")
    library.run(what, *environment, *command, "--print-errorlogs", *options)


def test_the_library_does_what_it_says(library: Workshop) -> None:
    _test(library, "Testing the library", "plain", "--timeout-multiplier", "4")


def test_nothing_is_found_by_the_sanitizers(library: Workshop) -> None:
    _test(library, "Testing the library with sanitizers", "checked", "--timeout-multiplier", "8")


def test_threads_do_not_race(library: Workshop) -> None:
    _test(library, "Looking for races", "threads", "--timeout-multiplier", "8", *_RACES)


def test_without_the_model_it_says_so(library: Workshop) -> None:
    program = "/firesteel/work/bare/lib/test-bare"
    library.run("Testing the library without the model", program)


def test_only_its_interface_is_exported(library: Workshop) -> None:
    shared = library.work / "plain/lib/libfiresteel.so"
    command = ["nm", "-D", "--defined-only", str(shared)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    names = {line.split()[-1].partition("@")[0] for line in lines.splitlines()}
    assert {name for name in names if not name.startswith(("firesteel_", "FIRESTEEL_"))} == set()
    assert {"firesteel_open", "firesteel_run_sized", "firesteel_submit_sized"} <= names


@pytest.mark.parametrize("kind", ["man", "page"])
def test_examples_compile_and_run(library: Workshop, kind: str) -> None:
    library.run("Trying the examples", "sh", "/firesteel/checkout/lib/tests/examples.sh", kind)


def test_the_man_page_has_all_of_the_interface() -> None:
    page = (CHECKOUT / "lib/man/libfiresteel.3").read_text()
    exported = re.compile(r"^[a-z][\w ]*?\*?(firesteel_\w+)\(", re.MULTILINE)
    header = (CHECKOUT / "lib/include/firesteel/firesteel.h").read_text()
    names = set(exported.findall(header)) - {"firesteel_size_of"}  # a helper of the header itself
    assert len(names) > 20
    assert {name for name in names if f".Fn {name} " not in page} == set()
    variables = set(re.findall(r'"(FIRESTEEL_[A-Z_]+)"', _sources()))
    assert {"FIRESTEEL_DEVICE", "FIRESTEEL_SPIN_NS"} <= variables
    assert {name for name in variables if f".It Ev {name}\n" not in page} == set()
    options = set(re.findall(r'strcmp\(word, "(\w+)"\)|\{ "(\w+)", "FIRESTEEL_', _sources()))
    words = {word for pair in options for word in pair if word}
    assert {"microcode", "timeout_ms"} <= words
    assert {word for word in words if f"Cm {word}" not in page} == set()


def test_a_library_as_it_is_installed_has_no_model(library: Workshop) -> None:
    shared = library.work / "bare/lib/libfiresteel.so"
    command = ["readelf", "-Wd", str(shared)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", lines)
    assert needed == ["libc.so.6"]


@pytest.mark.thorough
@pytest.mark.skipif(not (CHECKOUT / ".git").exists(), reason="needs a Git repository")
def test_a_tarball_of_the_project_builds(library_workshop: Workshop, tmp_path: Path) -> None:
    """Of what is committed; with the provider, and the library's tests pass."""
    commit = tmp_path / "commit.tar"
    subprocess.run(["git", "-C", CHECKOUT, "archive", f"--output={commit}", "HEAD"], check=True)
    script, there = "/firesteel/checkout/lib/tests/dist.sh", {"/firesteel/commit.tar": commit}
    library_workshop.run("Building from a tarball", "sh", script, readable=there)


def _sources() -> str:
    return "".join(path.read_text() for path in sorted((CHECKOUT / "lib").glob("*.c")))
