# SPDX-License-Identifier: Apache-2.0
"""Targets of direct calls, against encodings of GNU as (`bl .`, `blx .+8` and so on)."""

import pytest

from firesteel.profiling.calls import call_target

AT = 0x10000


@pytest.mark.parametrize(
    ("code", "thumb", "target"),
    [
        ("feffffeb", False, AT),  # bl .
        ("000000eb", False, AT + 8),
        ("ffffff0b", False, AT + 4),  # bleq .+4
        ("000000fa", False, AT + 8),  # blx .+8
        ("000000fb", False, AT + 10),  # blx .+10
        ("fff7feff", True, AT),  # bl .
        ("00f000f8", True, AT + 4),
        ("00f002e8", True, AT + 8),  # blx .+8
        ("fff7feef", True, AT),
    ],
)
def test_a_call_tells_its_target(code: str, thumb: bool, target: int) -> None:
    assert call_target(bytes.fromhex(code), AT, thumb) == target


@pytest.mark.parametrize(
    ("code", "thumb"),
    [
        ("000000ea", False),  # b
        ("33ff2fe1", False),  # blx r3
        ("00f000b8", True),  # b.w
        ("7047", True),  # bx lr, at a page's end
        ("00f001e8", True),  # blx to what is no word
    ],
)
def test_other_instructions_are_no_calls(code: str, thumb: bool) -> None:
    assert call_target(bytes.fromhex(code), AT, thumb) is None
