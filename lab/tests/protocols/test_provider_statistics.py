# SPDX-License-Identifier: Apache-2.0
"""The provider's statistics: the file, and `firesteel provider` on made-up ones."""

import os
import re
import struct
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from made_statistics import NEVER, statistics_file
from made_statistics import Work as MadeWork
from typer.testing import CliRunner, Result

from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.cli import app
from firesteel.protocols.provider_statistics import (
    _ERRORS,
    Statistics,
    StatisticsError,
    Work,
    is_running,
)

ENDED = 2**22 + 1
"""No process has this number: the kernel's largest is 2^22."""

WORKS = (
    (b"cbc", 7, 7168, 3, 0, 0, 0, 0, 0, 0, 512),
    (b"gcm", 0, 0, 0, 0, 2, 0, 0, 5, -5, 128),
    (b"xts", 0, 0, 0, 0, 0, 0, 0, 0, 0, NEVER),
    (b"ecb", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    (b"rsa", 2, 512, 0, 6, 0, 4, 8, 0, 0, 0),
)


def make(
    path: Path,
    process: int,
    *,
    version: int = 4,
    reason: bytes = b"",
    works: Sequence[MadeWork] = WORKS,
) -> Path:
    """A file as the provider writes it."""
    path.write_bytes(statistics_file(works, process=process, version=version, reason=reason))
    return path


def status(monkeypatch: pytest.MonkeyPatch, directory: Path, *arguments: str) -> Result:
    monkeypatch.setenv("COLUMNS", "100")
    command = ["provider", "--directory", str(directory), *arguments]
    return CliRunner().invoke(app, command)


def test_a_file_is_read(tmp_path: Path) -> None:
    found = Statistics.read(make(tmp_path / "1", 4711))
    assert (found.process, found.device, found.reason) == (4711, "model", "")
    cbc, gcm, xts, ecb, rsa = found.works
    assert (cbc.name, cbc.hardware, cbc.hardware_bytes, cbc.software) == ("cbc", 7, 7168, 3)
    assert cbc.why == "3 below 512"
    assert re.fullmatch("2 not done by .*; 5 failed: .*unproven.*", gcm.why)
    assert xts.break_even is None
    assert "never faster" in xts.why
    assert (ecb.break_even, ecb.why) == (0, "")
    assert (rsa.software, rsa.chosen) == (18, 6)
    assert re.fullmatch("6 faster than .*; 4 with a secret.*; 8 while other .*", rsa.why)


def test_a_file_of_a_record_from_before_is_read(tmp_path: Path) -> None:
    header = struct.pack("=24sIIq64s256s", b"firesteel-statistics", 3, 1, 4711, b"model", b"")
    counters = struct.pack("=16sQQQQQQqQ", b"rsa", 1, 2, 3, 4, 5, 6, -5, 7)
    (tmp_path / "1").write_bytes(header + counters)
    rsa = Statistics.read(tmp_path / "1").works[0]
    assert rsa == Work("rsa", 1, 2, 3, 0, 4, 5, 0, 6, -5, 7)
    both = header + counters + statistics_file(WORKS)
    assert [len(each.works) for each in Statistics.all_of(both, "node")] == [1, len(WORKS)]


def test_errors_are_the_librarys() -> None:
    header = (CHECKOUT / "lib/include/firesteel/firesteel.h").read_text()
    numbers = re.findall(r"FIRESTEEL_ERROR_\w+ =\s*(-\d+),", header)
    assert {int(number) for number in numbers} == set(_ERRORS)
    header = (CHECKOUT / "provider/base/statistics.h").read_text()
    assert "#define FSP_STATISTICS_VERSION 4u\n" in header


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda _: b"", "is not a statistics file"),
        (lambda data: b"x" + data, "is not a statistics file"),
        (lambda data: data[:100], "is damaged: it ends after 100 bytes"),
        (lambda data: data[:-1], "is damaged: it has 839 bytes where 840 should be"),
        (lambda data: data + b"x", "is damaged: it has 841 bytes where 840 should be"),
        (lambda data: data[:28] + b"\xff\xff\xff\xff" + data[32:], "is damaged: it has 840 bytes"),
        (lambda data: data.replace(b"cbc\0", b"c\x1b[\0"), "a name in it is not text"),
        (lambda data: data.replace(b"model", b"m\xffdel"), "a name in it is not text"),
        (lambda data: data[:104] + b"x" * 256 + data[360:], "a name in it is not text"),
        (lambda data: data[:24] + b"\5\0\0\0" + data[28:], "a newer provider: its format is 5"),
        (lambda data: data[:24] + b"\1\0\0\0" + data[28:], "an older provider: its format is 1"),
    ],
)
def test_what_is_no_file_of_ours_is_told(
    tmp_path: Path, damage: Callable[[bytes], bytes], sentence: str
) -> None:
    path = make(tmp_path / "1", 1)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(StatisticsError, match=re.escape(sentence)) as error:
        Statistics.read(path)
    assert "\n" not in str(error.value)


def test_a_file_that_cannot_be_read_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(StatisticsError, match="No such file"):
        Statistics.read(tmp_path / "none")

    def refuse(*_: object) -> int:
        raise PermissionError

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(StatisticsError, match="no permission"):
        Statistics.read(tmp_path / "none")


def test_what_others_put_there_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "zeros").symlink_to("/dev/zero")
    with (tmp_path / "huge").open("wb") as file:
        file.write(b"firesteel-statistics\0")
        file.truncate(2**40)
    for path in tmp_path.iterdir():
        with pytest.raises(StatisticsError, match="not a statistics file"):
            Statistics.read(path)


def test_status_shows_what_runs_and_tells_what_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = make(tmp_path / "ours", os.getpid())
    ended = make(tmp_path / "ended", ENDED, reason=b"device: there is none")
    for name in ("other", "1234567", "of-123456"):
        (tmp_path / name).write_text("something")
    (tmp_path / "directory").mkdir()
    result = status(monkeypatch, tmp_path)
    assert result.exit_code == 0
    text = " ".join(result.stdout.split())
    assert f"{os.getpid()}" in text
    assert str(ENDED) not in text
    assert "cbc 7 7 3 3 below 512" in text
    assert "switched off: xts" in text
    assert "ecb" not in text
    remarks = result.stderr.splitlines()
    assert len(remarks) == 4
    assert f"process {ENDED} has ended" in remarks[-1]
    result = status(monkeypatch, tmp_path, str(ENDED))
    assert "device: there is none" in result.stdout
    assert str(os.getpid()) not in result.stdout
    assert result.stderr.splitlines() == [f"firesteel: Process {ENDED} has ended."]
    (remark,) = status(monkeypatch, tmp_path, "123456").stderr.splitlines()
    assert str(tmp_path / "of-123456") in remark, "of no other process's files"
    ended.unlink()
    os.utime(ours, (1, 1))
    assert not is_running(os.getpid(), ours), "another process of the same number is not it"


@pytest.mark.parametrize("arguments", [(), ("123456",)])
def test_nothing_to_show_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    for directory in (tmp_path, tmp_path / "none"):
        result = status(monkeypatch, directory, *arguments)
        assert isinstance(result.exception, FiresteelError)
        assert f"in {directory}" in str(result.exception)
        assert result.stdout == ""
    if not arguments:
        make(tmp_path / "1", os.getpid(), works=[(b"cbc", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)])
        assert "no requests yet" in status(monkeypatch, tmp_path).stdout
