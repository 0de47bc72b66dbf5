# SPDX-License-Identifier: Apache-2.0
"""Some seconds of fuzzing: whatever is called, we do what the default provider does."""

from provider_workshop import ProviderWorkshop

SECONDS = 20


def test_no_parameters_part_us_from_the_default_provider(provider: ProviderWorkshop) -> None:
    program = "/firesteel/work/fuzz-parameters"
    script = "/firesteel/checkout/provider/fuzz/build.sh"
    provider.run("Building the provider's fuzzer", script, program)
    (provider.work / "fuzz-found").mkdir(exist_ok=True)
    provider.run(
        "Fuzzing the provider",
        program,
        f"-max_total_time={SECONDS}",
        *("-timeout=20", "-rss_limit_mb=2048", "-max_len=2048", "-print_final_stats=1"),
        "-artifact_prefix=/firesteel/work/",
        "/firesteel/work/fuzz-found",
    )
