# SPDX-License-Identifier: Apache-2.0
"""From counts to names, over a guest put together by hand."""

from collections import Counter
from pathlib import Path

import pytest
from tiny_elf import FUNCTION, TEXT, TinyElf
from tiny_guest import SYMBOLS, TinyGuest

from firesteel.architectures.armhf import ARMHF
from firesteel.base.errors import FiresteelError
from firesteel.boards.job import Job, JobFile, job_archive
from firesteel.profiling.counts import Context, Counts, Instruction, Interrupt
from firesteel.profiling.memory import Module, Symbol
from firesteel.profiling.programs import read_programs
from firesteel.profiling.symbols import (
    LAYERS,
    Frames,
    Guest,
    Namer,
    Spans,
    of_module,
    of_user_object,
)

USER = Context("openvpn", Interrupt.NONE, user=True)
SYSTEM = Context("openvpn", Interrupt.NONE, user=False)
SOFT = Context("openvpn", Interrupt.SOFT, user=False)
HARD = Context("openvpn", Interrupt.HARD, user=False)

CODE = bytearray(0x1000)
CODE[0x100:0x104] = bytes.fromhex("00f07ef8")  # bl .+0x100, in Thumb
"""A call from 0x100 to 0x200."""

PAGE_AT = 0x20000
"""Where in the memory the program's code lies."""


OTHER_AT = 0x30000


def names(directory: Path, *counted: tuple[Context, Instruction]) -> Counter[Frames]:
    elf = TinyElf(bytes(CODE), [("main", TEXT, 0x180, FUNCTION)]).build()
    programs = read_programs(ARMHF.code, job_archive(Job({"/usr/sbin/openvpn": JobFile(elf)})))
    programs.modules["tun"] = "kernel/drivers/net/tun.ko"
    guest = TinyGuest()
    guest.put(PAGE_AT, bytes(CODE))
    guest.put(OTHER_AT, b"code of no file")
    module = Module("tun", 0x900, 0x100, [Symbol(0x910, "t", "tun_get_user")])
    by_context: dict[Context, Counter[Instruction]] = {}
    for context, instruction in counted:
        by_context.setdefault(context, Counter())[instruction] += 1
    with guest.write(directory / "ram") as memory:
        known = Guest(ARMHF, memory, programs, SYMBOLS, [module])
        return Namer(known).name(Counts(by_context, len(counted), 0))


def in_program(offset: int) -> tuple[Context, Instruction]:
    return USER, Instruction(0xB6F00000 + offset, PAGE_AT + offset, 1)


def test_a_call_that_was_executed_tells_where_a_function_begins(tmp_path: Path) -> None:
    found = names(tmp_path, in_program(0x100), in_program(0x1F0), in_program(0x204))
    functions = {frames.function for frames in found}
    assert functions == {"main", f"@{TEXT + 0x180:#x}", f"@{TEXT + 0x200:#x}"}
    assert {(f.process, f.layer, f.object) for f in found} == {
        ("openvpn", "application", "openvpn")
    }


def test_code_of_no_known_file_is_counted_as_unknown(tmp_path: Path) -> None:
    other = (USER, Instruction(0xB6F00000, OTHER_AT, 1))
    nowhere = (USER, Instruction(0xB6F00000, None, 1))
    vectors = (USER, Instruction(0xFFFF0FE0, 0x1000, 0))
    found = names(tmp_path, other, nowhere, vectors)
    assert found[Frames("openvpn", "application", "[unknown]", "[unknown]")] == 2
    assert found[Frames("openvpn", "libc and other libraries", "[vectors]", "[unknown]")] == 1


def test_the_kernel_and_its_modules_have_their_functions(tmp_path: Path) -> None:
    def at(address: int) -> Instruction:
        return Instruction(address, None, 0)

    found = names(
        tmp_path,
        (SYSTEM, at(0x1004)),
        (SYSTEM, at(0x8FF)),
        (SYSTEM, at(0x905)),
        (SYSTEM, at(0x914)),
        (SOFT, at(0x6004)),
        (HARD, at(0x1004)),
        (HARD, at(0xFFFF1000)),
    )
    assert set(found) == {
        Frames("openvpn", "rest of the kernel", "kernel", "schedule"),
        Frames("openvpn", "rest of the kernel", "kernel", "[unknown]"),
        Frames("openvpn", "kernel network", "tun.ko", "[unknown]"),
        Frames("openvpn", "kernel network", "tun.ko", "tun_get_user"),
        Frames("[soft interrupts]", "kernel network", "kernel", "netdev_devres_match"),
        Frames("[interrupts]", "interrupt", "kernel", "schedule"),
        Frames("[interrupts]", "interrupt", "[vectors]", "[unknown]"),
    }


TOLD = b"GHASH for ARMv4/NEON, CRYPTOGAMS by <nobody>"


def test_assembler_is_told_with_whether_neon_ran(tmp_path: Path) -> None:
    """Its own words are the same for all of its variants."""
    code = bytearray(CODE)
    code[0x900:0x904] = bytes.fromhex("00ff5001")  # veor q0, q0, q0, in Thumb
    code[0x904:0x908] = bytes.fromhex("10f8010b")  # ldrb r0, [r0], #1
    code[0x940 : 0x940 + len(TOLD)] = TOLD

    def functions(name: str, *offsets: int) -> set[str]:
        elf = TinyElf(bytes(code), [("main", TEXT, 0x180, FUNCTION)]).build()
        programs = read_programs(
            ARMHF.code, job_archive(Job({"/usr/lib/libcrypto.so.3": JobFile(elf)}))
        )
        guest = TinyGuest()
        guest.put(PAGE_AT, bytes(code))
        counter = Counter(in_program(offset)[1] for offset in offsets)
        with guest.write(tmp_path / name) as memory:
            known = Guest(ARMHF, memory, programs, SYMBOLS, [])
            found = Namer(known).name(Counts({USER: counter}, len(offsets), 0))
        return {frames.function for frames in found}

    begin = f"@{TEXT + 0x180:#x}"
    assert functions("neon", 0x900, 0x904) == {f"{begin} (GHASH for ARMv4/NEON, with NEON)"}
    assert functions("scalar", 0x904) == {f"{begin} (GHASH for ARMv4/NEON, without NEON)"}


@pytest.mark.parametrize(
    ("path", "layer"),
    [
        ("/usr/sbin/openvpn", "application"),
        ("/usr/lib/arm-linux-gnueabihf/libcrypto.so.3", "libcrypto"),
        ("/usr/lib/arm-linux-gnueabihf/libc.so.6", "libc and other libraries"),
        ("/job/provider/firesteel.so", "provider"),
        ("/job/provider/libfiresteel.so.0", "libfiresteel"),
    ],
)
def test_user_space_goes_by_the_file(path: str, layer: str) -> None:
    assert of_user_object(path) == layer


@pytest.mark.parametrize(
    ("name", "path", "interrupt", "layer"),
    [
        ("firesteel", "firesteel.ko", Interrupt.HARD, "driver"),
        (
            "virtio_crypto",
            "kernel/drivers/crypto/virtio/virtio_crypto.ko",
            Interrupt.SOFT,
            "driver",
        ),
        ("aes_arm", "kernel/arch/arm/crypto/aes-arm.ko", Interrupt.SOFT, "kernel crypto"),
        ("dm_crypt", "kernel/drivers/md/dm-crypt.ko", Interrupt.NONE, "kernel crypto"),
        ("esp4", "kernel/net/ipv4/esp4.ko", Interrupt.SOFT, "kernel network"),
        (
            "e1000",
            "kernel/drivers/net/e1000/e1000.ko",
            Interrupt.SOFT,
            "kernel network",
        ),
        ("e1000", "kernel/drivers/net/e1000/e1000.ko", Interrupt.HARD, "interrupt"),
        ("cryptobench", "extra/cryptobench.ko", Interrupt.NONE, "application"),
        ("uio", "kernel/drivers/uio/uio.ko", Interrupt.NONE, "rest of the kernel"),
    ],
)
def test_modules_go_by_their_directory(
    name: str, path: str | None, interrupt: Interrupt, layer: str
) -> None:
    assert of_module(name, path, interrupt, ARMHF.kernel) == layer


@pytest.mark.parametrize(
    ("address", "function", "interrupt", "layer"),
    [
        (0x1010, "schedule", Interrupt.NONE, "rest of the kernel"),
        (0x1010, "schedule", Interrupt.HARD, "interrupt"),
        (0x1010, "__irq_svc", Interrupt.NONE, "interrupt"),
        (0x1010, "csum_partial", Interrupt.SOFT, "kernel network"),
        (0x1400, "nonseekable_open", Interrupt.NONE, "file system"),
        (0x1800, "sysvipc_proc_release", Interrupt.NONE, "rest of the kernel"),
        (0x2000, "crypto_shoot_alg", Interrupt.NONE, "kernel crypto"),
        (0x3000, "I_BDEV", Interrupt.NONE, "rest of the kernel"),
        (0x4100, "aes_encrypt", Interrupt.NONE, "kernel crypto"),
        (0x6FFF, "tcp_recvmsg", Interrupt.SOFT, "kernel network"),
        (0x6FFF, "tcp_recvmsg", Interrupt.HARD, "interrupt"),
    ],
)
def test_the_kernel_goes_by_spans_of_its_addresses(
    address: int, function: str | None, interrupt: Interrupt, layer: str
) -> None:
    assert Spans(SYMBOLS, ARMHF.code).layer(address, function, interrupt) == layer
    assert layer in LAYERS


def test_a_kernel_without_such_functions_is_refused() -> None:
    for missing in range(1, len(SYMBOLS)):
        with pytest.raises(FiresteelError, match="this kernel"):
            Spans(SYMBOLS[:missing] + SYMBOLS[missing + 1 :], ARMHF.code)
