# SPDX-License-Identifier: Apache-2.0
"""An OpenSSL provider and its library that are none, as files that boards may be given."""

from pathlib import Path

from firesteel.build.provider import Provider


def tiny_provider(directory: Path) -> Provider:
    """Files in `directory` with the words "a provider" and "a library"."""
    provider, library = directory / "firesteel.so", directory / "libfiresteel.so.0"
    provider.write_bytes(b"a provider")
    library.write_bytes(b"a library")
    return Provider(provider, library, "/usr/lib/guest")
