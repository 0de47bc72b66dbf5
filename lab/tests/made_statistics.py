# SPDX-License-Identifier: Apache-2.0
"""Statistics files of the provider: `struct fsp_statistics` of provider/base/statistics.h."""

import struct
from collections.abc import Sequence

NEVER = 2**64 - 1
"""The break-even of what is never faster on the core."""

Work = tuple[bytes, int, int, int, int, int, int, int, int, int, int]
"""Name; hardware, its bytes; small, queued, unfit, unprotected, busy, failed; last error;
break-even.
"""


def statistics_file(
    works: Sequence[Work],
    *,
    process: int = 1,
    version: int = 4,
    device: bytes = b"model",
    reason: bytes = b"",
) -> bytes:
    """A whole file."""
    magic = b"firesteel-statistics"
    header = struct.pack("=24sIIq64s256s", magic, version, len(works), process, device, reason)
    return header + b"".join(struct.pack("=16sQQQQQQQQqQ", *work) for work in works)
