# SPDX-License-Identifier: Apache-2.0
"""An OpenSSL provider and its library that are none, as files that boards may be given."""

from dataclasses import replace
from pathlib import Path

from firesteel.architectures import DEFAULT
from firesteel.build.artifacts import Artifact


def tiny_provider(directory: Path) -> Artifact:
    """Files in `directory` with the words "a provider" and "a library"."""
    (directory / "firesteel.so").write_bytes(b"a provider")
    (directory / "libfiresteel.so.0").write_bytes(b"a library")
    guest = replace(DEFAULT, toolchain=replace(DEFAULT.toolchain, triplet="guest"))
    return Artifact("provider", directory, "key", guest)
