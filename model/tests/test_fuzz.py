# SPDX-License-Identifier: Apache-2.0
"""A minute of fuzzing, after all inputs that were kept: no input harms the model."""

from pathlib import Path

import pytest
from workshop import Workshop

SECONDS = 90
"""With the time for the inputs that were kept: about half a minute."""

_FUZZ = "/firesteel/checkout/model/fuzz"


@pytest.mark.thorough
def test_no_input_harms_the_model(workshop: Workshop) -> None:
    workshop.run("Building the fuzzer", f"{_FUZZ}/build.sh", "/firesteel/work/fuzz-window")
    seeds = workshop.work / "fuzz-seeds"
    for directory in (seeds, workshop.work / "fuzz-found"):
        directory.mkdir(exist_ok=True)
    workshop.run("Writing the fuzzer's seeds", "python3", f"{_FUZZ}/seeds.py", _inside(seeds))
    workshop.run(
        "Fuzzing the model",
        "/firesteel/work/fuzz-window",
        f"-max_total_time={SECONDS}",
        *("-timeout=20", "-rss_limit_mb=2048", "-max_len=4096", "-print_final_stats=1"),
        "-artifact_prefix=/firesteel/work/",
        *("/firesteel/work/fuzz-found", _inside(seeds), f"{_FUZZ}/corpus"),
    )


def _inside(path: Path) -> str:
    return f"/firesteel/work/{path.name}"
