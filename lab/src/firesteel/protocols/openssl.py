# SPDX-License-Identifier: Apache-2.0
"""The suites of OpenSSL's own algorithms in the words of `openssl speed`."""

from collections.abc import Mapping

ALGORITHMS: Mapping[tuple[str, str], str] = {
    ("aes-128-cbc", "none"): "-evp aes-128-cbc",
    ("aes-256-cbc", "none"): "-evp aes-256-cbc",
    ("aes-256-ctr", "none"): "-evp aes-256-ctr",
    ("aes-256-gcm", "gcm"): "-aead -evp aes-256-gcm",
    ("none", "sha256"): "-evp sha256",
    ("none", "hmac-sha256"): "-hmac sha256",
}
"""Options of speed.  GCM with `-aead` as in a record of TLS: 13 bytes of associated data, a tag."""

SUITES = tuple(f"{cipher}:{mac}" for cipher, mac in ALGORITHMS)
"""What may be measured, as an experiment's file has it."""

KERNEL_SUITES = ("aes-128-cbc:none", "aes-256-cbc:none")
"""What OpenSSL's engine `afalg` has of these, which asks the kernel's crypto API through AF_ALG."""
