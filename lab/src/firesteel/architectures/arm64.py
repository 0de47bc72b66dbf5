# SPDX-License-Identifier: Apache-2.0
"""Debian's arm64, for one board of the tests that runs in real time.

It is in no registry: no profile can name its CPUs, so nothing is ever measured on it.
"""

from firesteel.architectures.architecture import Kernel, Machine, Target, Toolchain

ARM64 = Target(
    name="arm64",
    toolchain=Toolchain(
        triplet="aarch64-linux-gnu",
        loader="ld-linux-aarch64.so.1",
        meson_family="aarch64",
        meson_cpu="armv8-a",
    ),
    kernel=Kernel(source="arm64", flavour="arm64", image="Image"),
    machine=Machine(
        emulator="qemu-system-aarch64",
        options="virt",
        non_coherent="dma-coherent=off",
        cpus={"cortex-a53": "Cortex-A53"},
        memory_start=0x40000000,
        most_memory_mib=4096,
        console="ttyAMA0",
    ),
)
