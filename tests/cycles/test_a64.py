# SPDX-License-Identifier: Apache-2.0
"""What the cost model takes instructions of 64-bit ARM for: class, and the registers through which
one waits for another.

The table `arm/a64.txt` has words and what is right.  A large random sample is compared with what
Capstone decodes the same words to.  The emulator's own source, compiled for the host, classifies.
"""

import random
import re
import struct
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import capstone
import pytest
from workshop import Workshop, open_workshop

from firesteel.boards.profile import INSTRUCTIONS, INSTRUCTIONS_64

TABLE = Path(__file__).parent / "arm" / "a64.txt"

SAMPLE = 200_000

RESERVED = range(4)
"""Bits 28 to 25 of what is reserved or of later architectures."""

LATER = re.compile(r"cas|swp|sm[34]|sha512|bcax|eor3|rax|xar|bf(dot|ml|mm)|sqrdml")
"""How mnemonics of later architectures begin."""

FAMILIES: Sequence[tuple[str, str]] = (
    (r"b(\.\w+)?|cbn?z|tbn?z", "branch"),
    (r"bl", "call"),
    (r"svc|hvc|smc", "supervisor-call"),
    (r"[us]div", "divide"),
    (r"[us]mulh", "multiply-high"),
    (r"[us]m(add|sub|neg)l", "multiply"),
    (r"madd|msub|mneg", "multiply(-long)?"),
    (
        r"(adc|sbc)s?|c(sel|sinc|sinv|sneg|cmp|cmn|inc|inv)|extr|movk|adrp?|rmif|[us]bfi?[zx]|bf\w+",
        "integer",
    ),
    (r"adds|subs|cmp|cmn|eon|tst|negs|ands|bics", "integer|shifted-operand"),
    (r"asr|lsl|lsr|ror", "integer|register-shift"),
    (
        r"ldr(s?[bhw])|ldur(s?[bhw])|ldtr\w*|ldax?r[bh]?|ldx?ar[bh]?|prfu?m|ld(add|clr|eor|set)\w*",
        "load",
    ),
    (r"st[ut]r[bh]|strb|strh|sttr|stlx?r[bh]|stxr[bh]?|stlur\w*", "store"),
    (r"ldpsw|lda?xp", "load-multiple"),
    (r"stl?xp", "store-multiple"),
    (r"ldn?p", "load-multiple|neon-load"),
    (r"stn?p", "store-multiple|neon-store"),
    (r"ldr|ldur", "load|neon-load"),
    (r"str|stur", "store|neon-store"),
    (r"ld[1-4]r?", "neon-load"),
    (r"st[1-4]", "neon-store"),
    (r"aes(e|d|mc|imc)", "aes"),
    (r"sha1[cmp]|sha256h2?", "sha-hash"),
    (r"sha1h|sha1su[01]|sha256su[01]", "sha-schedule"),
    (r"pmull2?", "polynomial-multiply|neon-multiply-quad"),
    (r"(zip|uzp|trn)[12]|ext|tb[lx]|rev(16|32|64)", "neon-permute"),
    (r"[us]q?r?shlu?|[us]r?shr|[us]r?sra|sli|sri|[us]?q?r?shru?n2?|[us]?shll2?", "neon-shift"),
    (r"[us](add|sub|aba|abd)[lw]2?|r?(add|sub)hn2?", "neon-quad"),
    (r"[us]mull", "multiply|neon-multiply-quad"),
    (r"[us]q?(d?mull|d?ml[as]l)2?", "neon-multiply-quad"),
    (r"ml[as]|pmul|sqr?dmulh|fml[as]|fmulx|fabd|facg[et]|f(recp|rsqrt)s", "neon-multiply"),
    (
        r"cm(hi|hs|tst)|bi[tf]|bsl|[us](max|min)p?|[us]r?h(add|sub)|[us]ab[ad]|mvni|cnt",
        "neon-(double|quad)",
    ),
    (r"[us]mov", "neon-core-move"),
    (r"fccmpe?|fcsel|fn?m(add|sub)|fnmul", "float"),
    (r"mrs|sysl", "system-read"),
    (r"msr", "system-write"),
)
"""By Capstone's mnemonic: how the class begins."""

ROW_WORDS = {
    "nop": 0xD503201F,
    "ldr x0, [x1]": 0xF9400020,
    "ldr x3, [x1]": 0xF9400023,
    "ldr x3, [x0]": 0xF9400003,
    "add x0, x0, x2": 0x8B020000,
    "add x0, x1, x2": 0x8B020020,
    "ubfx x3, x0, #8, #8": 0xD3483C03,
    "mov x0, #1": 0xD2800020,
    "movk x0, #1, lsl #16": 0xF2A00020,
    "lsr x0, x1, #8": 0xD348FC20,
    "aese": 0x4E284A00,
    "aesmc": 0x4E286800,
    "b": 0x14000400,
}
"""Instructions of rows; those of AES read v0 and write it."""

ROWS: Sequence[tuple[Sequence[str], Sequence[str]]] = (
    (["ldr x0, [x1]", "add x0, x0, x2"], ["load+3xwait-load", "integer"]),
    (["ldr x0, [x1]", "nop", "add x0, x0, x2"], ["load+2xwait-load", "integer", "integer"]),
    (["ldr x0, [x1]", "ldr x3, [x1]", "add x0, x0, x2"], ["load+wait-load", "load", "integer"]),
    (["add x0, x1, x2", "ldr x3, [x0]"], ["integer+5xwait-address", "load"]),
    (["add x0, x1, x2", "ubfx x3, x0, #8, #8"], ["integer+3xwait-integer", "integer"]),
    (["mov x0, #1", "movk x0, #1, lsl #16"], ["integer", "integer"]),
    (["lsr x0, x1, #8", "ldr x3, [x0]"], ["integer+3xwait-address", "load"]),
    (["aese", "aesmc", "aese"], ["aes", "aes+3xwait-aes", "aes"]),
    (["aesmc", "aese", "aesmc"], ["aes+3xwait-aes", "aes", "aes"]),
    (["ldr x0, [x1]", "b"], ["load", "branch"]),
)
"""Rows of instructions, and what each costs; the first of two that wait for one moment has all."""

WIDTH = re.compile(r"v\d+\.(\d+[bsd]), v\d+\.\1\b")
"""Of a result and a source that are alike."""

QUAD = ("16b", "4s", "2d")


def word_classes(workshop: Workshop, words: Iterable[int], form: str = "a64") -> list[str]:
    """What the program says of each word, each by itself or as a row (`a64-row`)."""
    code = b"".join(struct.pack("<I", word) for word in words)
    (workshop.work / f"{form}.bin").write_bytes(code)
    program = "/firesteel/checkout/tests/cycles/arm/classify.sh"
    workshop.run("Classifying 64-bit instructions", "sh", program, form)
    return (workshop.work / f"{form}.text").read_text().splitlines()


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    with open_workshop("cycles", "board/qemu/devices", "tests/cycles") as opened:
        yield opened


@pytest.fixture(scope="module")
def decoder() -> Any:
    found = capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM)
    found.detail = True
    return found


def table() -> list[list[str]]:
    lines = TABLE.read_text().splitlines()
    return [line.split(" | ") for line in lines if line and not line.startswith("#")]


def decoded(decoder: Any, word: int) -> Any:
    return next(decoder.disasm(struct.pack("<I", word), 0), None)


def test_instructions_are_what_the_table_says(workshop: Workshop, decoder: Any) -> None:
    rows = table()
    words = [int(word, 16) for word, *_ in rows]
    for word, row in zip(words, rows, strict=True):
        found = decoded(decoder, word)
        assert f"{found.mnemonic} {found.op_str}".strip() == row[1]
    found = word_classes(workshop, words)
    wrong = [
        f"{assembly}: {is_now}, but it is {' '.join(told)}"
        for (_, assembly, *told), is_now in zip(rows, found, strict=True)
        if is_now != " ".join(told)
    ]
    assert not wrong, "\n".join(wrong)


def test_what_a_later_instruction_waits_for_costs(workshop: Workshop) -> None:
    words = [ROW_WORDS[each] for row, _ in ROWS for each in (*row, "b")]
    told = [each for _, costs in ROWS for each in (*costs, "branch")]
    assert word_classes(workshop, words, "a64-row") == told


def test_every_class_of_64_bit_code_is_in_the_table() -> None:
    parts = {part for row in table() for part in row[2].split("+")}
    classes = {part.partition("x")[2] if part[0].isdigit() else part for part in parts}
    known = {*INSTRUCTIONS, *INSTRUCTIONS_64}
    assert classes == {
        name for name in known if not name.startswith(("dependent-", "wait-", "unpaired-"))
    }


def is_right(decoded: Any, name: str) -> bool | None:
    """Whether a class goes with what Capstone says; None where that says nothing."""
    allowed = next(
        (classes for pattern, classes in FAMILIES if re.fullmatch(pattern, decoded.mnemonic)), None
    )
    if allowed is None:
        return None
    widths = WIDTH.match(decoded.op_str)
    sized = re.search("-(double|quad)$", name)
    if widths and sized and (sized[1] == "quad") != (widths[1] in QUAD):
        return False
    groups = {decoded.group_name(each) for each in decoded.groups}
    is_crypto = name in ("aes", "sha-hash", "sha-schedule", "polynomial-multiply")
    return re.match(f"({allowed})", name) is not None and ("crypto" in groups or not is_crypto)


def test_a_random_sample_is_what_capstone_says(workshop: Workshop, decoder: Any) -> None:
    chance = random.Random(64)
    words = [chance.getrandbits(32) for _ in range(SAMPLE)]
    words = [word for word in words if word >> 25 & 0xF not in RESERVED]
    known, wrong = set[str](), []
    for word, told in zip(words, word_classes(workshop, words), strict=True):
        found, name = decoded(decoder, word), told.split(" ")[0].split("+")[0]
        if found is None or LATER.match(found.mnemonic):
            continue
        right = is_right(found, name)
        if right is not None:
            known.add(found.mnemonic)
        if right is False:
            wrong.append(f"{word:08x} {found.mnemonic} {found.op_str}: {name}")
    assert not wrong, "\n".join(wrong[:40])
    assert len(known) > 200
