# SPDX-License-Identifier: Apache-2.0
"""What operations take: the guest's program says it of this machine, built with sanitizers and
as it is for the guest.
"""

from collections.abc import Iterator

import pytest
from workshop import Workshop, open_workshop

_CC = ("gcc", "-std=c17", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-g")
_SANITIZERS = ("-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
_SOURCE = "/firesteel/checkout/board/image/tools/microbench.c"
_CHECK = "/firesteel/checkout/tests/image/microbench/check.py"


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    with open_workshop("microbench", "board/image/tools", "tests/image") as opened:
        yield opened


@pytest.mark.parametrize("options", [_SANITIZERS, ("-O2",)], ids=["sanitizers", "optimized"])
def test_every_operation_is_measured(workshop: Workshop, options: tuple[str, ...]) -> None:
    program = "/firesteel/work/microbench"
    workshop.run("Building microbench", *_CC, *options, "-o", program, _SOURCE)
    workshop.run("Measuring all operations", "python3", _CHECK, program)
