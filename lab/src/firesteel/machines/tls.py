# SPDX-License-Identifier: Apache-2.0
"""Files for TLS, before Dask is loaded."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Tls:
    """PEM files: the authority that both sides trust, and this side's certificate and key."""

    authority: Path | None = None
    certificate: Path | None = None
    key: Path | None = None
