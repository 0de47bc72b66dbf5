# SPDX-License-Identifier: Apache-2.0
"""The tests of registers once more, on the device inside QEMU."""

from workshop import Workshop

from firesteel.build.products import Products

_PLACE = "/firesteel/qemu-system-arm"


def test_registers_do_the_same_inside_qemu(model: Workshop) -> None:
    programs = sorted((model.work / "checked/model/tests").glob("qtest-*"))
    programs = [program for program in programs if program.is_file()]
    assert len(programs) >= 4
    readable = {_PLACE: Products().emulator()}
    for program in programs:
        inside = f"/firesteel/work/checked/model/tests/{program.name}"
        command = ("env", f"SILEX_QEMU={_PLACE}", "timeout", "300", inside)
        model.run(f"Running {program.name}", *command, readable=readable)
