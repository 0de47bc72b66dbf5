# SPDX-License-Identifier: Apache-2.0
"""Encrypted files: keys, contents on the disk, what a job is given, what is refused."""

import hashlib
import hmac
from pathlib import Path

import pytest
from workloads.recorded_runs import board_run
from workloads.sites import jobs_of, settings

from firesteel.base.errors import FiresteelError
from firesteel.boards.result import NodeResult
from firesteel.model.cell import Cell
from firesteel.protocols.disk import FSCRYPT, encrypted, file_key
from firesteel.protocols.disk_cipher import xts
from firesteel.protocols.window import CellFailure
from firesteel.run.experiment.experiment import load_experiment
from firesteel.workloads.disk import SAMPLE

PLAIN, FILE = load_experiment("disk-files").cells(quick=True)

MASTER, NONCE = bytes(range(64)), bytes(range(16))


def node_with(cell: Cell, raw: bytes, nonce: str) -> NodeResult:
    board = board_run("disk/board.jsonl", "socrates-hash").nodes["board"]
    data = {"raw-4096": raw, "nonce-4096": f"{nonce}\n".encode()}
    return NodeResult(cell.measured, board.marks, data, "", board.profile)


def test_a_files_key_follows_from_master_key_and_nonce() -> None:
    """RFC 5869 by hand: one block of HMAC-SHA-512 is the whole key."""
    secret = hmac.digest(bytes(hashlib.sha512().digest_size), MASTER, "sha512")
    info = b"fscrypt\0\x02" + NONCE + b"\x01"
    assert file_key(MASTER, NONCE) == hmac.digest(secret, info, "sha512")
    assert file_key(MASTER, bytes(16)) != file_key(MASTER, NONCE)


def test_data_units_are_numbered_one_by_one() -> None:
    key = file_key(MASTER, NONCE)
    second = xts(key, (1).to_bytes(16, "little"), SAMPLE[4096:])
    assert encrypted(key, SAMPLE, 4096)[4096:] == second


def test_a_job_has_the_key_of_its_seed_and_no_direct_io() -> None:
    files = jobs_of(FILE)["board"].files
    other = jobs_of(FILE.model_copy(update={"seed": 2}))["board"].files
    assert len(files["/job/key"].content) == 64
    assert files["/job/key"] != other["/job/key"]
    assert [settings(cell)["ENCRYPTED"] for cell in (FILE, PLAIN)] == ["1", ""]
    assert b"--sync=dsync" in files["/job/disk.sh"].content


def test_what_lies_on_the_disk_is_checked() -> None:
    right = encrypted(file_key(FSCRYPT.master_key(FILE), NONCE), SAMPLE, 4096)
    nonce = NONCE.hex()
    for cell, raw, shown, found in (
        (FILE, right, nonce, True),
        (FILE, right, bytes(16).hex(), False),
        (FILE, SAMPLE, nonce, False),
        (PLAIN, SAMPLE, "", True),
        (PLAIN, SAMPLE, nonce, False),
        (PLAIN, right, "", False),
    ):
        node = node_with(cell, raw, shown)
        assert FSCRYPT.has_encrypted(cell, node, SAMPLE, 4096) == found
    for damaged in ("00", "zz" * 16):
        with pytest.raises(CellFailure, match="is no nonce of a file"):
            FSCRYPT.has_encrypted(FILE, node_with(FILE, SAMPLE, damaged), SAMPLE, 4096)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("sector_sizes = 4096", "", "has no sectors of 512 bytes; allowed are 4096"),
        ("sector_sizes = 4096", "sector_sizes = 4096\ndepths = [1, 8]", "no 8 I/Os in flight; al"),
        ("software", "hardware", "is not measured with|is measured with"),
    ],
)
def test_what_files_do_not_have_is_told(tmp_path: Path, old: str, new: str, said: str) -> None:
    text = """
title = "x"
topology = "one-board"
measured = "board"

[[configurations]]
protocol = "fscrypt"
suite = "aes-256-xts:none"
implementation = "software"

[disk]
size = "1 MiB"
block_sizes = "4 KiB"
sector_sizes = 4096
patterns = "random-read"
"""
    path = tmp_path / "x.toml"
    path.write_text(text.replace(old, new))
    with pytest.raises(FiresteelError, match=said):
        load_experiment(str(path))
