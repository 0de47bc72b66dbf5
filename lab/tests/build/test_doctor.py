# SPDX-License-Identifier: Apache-2.0
"""Each thing that a machine can lack is told in one sentence with what mends it."""

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

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


def said(check: doctor.Check, machine: doctor.Machine) -> str:
    (sentence,) = doctor.lacks(machine, [check])
    return sentence


def test_what_is_there_is_not_lacking(machine: doctor.Machine) -> None:
    checks = (doctor.check_architecture, doctor.check_release, doctor.check_keyring)
    assert doctor.lacks(machine, (*checks, doctor.check_memory, doctor.check_space)) == []


@pytest.mark.parametrize(
    ("check", "change", "told"),
    [
        (doctor.check_architecture, {"architecture": "aarch64"}, "aarch64.*amd64"),
        (doctor.check_memory, {"memory": 2 * GIB}, r"2\.0 GiB of memory.* 4\.0 GiB"),
        (doctor.check_keyring, {"keyring": Path("/none")}, "install debian-archive-keyring"),
        (doctor.check_release, {"os_release": Path("/none")}, "of unknown kind; use Debian 12 or"),
        (doctor.check_space, {"free_space": lambda _: GIB}, r"5\.0 GiB.* 1\.0 GiB free"),
        (
            doctor.check_space,
            {"cache": Path("/proc/firesteel")},
            "/proc/firesteel cannot be written.*export FIRESTEEL_CACHE=",
        ),
    ],
)
def test_what_is_lacking(
    machine: doctor.Machine, check: doctor.Check, change: dict[str, Any], told: str
) -> None:
    assert re.search(told, said(check, replace(machine, **change)))


def test_other_systems(machine: doctor.Machine) -> None:
    for release, told in (
        ('ID=debian\nVERSION_ID="11"\n', "debian 11; use Debian 12 or 13"),
        ("ID=arch\n", "is arch; use"),
    ):
        machine.os_release.write_text(release)
        assert told in said(doctor.check_release, machine)


def test_a_cache_that_has_grown_needs_less(machine: doctor.Machine) -> None:
    (machine.cache / "image").mkdir(parents=True)
    assert doctor.lacks(replace(machine, free_space=lambda _: GIB), [doctor.check_space]) == []
    full = replace(machine, free_space=lambda _: GIB - 1)
    assert "needs 1.0 GiB" in said(doctor.check_space, full)


def test_missing_commands(machine: doctor.Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name, **_: None if name == "mmdebstrap" else name)
    monkeypatch.setattr(privilege, "is_root", lambda: True)
    told = "mmdebstrap is missing; install with: apt-get install mmdebstrap"
    assert said(doctor.check_commands, machine) == told
    monkeypatch.setattr(shutil, "which", lambda name, **_: name if name == "tar" else None)
    monkeypatch.setattr(privilege, "is_root", lambda: False)
    told = said(doctor.check_commands, machine)
    assert "setpriv, flock, chroot, gpgv" in told
    assert told.endswith("sudo apt-get install apt coreutils dpkg gpgv mmdebstrap util-linux")
    assert "root or sudo" in said(doctor.check_root, machine)
    with pytest.raises(FiresteelError, match="no sudo"):
        privilege.as_root(["true"])


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
