# SPDX-License-Identifier: Apache-2.0
"""What belongs to which layer."""

import pytest
from tiny_guest import SYMBOLS

from firesteel.architectures.armhf import ARMHF
from firesteel.base.errors import FiresteelError
from firesteel.profiling.counts import Interrupt
from firesteel.profiling.symbols import LAYERS, Spans, of_module, of_user_object

NONE, SOFT, HARD = Interrupt.NONE, Interrupt.SOFT, Interrupt.HARD


@pytest.mark.parametrize(
    ("path", "layer"),
    [
        ("/usr/sbin/openvpn", "application"),
        ("/usr/lib/arm-linux-gnueabihf/libcrypto.so.3", "libcrypto"),
        ("/usr/lib/arm-linux-gnueabihf/libssl.so.3", "libc and other libraries"),
        ("/usr/lib/arm-linux-gnueabihf/libc.so.6", "libc and other libraries"),
        ("[vdso]", "libc and other libraries"),
        ("/job/provider/firesteel.so", "provider"),
        ("/job/provider/libfiresteel.so.0", "libfiresteel"),
    ],
)
def test_user_space_goes_by_the_file(path: str, layer: str) -> None:
    assert of_user_object(path) == layer


@pytest.mark.parametrize(
    ("name", "path", "interrupt", "layer"),
    [
        ("firesteel", "firesteel.ko", NONE, "driver"),
        ("firesteel", "firesteel.ko", HARD, "driver"),
        ("virtio_crypto", "kernel/drivers/crypto/virtio/virtio_crypto.ko", SOFT, "driver"),
        ("aes_arm", "kernel/arch/arm/crypto/aes-arm.ko", SOFT, "kernel crypto"),
        ("authenc", "kernel/crypto/authenc.ko", NONE, "kernel crypto"),
        ("dm_crypt", "kernel/drivers/md/dm-crypt.ko", NONE, "kernel crypto"),
        ("esp4", "kernel/net/ipv4/esp4.ko", SOFT, "kernel network"),
        ("e1000", "kernel/drivers/net/ethernet/intel/e1000/e1000.ko", SOFT, "kernel network"),
        ("e1000", "kernel/drivers/net/ethernet/intel/e1000/e1000.ko", HARD, "interrupt"),
        ("cryptobench", "extra/cryptobench.ko", NONE, "application"),
        ("uio", "kernel/drivers/uio/uio.ko", NONE, "rest of the kernel"),
        ("unheard_of", None, NONE, "rest of the kernel"),
    ],
)
def test_modules_go_by_their_directory(
    name: str, path: str | None, interrupt: Interrupt, layer: str
) -> None:
    assert of_module(name, path, interrupt, ARMHF.kernel) == layer


@pytest.mark.parametrize(
    ("address", "function", "interrupt", "layer"),
    [
        (0x1010, "schedule", NONE, "rest of the kernel"),
        (0x1010, "schedule", HARD, "interrupt"),
        (0x1010, "__irq_svc", NONE, "interrupt"),
        (0x1010, "csum_partial", SOFT, "kernel network"),
        (0x1400, "nonseekable_open", NONE, "file system"),
        (0x17FF, "vfs_read", SOFT, "file system"),
        (0x1800, "sysvipc_proc_release", NONE, "rest of the kernel"),
        (0x1010, "shmem_file_read_iter", NONE, "file system"),
        (0x1010, "filemap_read", HARD, "interrupt"),
        (0x1FFF, None, NONE, "rest of the kernel"),
        (0x2000, "crypto_shoot_alg", NONE, "kernel crypto"),
        (0x2FFF, "pkcs7_verify", SOFT, "kernel crypto"),
        (0x3000, "I_BDEV", NONE, "rest of the kernel"),
        (0x4100, "aes_encrypt", NONE, "kernel crypto"),
        (0x5000, "mpihelp_lshift", NONE, "rest of the kernel"),
        (0x6FFF, "tcp_recvmsg", SOFT, "kernel network"),
        (0x6FFF, "tcp_recvmsg", HARD, "interrupt"),
        (0x7000, "__ashldi3", NONE, "rest of the kernel"),
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
