# SPDX-License-Identifier: Apache-2.0
"""Debian's armhf: 32-bit ARMv7 with a floating-point unit."""

from firesteel.architectures.architecture import Architecture, Kernel, Machine, Toolchain

ARMHF = Architecture(
    name="armhf",
    toolchain=Toolchain(
        triplet="arm-linux-gnueabihf",
        loader="ld-linux-armhf.so.3",
        meson_family="arm",
        meson_cpu="armv7",
    ),
    kernel=Kernel(source="arm", flavour="armmp", image="zImage"),
    machine=Machine(
        emulator="qemu-system-arm",
        # Without high memory, so that all of the machine is below 4 GiB.
        options="virt,highmem=off",
        cpus={"cortex-a7": "Cortex-A7", "cortex-a15": "Cortex-A15"},
        memory_start=0x40000000,
        most_memory_mib=3072,
        console="ttyAMA0",
    ),
)
