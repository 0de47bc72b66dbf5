# SPDX-License-Identifier: Apache-2.0
"""Some seconds of fuzzing: whatever is called, we do what the default provider does.

The same inputs each time, so that a change alone can fail this test: what the default provider does
with nonsense has more surprises than a change should answer for. provider/README.md says how to
look for more.
"""

import pytest
from workshop import Workshop

pytestmark = pytest.mark.thorough

RUNS = 500_000


def test_no_parameters_part_us_from_the_default_provider(provider: Workshop) -> None:
    program = "/firesteel/work/fuzz-parameters"
    script = "/firesteel/checkout/provider/fuzz/build.sh"
    provider.run("Building the provider's fuzzer", script, program)
    provider.run(
        "Fuzzing the provider",
        program,
        *("-seed=1", f"-runs={RUNS}"),
        *("-timeout=20", "-rss_limit_mb=2048", "-max_len=2048", "-print_final_stats=1"),
        "-artifact_prefix=/firesteel/work/",
    )
