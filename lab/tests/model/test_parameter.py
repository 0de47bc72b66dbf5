# SPDX-License-Identifier: Apache-2.0
"""Parameters in numbers."""

import pytest

from firesteel.model.parameter import Parameter, parameter_of


@pytest.mark.parametrize(
    ("experiment", "text", "expected"),
    [
        ("ping", "56 B", Parameter(size_bytes=56)),
        ("file-transfer", "128 MiB", Parameter(size_bytes=128 << 20)),
        ("kernel-crypto", "64 B", Parameter(size_bytes=64, in_flight=1)),
        ("kernel-crypto", "64 B, 16 in flight", Parameter(size_bytes=64, in_flight=16)),
        ("openssl-speed", "16384 B", Parameter(size_bytes=16384)),
        (
            "disk-random-read",
            "4 KiB, sector 512 B, depth 32",
            Parameter(size_bytes=4096, in_flight=32, sector_bytes=512),
        ),
        (
            "disk-random-read",
            "4 KiB, sector 4096 B",
            Parameter(size_bytes=4096, in_flight=1, sector_bytes=4096),
        ),
        ("packet-sizes", "80-159 B", Parameter(size_bytes=80, size_bytes_most=159)),
        ("packet-sizes", "2560 B and more", Parameter(size_bytes=2560)),
        ("packet-sizes", "other", Parameter()),
        ("tls-connections", "rsa-2048", Parameter(key_bits=2048)),
        ("tls-connections", "ecdsa-p256", Parameter(key_bits=256)),
    ],
)
def test_what_a_parameter_says(experiment: str, text: str, expected: Parameter) -> None:
    assert parameter_of(experiment, text) == expected
