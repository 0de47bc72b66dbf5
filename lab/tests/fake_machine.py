# SPDX-License-Identifier: Apache-2.0
"""A stand-in for `ssh` and the machine behind it: it says what it was told to, and keeps what it
was given.
"""

import json
import tarfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from firesteel.boards.real import real_profile

FACTS = (
    "machine x86_64",
    "uname Linux 6.12.1 #1 SMP",
    "cpus 4",
    "model Cortex-X",
    "khz 2000000",
    "memory 4000000",
    "package openssl 3.5.1",
)

_SSH = """#!/bin/sh
cd "{directory}"
for last; do :; done
# Calls at the same time do not mix.
(flock 9 && echo "$*" | tr '\\n' ' ' && echo) 9>>calls >>calls
case $last in
*" facts.sh"*) cat facts ;;
*)
	set -- ${{last##*run.sh }}
	head -c "$1" >archive.tar
	cat log
	echo "what the job said" >&2
	exit "$(cat status)"
	;;
esac
"""


def mark(name: str, time_ns: int, idle_ns: int = 0) -> str:
    """A line of the probe's log."""
    kind = {"kind": "mark", "name": name} if name else {"kind": "end"}
    clock = {"instructions": 0, "idle_ns": idle_ns, "stalled_ns": 0, "user_ns": 0}
    return json.dumps({**kind, "time_ns": time_ns, **clock, "ports": {}, "cores": {}})


class FakeMachine:
    """The program `ssh` of a test."""

    def __init__(self, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.directory = directory / "machine"
        self.directory.mkdir()
        ssh = self.directory / "ssh"
        ssh.write_text(_SSH.format(directory=self.directory))
        ssh.chmod(0o755)
        monkeypatch.setenv("PATH", str(self.directory), prepend=":")
        self.forget()
        self.says()
        (self.directory / "calls").touch()
        self.runs([mark("job-begin", 10), mark("", 20)])

    def says(self, *facts: str) -> None:
        """Makes these facts what it is, besides those of any machine."""
        (self.directory / "facts").write_text("\n".join((*FACTS, *facts)) + "\n")

    def runs(self, log: Sequence[str], status: int = 0) -> None:
        """Makes this the end of each job."""
        lines = ['{"kind": "start", "version": 2}', *log]
        (self.directory / "log").write_text("\n".join(lines) + "\n")
        (self.directory / "status").write_text(str(status))

    @staticmethod
    def forget() -> None:
        """Makes the lab ask again, as its next run does."""
        real_profile.cache_clear()

    @property
    def calls(self) -> list[str]:
        """The arguments of each call of `ssh`."""
        return (self.directory / "calls").read_text().splitlines()

    @property
    def given(self) -> dict[str, int]:
        """The files of the last job, with their modes."""
        with tarfile.open(self.directory / "archive.tar") as archive:
            return {member.name: member.mode for member in archive}
