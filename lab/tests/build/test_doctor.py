# SPDX-License-Identifier: Apache-2.0
"""Each thing that a machine can lack is told in one sentence with what mends it."""

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from firesteel.base.errors import FiresteelError
from firesteel.build import debian, doctor, privilege
from firesteel.cli import app

GIB = 2**30


@pytest.fixture
def machine(tmp_path: Path) -> doctor.Machine:
    """One that lacks nothing."""
    release = tmp_path / "os-release"
    release.write_text('ID=debian\nVERSION_ID="13"\n')
    return doctor.Machine(
        architecture="x86_64",
        os_release=release,
        memory=4 * GIB,
        cache=tmp_path / "cache",
        free_space=lambda _: 100 * GIB,
        keyring=release,
    )


def test_other_architectures(machine: doctor.Machine) -> None:
    assert doctor.check_architecture(machine) is None
    told = str(doctor.check_architecture(replace(machine, architecture="aarch64")))
    assert re.search("aarch64.*amd64", told)


def test_other_systems(machine: doctor.Machine) -> None:
    assert doctor.check_release(machine) is None
    machine.os_release.write_text('ID=debian\nVERSION_ID="11"\n')
    assert re.search("debian 11; .*12 or 13", str(doctor.check_release(machine)))
    machine.os_release.write_text("ID=arch\n")
    assert "is arch; use" in str(doctor.check_release(machine))
    machine.os_release.unlink()
    assert "of unknown kind" in str(doctor.check_release(machine))


def test_missing_commands(machine: doctor.Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name, **_: None if name == "mmdebstrap" else name)
    monkeypatch.setattr(privilege, "is_root", lambda: True)
    told = doctor.check_commands(machine)
    assert told
    assert told.startswith("mmdebstrap is missing")
    assert told.endswith(": apt-get install mmdebstrap")
    monkeypatch.setattr(shutil, "which", lambda name, **_: name if name == "tar" else None)
    monkeypatch.setattr(privilege, "is_root", lambda: False)
    told = str(doctor.check_commands(machine))
    assert "setpriv, flock, chroot, gpgv" in told
    assert told.endswith("sudo apt-get install apt coreutils dpkg gpgv mmdebstrap util-linux")


def test_missing_keys(machine: doctor.Machine, tmp_path: Path) -> None:
    assert doctor.check_keyring(machine) is None
    told = str(doctor.check_keyring(replace(machine, keyring=tmp_path / "none")))
    assert "apt-get install debian-archive-keyring" in told


def test_neither_root_nor_sudo(
    machine: doctor.Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(privilege, "is_root", lambda: False)
    assert "root or sudo" in str(doctor.check_root(machine))
    with pytest.raises(FiresteelError, match="no sudo"):
        privilege.as_root(["true"])
    monkeypatch.setattr(privilege, "is_root", lambda: True)
    assert doctor.check_root(machine) is None


def test_no_namespaces(
    machine: doctor.Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "unshare"
    program.write_text("#!/bin/sh\necho 'unshare failed: Operation not permitted' >&2; exit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/sbin:/usr/bin:/sbin:/bin")
    monkeypatch.setattr(privilege, "is_root", lambda: True)
    told = str(doctor.check_namespaces(machine))
    assert "namespaces" in told
    assert "Operation not permitted" in told


def test_little_memory(machine: doctor.Machine) -> None:
    assert doctor.check_memory(machine) is None
    told = str(doctor.check_memory(replace(machine, memory=2 * GIB)))
    assert re.search(r"2\.0 GiB of memory.* 4\.0 GiB", told)


def test_little_space(machine: doctor.Machine) -> None:
    assert doctor.check_space(machine) is None
    small = replace(machine, free_space=lambda _: GIB)
    told = str(doctor.check_space(small))
    assert str(machine.cache) in told
    assert re.search(r"5\.0 GiB.* 1\.0 GiB free", told)
    (machine.cache / "image").mkdir(parents=True)
    assert doctor.check_space(small) is None
    full = replace(machine, free_space=lambda _: GIB - 1)
    assert "needs 1.0 GiB" in str(doctor.check_space(full))


def test_a_cache_that_cannot_be_written(machine: doctor.Machine) -> None:
    told = str(doctor.check_space(replace(machine, cache=Path("/proc/firesteel"))))
    assert "/proc/firesteel cannot be written" in told
    assert "export FIRESTEEL_CACHE=" in told


def test_no_mirror(machine: doctor.Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRESTEEL_MIRROR", "http://127.0.0.1:1/debian")
    assert f"suite {debian.SUITE}" in str(doctor.check_mirror(machine))


def test_the_command_tells_all_and_exits_with_1(
    machine: doctor.Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    poor = replace(machine, memory=GIB, architecture="riscv64")
    monkeypatch.setattr("firesteel.cli.build.this_machine", lambda: poor)
    monkeypatch.setattr(doctor, "CHECKS", (doctor.check_architecture, doctor.check_memory))
    result = CliRunner().invoke(app, ["build", "--check"])
    assert "riscv64" in result.stderr
    assert "1.0 GiB of memory" in str(result.exception)
    assert isinstance(result.exception, FiresteelError)
    monkeypatch.setattr("firesteel.cli.build.this_machine", lambda: machine)
    result = CliRunner().invoke(app, ["build", "--check"])
    assert (result.exit_code, result.stderr) == (0, "")


@pytest.mark.parametrize(
    ("statuses", "terminal", "said"),
    [
        ([0], False, None),
        ([1], False, "sudo wants a password, for which there is no terminal"),
        ([1, 0], True, None),
        ([1, 1], True, "sudo refused"),
    ],
)
def test_who_may_not_become_root_is_refused_before_anything_is_fetched(
    machine: doctor.Machine,
    monkeypatch: pytest.MonkeyPatch,
    statuses: list[int],
    terminal: bool,
    said: str | None,
) -> None:
    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[bytes]:
        return subprocess.CompletedProcess(command, statuses.pop(0))

    monkeypatch.setattr(privilege, "is_root", lambda: False)
    monkeypatch.setattr(shutil, "which", lambda name, **_: name)
    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr("sys.stdin.isatty", lambda: terminal, raising=False)
    told = doctor.check_may_be_root(machine)
    assert told is None if said is None else said in str(told)
    assert not statuses
    assert doctor.check_may_be_root in doctor.BEFORE_BUILDING
