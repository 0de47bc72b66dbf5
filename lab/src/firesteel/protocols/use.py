# SPDX-License-Identifier: Apache-2.0
"""What people use a configuration for, and so what else they could use."""

from dataclasses import dataclass
from typing import Literal

Purpose = Literal["tunnel", "web", "shell", "disk"]


@dataclass(frozen=True)
class Use:
    """Alternatives (`analysis.verdict`) have the same `purpose`, and the same `protection`
    where a purpose has several: a disk with tags is no alternative to one without, nor the other
    way round.

    `protects` says whether it protects what it is used for, so that people may choose it.
    """

    purpose: Purpose
    protection: str = ""
    protects: bool = True
