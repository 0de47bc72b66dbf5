# SPDX-License-Identifier: Apache-2.0
"""The kernel that boards start: Debian's own, in a form that QEMU starts at once."""

from collections.abc import Callable, Mapping
from pathlib import Path

from assemble.errors import AssembleError
from assemble.uimage import uimage

_IMAGE = "@KERNEL_IMAGE@"
"""What the kernel's `make` calls the architecture's `vmlinuz`."""

_FORMS: Mapping[str, Callable[[Path, Path, str], bytes]] = {"zImage": uimage}
"""What makes the file that QEMU starts of a `vmlinuz`, by what that is."""


def bootable(boot: Path, headers: Path, release: str) -> bytes:
    """What QEMU starts, of the kernel of that release in a Debian `/boot`.

    `headers` is the root under which its header packages were unpacked.  Raises `AssembleError`
    when no form is known for the architecture's kernels.
    """
    if _IMAGE not in _FORMS:
        raise AssembleError(
            f"a kernel that is a `{_IMAGE}` cannot be started yet; known is {', '.join(_FORMS)}"
        )
    return _FORMS[_IMAGE](boot, headers, release)
