# SPDX-License-Identifier: Apache-2.0
"""How many datagrams come, and how fast: the guest's program, built with sanitizers."""

from collections.abc import Iterator

import pytest
from workshop import Workshop, open_workshop

_CC = (
    *("gcc", "-std=c17", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-g", "-O1"),
    *("-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
    # Whoever runs tests may not have more than the system's limit.
    "-DSO_RCVBUFFORCE=SO_RCVBUF",
    "-I/firesteel/checkout/board/image/tools",
)
_TESTS = "/firesteel/checkout/tests/image/frames"


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    with open_workshop("count-frames", "board/image/tools", "tests/image") as opened:
        yield opened


def test_the_rate_is_that_of_the_datagrams_after_the_first_quarter(workshop: Workshop) -> None:
    program = "/firesteel/work/test-rate"
    source = f"{_TESTS}/test-rate.c"
    workshop.run("Building test-rate", *_CC, "-o", program, source, "-lm")
    workshop.run("Testing the rate", program)


def test_datagrams_count_that_come_from_the_port_which_is_asked_for(workshop: Workshop) -> None:
    program = "/firesteel/work/count-frames"
    source = "/firesteel/checkout/board/image/tools/count-frames.c"
    workshop.run("Building count-frames", *_CC, "-o", program, source)
    workshop.run("Counting datagrams", "python3", f"{_TESTS}/count.py", program)
