# SPDX-License-Identifier: Apache-2.0
"""What is told of a node's failure, in few lines."""

from pathlib import Path

from firesteel.board.profile import BOARD_FILES
from firesteel.board.run import KERNEL_PART, BoardFailure, Failure, Rank

_KERNEL = [KERNEL_PART, "[    0.000583] evm: security.ima"]


def told(*lines: str) -> list[str]:
    failure = Failure("peer", "its job reported a failure", Rank.CAUSE, "\n".join(lines) + "\n")
    return str(BoardFailure(failure, "", Path("/logs"))).split("\n")


def test_a_short_job_is_told_whole_and_without_the_kernel() -> None:
    head, line, *job = told("the job ended with status 1; its last lines:", "no such key", *_KERNEL)
    assert head == "Node `peer` failed: its job reported a failure. All logs are in /logs."
    assert line == "--- from its job ---"
    assert job == ["the job ended with status 1; its last lines:", "no such key"]


def test_a_fault_of_the_kernel_is_told() -> None:
    oops = "[    3.141592] Internal error: Oops: 17 [#1] SMP ARM"
    assert told("the job ended with status 1", *_KERNEL, oops)[-1] == oops


def test_the_image_divides_logs_as_they_are_read() -> None:
    assert f'echo "{KERNEL_PART}"' in (BOARD_FILES / "image/init").read_text()


def test_of_a_long_job_the_first_and_the_last_lines_are_told() -> None:
    job = ["the job ended with status 1; its last lines:", "timed out", *map(str, range(50))]
    shown = told(*job, *_KERNEL)[2:]
    assert shown == [*job[:2], "[32 more lines in its console]", *job[-18:]]
