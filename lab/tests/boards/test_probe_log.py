# SPDX-License-Identifier: Apache-2.0
"""The probe log is read as the device writes it, and nothing else is taken for it."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from firesteel.boards.result import ProbeLogError, read_probe_log

PORT = {
    "tx_frames": 1,
    "tx_bytes": 2,
    "rx_frames": 3,
    "rx_bytes": 4,
    "rx_dropped": 5,
    "tx_dropped": 6,
    "tx_stalls": 7,
    "tx_sizes": [0, 1, 2, 3, 4, 5, 6, 7, 8],
    "rx_sizes": [8, 7, 6, 5, 4, 3, 2, 1, 0],
}
INSTANT = {
    "instructions": 20,
    "idle_ns": 3,
    "stalled_ns": 4,
    "user_ns": 5,
    "ports": {"eth0": PORT},
    "cores": {"crypto0": {"cm_jobs": 6, "pk_operations": 7}},
}
START: dict[str, Any] = {"kind": "start", "version": 2}
MARK: dict[str, Any] = {"kind": "mark", "name": "job-begin", "time_ns": 10, **INSTANT}
DATA: dict[str, Any] = {
    "kind": "data",
    "name": "ping-56",
    "time_ns": 11,
    "bytes": 5,
    "base64": base64.b64encode(b"a\0\xff\nz").decode(),
}
END: dict[str, Any] = {"kind": "end", "time_ns": 12, **INSTANT}


def write(tmp_path: Path, *records: dict[str, Any] | str) -> Path:
    path = tmp_path / "probe.jsonl"
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    path.write_text("".join(line + "\n" for line in lines))
    return path


def test_a_whole_log(tmp_path: Path) -> None:
    log = read_probe_log(write(tmp_path, START, MARK, DATA, END))
    assert log.ended
    assert [mark.name for mark in log.marks] == ["job-begin", "power-off"]
    mark = log.marks[0]
    assert (mark.time_ns, mark.instructions, mark.idle_ns) == (10, 20, 3)
    assert (mark.stalled_ns, mark.user_ns) == (4, 5)
    port = mark.ports["eth0"]
    assert (port.rx_dropped, port.tx_dropped, port.tx_stalls) == (5, 6, 7)
    assert mark.ports["eth0"].tx_sizes == (0, 1, 2, 3, 4, 5, 6, 7, 8)
    assert mark.cores == {"crypto0": {"cm_jobs": 6, "pk_operations": 7}}
    assert log.data == {"ping-56": b"a\0\xff\nz"}


def test_a_log_without_end_is_told_apart(tmp_path: Path) -> None:
    assert not read_probe_log(write(tmp_path, START, MARK)).ended


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([], "is empty"),
        ([MARK, END], "line 1: comes before the start record"),
        ([START, START], "line 2: is a second start record"),
        ([{**START, "version": 1}], "log version 1 is unknown; allowed is 2"),
        ([START, END, MARK], "line 3: comes after the end record"),
        ([START, DATA, MARK], "line 3: goes back in time, from 11 to 10 ns"),
        ([START, DATA, DATA], "line 3: data item `ping-56` comes twice"),
        ([START, {**DATA, "bytes": 6}], "data item `ping-56` has 5 bytes but says 6"),
        ([START, {**DATA, "base64": "@@@@"}], "data item `ping-56` is not base64"),
        ([START, "{]"], "line 2: record is"),
        ([START, {**MARK, "time_ns": "10"}], "line 2: mark.time_ns is"),
        ([START, {**MARK, "time_ns": -1}], "line 2: mark.time_ns is -1"),
        ([START, {key: MARK[key] for key in MARK if key != "user_ns"}], "line 2: mark.user_ns"),
        ([START, {**MARK, "cores": {"crypto0": {"cm_jobs": -1}}}], "cores.crypto0.cm_jobs is -1"),
        (
            [START, {**MARK, "ports": {"eth0": {**PORT, "tx_sizes": [1]}}}],
            "line 2: mark.ports.eth0.tx_sizes is",
        ),
    ],
)
def test_a_damaged_log_names_the_line(
    tmp_path: Path, records: list[dict[str, Any] | str], message: str
) -> None:
    with pytest.raises(ProbeLogError) as caught:
        read_probe_log(write(tmp_path, *records))
    assert message in str(caught.value)
    assert str(tmp_path / "probe.jsonl") in str(caught.value)


def test_a_log_that_is_cut_short(tmp_path: Path) -> None:
    path = write(tmp_path, START, MARK)
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(ProbeLogError, match="line 2: .* cut short"):
        read_probe_log(path)
