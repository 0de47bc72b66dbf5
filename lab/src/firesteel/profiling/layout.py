# SPDX-License-Identifier: Apache-2.0
"""Where the guest's kernel keeps what a profile reads: `layout.ko`, from board/kernel-layout/."""

import struct
from collections.abc import Mapping
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from firesteel.base.errors import FiresteelError

_SECTION = ".firesteel.layout"
_ENTRY = struct.Struct("<28sI")

_PROBE = {
    "task-preempt-count": "task.preempt_count",
    "task-pid": "task.pid",
    "task-comm": "task.comm",
    "hardirq-mask": "hardirq_mask",
    "softirq-mask": "softirq_mask",
}
"""Properties of the probe device, and what they are called in the layout."""


def read_layout(path: Path) -> dict[str, int]:
    """Offsets and constants of the kernel by name."""
    try:
        with path.open("rb") as file:
            section = ELFFile(file).get_section_by_name(_SECTION)
            content = section.data() if section is not None else b""
    except (OSError, ELFError) as error:
        raise FiresteelError(f"{path}: cannot be read: {error}.") from None
    if not content or len(content) % _ENTRY.size:
        raise FiresteelError(f"{path}: it has no section {_SECTION}; delete it, it is made again.")
    entries = _ENTRY.iter_unpack(content)
    return {name.rstrip(b"\0").decode("ascii"): value for name, value in entries}


def probe_properties(layout: Mapping[str, int]) -> dict[str, int]:
    """What the probe device has to know of the kernel."""
    return {key: layout[name] for key, name in _PROBE.items()}
