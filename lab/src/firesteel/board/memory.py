# SPDX-License-Identifier: Apache-2.0
"""How much memory boards take, and how much there is."""

import re
from pathlib import Path

NODE_BYTES = 768 << 20
"""What a node takes at the most: its image twice, the file that it transfers, QEMU."""


def available_memory(meminfo: Path = Path("/proc/meminfo")) -> int:
    """Bytes that programs can have without swapping; 0 if the kernel does not say."""
    match = re.search(r"^MemAvailable: *(\d+) kB$", meminfo.read_text(), re.MULTILINE)
    return int(match[1]) << 10 if match else 0
