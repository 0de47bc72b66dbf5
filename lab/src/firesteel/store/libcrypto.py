# SPDX-License-Identifier: Apache-2.0
"""Which libcrypto a record's measured node had: Debian's, or a patched one (`board/openssl/`).

Cells do not tell; the record's package list does, so that nobody takes one for the other.
"""

from collections.abc import Iterable, Mapping
from typing import Literal

from firesteel.base.errors import FiresteelError
from firesteel.build.artifacts import LIBCRYPTO_PACKAGE as PACKAGE
from firesteel.store.record import Record

Libcrypto = Literal["neon-ghash"]
"""A patched libcrypto: with GHASH in NEON code, which OpenSSL has and does not choose on ARMv7."""

_WITH = " with "
"""Between version and patch.  Versions have no spaces."""


def marked(packages: Mapping[str, str], patch: Libcrypto) -> dict[str, str]:
    """A package list that names the patch."""
    return {**packages, PACKAGE: f"{packages[PACKAGE]}{_WITH}{patch}"}


def libcrypto_of(records: Iterable[Record]) -> Libcrypto | None:
    """The patched libcrypto of a run's records; none for Debian's own."""
    packages = (record.packages.get(PACKAGE, "") for record in records)
    patches = {package.partition(_WITH)[2] for package in packages if _WITH in package}
    for patch in patches - {"neon-ghash"}:
        raise FiresteelError(
            f'A record was measured with a libcrypto "{patch}", which this version does not know; '
            "allowed is neon-ghash."
        )
    return "neon-ghash" if patches else None
