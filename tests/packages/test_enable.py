# SPDX-License-Identifier: Apache-2.0
"""The command of packages that gives programs the provider, in a file tree of the test's."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from firesteel.base.checkout import PROVIDER

_UNITS = ("nginx", "openvpn-server@", "ssh", "ssh@")


class Tree:
    """The files of a machine."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in ("bin", "libexec/firesteel", "lib/systemd/system", "lib/openssh"):
            (root / "usr" / name).mkdir(parents=True)
        shutil.copy(PROVIDER / "programs/firesteel-provider", root / "usr/bin")
        shutil.copy(PROVIDER / "programs/with-provider", root / "usr/libexec/firesteel")
        for unit in _UNITS:
            (root / f"usr/lib/systemd/system/{unit}.service").touch()
        self.program("bin/tool", 'echo "$OPENSSL_CONF $*"')

    def program(self, path: str, line: str) -> None:
        file = self.root / "usr" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!/bin/sh\n{line}\n")
        file.chmod(0o755)

    def run(self, *arguments: str, status: int = 0) -> str:
        """What the command says."""
        command = [str(self.root / "usr/bin/firesteel-provider"), *arguments]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        assert done.returncode == status, done.stderr
        return done.stderr if status else done.stdout

    def links(self) -> dict[str, str]:
        """All links: where they are, and the files that they lead to."""
        usr = self.root / "usr"
        return {
            str(path.relative_to(self.root)): str(path.readlink().relative_to(usr))
            for path in self.root.rglob("*")
            if path.is_symlink()
        }


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def test_a_service_has_a_drop_in_until_it_is_disabled(tree: Tree) -> None:
    directory = "etc/systemd/system/nginx.service.d"
    tree.run("enable", "nginx.service")
    tree.run("enable", "nginx")
    assert tree.links() == {f"{directory}/firesteel.conf": "share/firesteel/service.conf"}
    assert tree.run("enable") == "nginx\n"
    tree.run("disable", "nginx")
    assert tree.links() == {}
    assert not (tree.root / directory).exists()


def test_openvpn_may_open_the_devices(tree: Tree) -> None:
    tree.run("enable", "openvpn")
    directory = "etc/systemd/system/openvpn-server@.service.d"
    assert tree.links() == {
        f"{directory}/firesteel.conf": "share/firesteel/service.conf",
        f"{directory}/firesteel-devices.conf": "share/firesteel/devices.conf",
    }


@pytest.mark.parametrize(
    ("sessions", "service", "drop_in"),
    [(True, "ssh", "ssh.service.conf"), (False, "ssh@", "service.conf")],
)
def test_sessions_of_ssh_have_the_cores(
    tree: Tree, sessions: bool, service: str, drop_in: str
) -> None:
    if sessions:
        tree.program("lib/openssh/sshd-session", ":")
    tree.run("enable", "ssh")
    link = f"etc/systemd/system/{service}.service.d/firesteel.conf"
    assert tree.links() == {link: f"share/firesteel/{drop_in}"}
    tree.run("disable", "ssh")
    assert tree.links() == {}


def test_a_command_runs_with_the_configuration(tree: Tree) -> None:
    tree.run("enable", "tool")
    path = f"{tree.root}/usr/local/bin:{tree.root}/usr/bin:{os.environ['PATH']}"
    command = ["tool", "one", "two three"]
    environment = {"PATH": path}
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    assert done.stdout == "/etc/ssl/firesteel.cnf one two three\n"


def test_all_are_disabled_at_once_and_other_files_stay(tree: Tree) -> None:
    other = tree.root / "etc/systemd/system/nginx.service.d/mine.conf"
    other.parent.mkdir(parents=True)
    other.touch()
    for name in ("nginx", "openvpn", "tool"):
        tree.run("enable", name)
    tree.run("disable", "--all")
    assert tree.links() == {}
    assert other.exists()
    tree.run("disable", "--all")


def test_somebody_elses_file_is_left_alone(tree: Tree) -> None:
    there = tree.root / "usr/local/bin/tool"
    there.parent.mkdir(parents=True)
    there.touch()
    assert "did not make it" in tree.run("enable", "tool", status=125)
    assert there.exists()
    assert "enabled are: none" in tree.run("disable", "tool", status=125)


@pytest.mark.parametrize("name", ["nowhere", "../tool", "--tool", ""])
def test_what_is_no_program_is_one_clear_line(tree: Tree, name: str) -> None:
    said = tree.run("enable", name, status=125)
    assert said.startswith("firesteel-provider: ")
    assert said.count("\n") == 1
    assert tree.links() == {}


def test_a_check_is_handed_on(tree: Tree) -> None:
    tree.program("libexec/firesteel/firesteel-provider", 'echo "$@"')
    assert tree.run("check", "tool", "--all") == "check tool --all\n"


@pytest.mark.parametrize("wrong", [(), ("other",), ("disable",), ("enable", "tool", "tool")])
def test_a_wrong_command_is_told_the_right_ones(tree: Tree, wrong: tuple[str, ...]) -> None:
    assert "usage: firesteel-provider enable" in tree.run(*wrong, status=125)
