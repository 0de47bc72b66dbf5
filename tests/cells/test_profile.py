# SPDX-License-Identifier: Apache-2.0
"""Profiles of real cells: exact to the instruction, the same each time, with all layers' names."""

import subprocess
from pathlib import Path

import pytest
from lab_run import run, try_command

from firesteel.profiling.document import Profile
from firesteel.store.store import Store

HEAD = """
title = "Profiled"
topology = "one-board"
measured = "board"
profiles = { board = "socrates-hash" }

[[configurations]]
"""

KERNEL = """protocol = "crypto-api"
suite = "aes-256-cbc:none"
implementation = ["software", "hardware"]

[crypto]
sizes = [1400]
requests = 100
in_flight = [4]
directions = ["encrypt"]
"""

PROGRAM = """protocol = "openssl"
suite = "aes-256-cbc:none"
implementation = "hardware"

[speed]
sizes = [16384]
seconds = 1
"""


def measured(directory: Path, experiment: str) -> Path:
    """The store with the one run of an experiment."""
    file = directory / "experiment.toml"
    file.write_text(HEAD + experiment)
    run(file, directory / "store")
    return directory / "store"


def try_profile(store: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return try_command(store, "profile", "latest", *words)


def profiles(store: Path) -> dict[str, bytes]:
    """The files of all profiles of the one run, by implementation."""
    directory = Store(store).runs / "latest" / "profiles"
    files = [path.read_bytes() for path in sorted(directory.glob("*.json"))]
    return {Profile.from_json(file.decode(), "a test").implementation: file for file in files}


def layers(profile: Profile) -> dict[str, int]:
    return {layer: count for (layer,), count in profile.totals(1).items()}


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with cells of the crypto API, profiled."""
    store = measured(tmp_path_factory.mktemp("kernel"), KERNEL)
    done = try_profile(store, "crypto-api", "aes-256-cbc:none", "hardware")
    assert done.returncode == 0, done.stderr
    return store


def test_software_and_hardware_differ_in_who_encrypts(kernel: Path) -> None:
    found = {
        name: layers(Profile.from_json(file.decode(), name))
        for name, file in profiles(kernel).items()
    }
    assert found["software"]["kernel crypto"] > 100 * 1400, "more than an instruction a byte"
    assert "driver" not in found["software"]
    assert found["hardware"]["driver"] > 100 * 100
    assert found["hardware"]["kernel crypto"] < found["software"]["kernel crypto"] / 4
    assert found["hardware"]["interrupt"] > 0


def test_functions_have_the_names_of_kernel_and_modules(kernel: Path) -> None:
    profile = Profile.from_json(profiles(kernel)["hardware"].decode(), "a test")
    places = {(code, function) for _, _, code, function in (s.frames for s in profile.stacks)}
    assert ("kernel", "__irq_svc") in places
    assert {"firesteel.ko", "cryptobench.ko", "kernel"} <= {code for code, _ in places}
    unknown = sum(s.instructions for s in profile.stacks if "[unknown]" in s.frames[2:])
    assert unknown < profile.instructions / 100


def test_a_profile_is_the_same_to_the_byte_each_time(kernel: Path) -> None:
    before = profiles(kernel)["hardware"]
    done = try_profile(kernel, "crypto-api", "aes-256-cbc:none", "hardware", "--alone", "--fresh")
    assert done.returncode == 0, done.stderr
    assert profiles(kernel)["hardware"] == before


def test_what_is_there_is_shown_without_boards(kernel: Path) -> None:
    done = try_profile(kernel, "--only", "implementation=hardware", "--format", "folded")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    total = sum(int(line.rpartition(" ")[2]) for line in done.stdout.splitlines())
    both = profiles(kernel).values()
    assert total == sum(Profile.from_json(each.decode(), "").instructions for each in both)


def test_a_window_that_there_is_not_is_told_with_those_there_are(kernel: Path) -> None:
    done = try_profile(kernel, "--only", "implementation=hardware", "--window", "transfer")
    assert done.returncode == 1
    assert "`transfer`" in done.stderr
    assert ": encrypt-1400-4, encrypt-1400-each" in done.stderr


@pytest.mark.thorough
def test_a_program_on_the_cores_is_seen_in_provider_and_library(tmp_path: Path) -> None:
    store = measured(tmp_path, PROGRAM)
    done = try_profile(store, "--only", "protocol=openssl")
    assert done.returncode == 0, done.stderr
    (file,) = profiles(store).values()
    found = layers(Profile.from_json(file.decode(), "a test"))
    assert {"application", "libcrypto", "provider", "libfiresteel"} <= set(found)
    assert "libfiresteel" in done.stdout
