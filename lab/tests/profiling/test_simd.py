# SPDX-License-Identifier: Apache-2.0
"""NEON's instructions are told from all others; encodings as an assembler gives them."""

import pytest

from firesteel.profiling.simd import is_simd


@pytest.mark.parametrize(
    ("code", "thumb", "expected"),
    [
        pytest.param("1dee700f", True, False, id="mrc p15, 0, r0, c13, c0, 3"),
        pytest.param("00ff5001", True, True, id="veor q0, q0, q0"),
        pytest.param("b0ef0401", True, True, id="vext.8 d0, d0, d4, #1"),
        pytest.param("22f9cf6a", True, True, id="vld1.32 {d6-d7}, [r2]"),
        pytest.param("10f8010b", True, False, id="ldrb r0, [r0], #1"),
        pytest.param("2de9f04f", True, False, id="push {r4-r11, lr}"),
        pytest.param("500100f3", False, True, id="veor q0, q0, q0 in ARM"),
        pytest.param("cf6a22f4", False, True, id="vld1.32 {d6-d7}, [r2] in ARM"),
        pytest.param("000050e1", False, False, id="cmp r0, r0 in ARM"),
        pytest.param("feffffeb", False, False, id="bl in ARM"),
        pytest.param("ff", True, False, id="cut off"),
    ],
)
def test_neon_is_told_by_its_encoding(code: str, thumb: bool, expected: bool) -> None:
    assert is_simd(bytes.fromhex(code), thumb) is expected
