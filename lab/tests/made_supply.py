# SPDX-License-Identifier: Apache-2.0
"""Artifacts that nobody built: files with a line each."""

from pathlib import Path

from firesteel.architectures import DEFAULT
from firesteel.build.artifacts import Artifact, ArtifactSource, What
from firesteel.build.cache import key_of


class MadeSupply(ArtifactSource):
    """A source of such artifacts in a directory."""

    def __init__(self, directory: Path, content: str = "made") -> None:
        super().__init__(DEFAULT)
        self._directory = directory
        self._content = content

    def find(self, what: What) -> Artifact:
        directory = self._directory / what / key_of({"kind": what})
        directory.mkdir(parents=True, exist_ok=True)
        version = "1:10.0" if what == "qemu" else ""
        made = Artifact(what, directory, f"{what}-key", DEFAULT, version)
        for name in ["qemu-system-arm"] if what == "qemu" else made.names:
            (directory / name).write_text(f"{self._content} {what} {name}\n")
            (directory / name).chmod(0o755 if what in ("qemu", "openssh") else 0o644)
        return made
