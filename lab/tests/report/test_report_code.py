# SPDX-License-Identifier: Apache-2.0
"""The report tells which code for cryptography ran, from profiles and from nothing else."""

from firesteel.profiling.document import Profile, Stack
from firesteel.report.code import code_sheet, code_that_ran


def profile(implementation: str, *stacks: tuple[str, str, str, int]) -> Profile:
    return Profile(
        cell=f"ipsec aes-256-gcm:gcm {implementation}",
        key="k",
        implementation=implementation,
        node="board",
        window="transfer",
        instructions=sum(stack[3] for stack in stacks),
        stacks=tuple(
            Stack(frames=("p", layer, place, function), instructions=count)
            for layer, place, function, count in stacks
        ),
    )


SOFTWARE = profile(
    "software",
    ("kernel crypto", "ghash_arm_ce.ko", "pmull_ghash_update_p8", 300),
    ("kernel crypto", "kernel", "crypto_xor", 5),
    ("libcrypto", "libcrypto.so.3", "@0x10 (GHASH for ARMv4/NEON, without NEON)", 100),
    ("libcrypto", "libcrypto.so.3", "@0x99", 95),
    ("kernel network", "kernel", "tcp_sendmsg", 500),
)
HARDWARE = profile(
    "hardware", ("driver", "firesteel.ko", "start", 40), ("application", "a", "b", 60)
)


def test_only_cryptography_that_has_a_name_and_a_part_is_told() -> None:
    told = [(code.implementation, code.function, code.share) for code in code_that_ran([SOFTWARE])]
    assert told == [
        ("software", "pmull_ghash_update_p8", 0.3),
        ("software", "@0x10 (GHASH for ARMv4/NEON, without NEON)", 0.1),
    ]


def test_the_sheet_has_a_row_for_each() -> None:
    sheet = code_sheet([SOFTWARE, HARDWARE])
    assert sheet is not None
    assert sheet.rows[0][:3] == ["ipsec aes-256-gcm:gcm", "software", "ghash_arm_ce.ko"]
    assert sheet.rows[-1][1:] == ["hardware", "firesteel.ko", "start", "40.0 %"]
    assert code_sheet([]) is None
