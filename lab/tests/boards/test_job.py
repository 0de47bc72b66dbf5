# SPDX-License-Identifier: Apache-2.0
"""A job's archive is newc, complete, and depends on the job's files alone."""

import shutil
import subprocess
from pathlib import Path

import pytest

from firesteel.base.errors import FiresteelError
from firesteel.boards.job import Job, JobFile, job_archive, write_initramfs

RUN = JobFile(b"#!/bin/sh\necho hello\n", 0o755)
KEY = JobFile(b"\0secret\xff", 0o600)
JOB = Job({"/job/run": RUN, "/etc/test/key.pem": KEY, "/job/empty": JobFile(b"")})


def members(archive: bytes) -> dict[str, tuple[int, bytes]]:
    """An independent reading of a newc archive: mode and content by name."""
    found: dict[str, tuple[int, bytes]] = {}
    offset = 0
    while True:
        header = archive[offset : offset + 110]
        assert header[:6] == b"070701"
        fields = [int(header[6 + 8 * i : 14 + 8 * i], 16) for i in range(13)]
        mode, size, name_size = fields[1], fields[6], fields[11]
        assert fields[2:4] == [0, 0], "everything is root's"
        assert fields[5] == 0, "no times"
        name = archive[offset + 110 : offset + 110 + name_size]
        assert name.endswith(b"\0")
        start = -(-(offset + 110 + name_size) // 4) * 4
        if name == b"TRAILER!!!\0":
            assert start == len(archive)
            return found
        found[name[:-1].decode()] = (mode, archive[start : start + size])
        offset = -(-(start + size) // 4) * 4


def test_members_have_mode_and_content_directories_first_in_any_order() -> None:
    found = members(job_archive(JOB))
    assert list(found) == ["etc", "etc/test", "etc/test/key.pem", "job", "job/empty", "job/run"]
    assert found["job/run"] == (0o100755, RUN.content)
    assert found["etc/test/key.pem"] == (0o100600, KEY.content)
    assert job_archive(Job(dict(reversed(JOB.files.items())))) == job_archive(JOB)


@pytest.mark.skipif(shutil.which("cpio") is None, reason="no cpio here to compare with")
def test_cpio_reads_it() -> None:
    listed = subprocess.run(["cpio", "-t"], input=job_archive(JOB), capture_output=True, check=True)
    assert listed.stdout.decode().split() == list(members(job_archive(JOB)))


@pytest.mark.parametrize("path", ["job/run", "/job/../etc", "/job//run", "/"])
def test_a_path_that_is_not_plain_is_refused(path: str) -> None:
    with pytest.raises(FiresteelError, match="absolute path"):
        job_archive(Job({path: RUN}))


def test_a_file_that_is_also_a_directory_is_refused() -> None:
    with pytest.raises(FiresteelError, match="`/job` .* `/job/run`"):
        job_archive(Job({"/job": RUN, "/job/run": RUN}))


@pytest.mark.parametrize("size", [0, 4, 4099])
def test_the_job_lies_behind_the_base_at_a_multiple_of_four(tmp_path: Path, size: int) -> None:
    base = tmp_path / "base"
    base.write_bytes(b"B" * size)
    write_initramfs(base, b"ARCHIVE", tmp_path / "whole")
    assert (tmp_path / "whole").read_bytes() == b"B" * size + bytes(-size % 4) + b"ARCHIVE"
