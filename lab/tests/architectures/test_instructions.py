# SPDX-License-Identifier: Apache-2.0
"""Direct calls and vector instructions, against encodings of GNU as (`bl .` and so on)."""

import random
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from firesteel.architectures.arm64 import ARM64
from firesteel.architectures.armhf import ARMHF

AT = 0x10000
ARM, THUMB = 0, 1
call_target = ARMHF.code.instructions.call_target


@pytest.mark.parametrize(
    ("code", "mode", "target"),
    [
        ("feffffeb", ARM, AT),  # bl .
        ("000000eb", ARM, AT + 8),
        ("ffffff0b", ARM, AT + 4),  # bleq .+4
        ("000000fa", ARM, AT + 8),  # blx .+8
        ("000000fb", ARM, AT + 10),  # blx .+10
        ("fff7feff", THUMB, AT),  # bl .
        ("00f000f8", THUMB, AT + 4),
        ("00f002e8", THUMB, AT + 8),  # blx .+8
        ("fff7feef", THUMB, AT),
    ],
)
def test_a_call_tells_its_target(code: str, mode: int, target: int) -> None:
    assert call_target(bytes.fromhex(code), AT, mode) == target


@pytest.mark.parametrize(
    ("code", "mode"),
    [
        ("000000ea", ARM),  # b
        ("33ff2fe1", ARM),  # blx r3
        ("00f000b8", THUMB),  # b.w
        ("7047", THUMB),  # bx lr, at a page's end
        ("00f001e8", THUMB),  # blx to what is no word
    ],
)
def test_other_instructions_are_no_calls(code: str, mode: int) -> None:
    assert call_target(bytes.fromhex(code), AT, mode) is None


@pytest.fixture
def impatient_threads() -> Iterator[None]:
    """Threads that take turns all the time."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("impatient_threads")
def test_threads_do_not_spoil_each_others_decoding() -> None:
    # Without the lock four threads got about one wrong answer in 100,000.
    some = random.Random(1)
    codes = [(some.randbytes(4), some.choice((ARM, THUMB))) for _ in range(6000)]
    targets = [call_target(code, AT, mode) for code, mode in codes]

    def again(seed: int) -> bool:
        order = random.Random(seed).choices(range(len(codes)), k=40_000)
        return all(call_target(codes[at][0], AT, codes[at][1]) == targets[at] for at in order)

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(again, range(4)))


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


@pytest.mark.parametrize(
    ("code", "target", "vector"),
    [
        pytest.param("00000094", AT, False, id="bl ."),
        pytest.param("ffffff97", AT - 4, False, id="bl .-4"),
        pytest.param("00000014", None, False, id="b ."),
        pytest.param("20003fd6", None, False, id="blr x1"),
        pytest.param("20048052", None, False, id="mov w0, #33"),
        pytest.param("200c40f9", None, False, id="ldr x0, [x1, #24]"),
        pytest.param("201c201e", None, False, id="fcsel s0, s1, s0, ne"),
        pytest.param("2028601e", None, False, id="fadd d0, d1, d0"),
        pytest.param("2048284e", None, True, id="aese v0.16b, v1.16b"),
        pytest.param("20e0e04e", None, True, id="pmull2 v0.1q, v1.2d, v0.2d"),
        pytest.param("2040005e", None, True, id="sha256h q0, q1, v0.4s"),
        pytest.param("2084a04e", None, True, id="add v0.4s, v1.4s, v0.4s"),
        pytest.param("2070404c", None, True, id="ld1 {v0.16b}, [x1]"),
        pytest.param("2000c03d", None, True, id="ldr q0, [x1]"),
        pytest.param("94", None, False, id="cut off"),
    ],
)
def test_instructions_of_64_bits(code: str, target: int | None, vector: bool) -> None:
    own = ARM64.code.instructions
    assert own.call_target(bytes.fromhex(code), AT, 0) == target
    assert own.is_vector(bytes.fromhex(code), 0) is vector
    assert own.width(bytes.fromhex(code), 0) == 4
