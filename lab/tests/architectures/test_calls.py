# SPDX-License-Identifier: Apache-2.0
"""Targets of direct calls, against encodings of GNU as (`bl .`, `blx .+8` and so on)."""

import pytest

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
