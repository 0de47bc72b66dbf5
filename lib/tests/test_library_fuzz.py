# SPDX-License-Identifier: Apache-2.0
"""Some seconds of fuzzing: no request harms the library."""

import pytest
from workshop import Workshop

pytestmark = pytest.mark.thorough

SECONDS = 20


def test_no_request_harms_the_library(library_workshop: Workshop) -> None:
    program = "/firesteel/work/fuzz-request"
    library_workshop.run("Building the fuzzer", "/firesteel/checkout/lib/fuzz/build.sh", program)
    (library_workshop.work / "fuzz-found").mkdir(exist_ok=True)
    library_workshop.run(
        "Fuzzing the library",
        program,
        f"-max_total_time={SECONDS}",
        *("-timeout=20", "-rss_limit_mb=2048", "-max_len=4096", "-print_final_stats=1"),
        "-artifact_prefix=/firesteel/work/",
        "/firesteel/work/fuzz-found",
    )
