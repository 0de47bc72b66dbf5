# SPDX-License-Identifier: Apache-2.0
"""NEON's instructions are told from all others; encodings as an assembler gives them."""

import pytest

from firesteel.architectures.armhf import ARMHF

ARM, THUMB = 0, 1


@pytest.mark.parametrize(
    ("code", "mode", "expected"),
    [
        pytest.param("1dee700f", THUMB, False, id="mrc p15, 0, r0, c13, c0, 3"),
        pytest.param("00ff5001", THUMB, True, id="veor q0, q0, q0"),
        pytest.param("b0ef0401", THUMB, True, id="vext.8 d0, d0, d4, #1"),
        pytest.param("22f9cf6a", THUMB, True, id="vld1.32 {d6-d7}, [r2]"),
        pytest.param("10f8010b", THUMB, False, id="ldrb r0, [r0], #1"),
        pytest.param("2de9f04f", THUMB, False, id="push {r4-r11, lr}"),
        pytest.param("500100f3", ARM, True, id="veor q0, q0, q0 in ARM"),
        pytest.param("cf6a22f4", ARM, True, id="vld1.32 {d6-d7}, [r2] in ARM"),
        pytest.param("000050e1", ARM, False, id="cmp r0, r0 in ARM"),
        pytest.param("feffffeb", ARM, False, id="bl in ARM"),
        pytest.param("ff", THUMB, False, id="cut off"),
    ],
)
def test_neon_is_told_by_its_encoding(code: str, mode: int, expected: bool) -> None:
    assert ARMHF.code.instructions.is_vector(bytes.fromhex(code), mode) is expected
