# SPDX-License-Identifier: Apache-2.0
"""The contract between client and worker: tasks, events, and workers' offers.  A task is everything
that one run of boards depends on, as data, so that it runs the same anywhere.

Files are named by the SHA-256 of their bytes.  Small ones travel in the task, others on their own,
once to each worker.

While a task runs, workers inform clients by Dask events of one topic, `TOPIC`.  Each is a mapping:
`what` is one of the words below, with the other keys next to it.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.metadata import version
from pathlib import Path

from firesteel.base.files import digest_of
from firesteel.boards.command import BoardProducts
from firesteel.boards.job import Job
from firesteel.boards.profile import Profile
from firesteel.boards.result import TopologyRun
from firesteel.boards.run import Failure
from firesteel.boards.topology import Topology

TOPIC = "firesteel"

BEGAN = "began"
"""`machine` runs the task `key` now."""

LACKS = "lacks"
"""The worker at the address `worker` waits for the file of that `digest`; a client that has the
file sends it.
"""

LEAVES = "leaves"
"""`machine` takes no more tasks; `why` is a sentence without its full stop."""

CELLS = "firesteel cells"
"""A worker's resource: how many cells it runs at a time, with `lab_version()` behind the name."""

MEMORY = "firesteel memory"
"""Likewise, bytes of memory for cells."""

SMALL = 16 << 10
"""Bytes up to which a file travels in the task."""

Digest = str
"""Hex SHA-256 of a file's bytes."""

Source = Path | bytes
"""What a file's bytes come from: where it is, or they themselves."""


_PACKAGE = Path(__file__).resolve().parents[1]
_PARTS = ("base", "model", "architectures", "boards", "machines")
"""What runs on workers.  What makes figures of observations does not."""


@cache
def lab_version() -> str:
    """Twelve hex digits for all that decides what a worker does with a task."""
    digest = hashlib.sha256(f"distributed {version('distributed')}\n".encode())
    for part in _PARTS:
        for path in sorted((_PACKAGE / part).glob("*.py")):
            digest.update(f"{part}/{path.name}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:12]


@dataclass(frozen=True)
class Tls:
    """PEM files: the authority that both sides trust, and this side's certificate and key."""

    tls_ca: Path | None = None
    tls_cert: Path | None = None
    tls_key: Path | None = None


@dataclass(frozen=True)
class Task:
    """One run of boards.  `boards` has the products of each node (`BoardProducts`), `jobs` the
    files of its job with their modes.  `sizes` are bytes of the files that travel on their own,
    `small` are the others; `timeout` is in wall seconds.
    """

    topology: Topology
    profiles: Mapping[str, Profile]
    seed: int
    timeout: float
    boards: Mapping[str, Mapping[str, Digest]]
    jobs: Mapping[str, Mapping[str, tuple[Digest, int]]]
    sizes: Mapping[Digest, int]
    small: Mapping[Digest, bytes]

    @cached_property
    def key(self) -> str:
        """What the scheduler knows it by: equal tasks have one, whoever asks for them with this
        version of the lab.  Another one may make something else of the same boards, or run on
        other workers.
        """
        # Not sorted: the order of nodes numbers them.
        told = [
            lab_version(),
            self.topology.model_dump(mode="json"),
            {name: profile.model_dump(mode="json") for name, profile in self.profiles.items()},
            self.seed,
            self.boards,
            {node: sorted(files.items()) for node, files in self.jobs.items()},
        ]
        text = json.dumps(told, separators=(",", ":"))
        return f"cell-{digest_of(text.encode())}"


@dataclass(frozen=True)
class Outcome:
    """The outcome of a task on the machine of that name.  It is a run, or the failure of a node
    with its console's end and its logs by path, or a sentence that explains why there is neither.
    """

    machine: str
    run: TopologyRun | None = None
    failure: Failure | None = None
    console: str = ""
    logs: Mapping[str, bytes] = field(default_factory=dict)
    problem: str = ""


class Packer:
    """Makes tasks, and knows where the bytes of their files are."""

    def __init__(self) -> None:
        self._sources: dict[Digest, Source] = {}
        self._files: dict[Path, tuple[Digest, int]] = {}

    def source(self, digest: Digest) -> Source | None:
        """Where the bytes of a separately sent file are; None if no task needs it."""
        return self._sources.get(digest)

    def pack(
        self,
        topology: Topology,
        profiles: Mapping[str, Profile],
        seed: int,
        timeout: float,
        boards: Mapping[str, BoardProducts],
        jobs: Mapping[str, Job],
    ) -> Task:
        """The task of a run."""
        sizes: dict[Digest, int] = {}
        small: dict[Digest, bytes] = {}

        def add(content: bytes) -> Digest:
            digest = digest_of(content)
            if len(content) <= SMALL:
                small[digest] = content
            else:
                sizes[digest] = len(content)
                self._sources[digest] = content
            return digest

        def add_file(path: Path) -> Digest:
            digest, sizes[digest] = self._file(path)
            return digest

        told = {
            node: {name: add_file(path) for name, path in vars(board).items()}
            for node, board in boards.items()
        }
        files = {
            node: {path: (add(file.content), file.mode) for path, file in job.files.items()}
            for node, job in jobs.items()
        }
        return Task(topology, dict(profiles), seed, timeout, told, files, sizes, small)

    def _file(self, path: Path) -> tuple[Digest, int]:
        """Digest and size of a product, which never changes once it is there."""
        if path not in self._files:
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            self._files[path] = (digest, path.stat().st_size)
            self._sources[digest] = path
        return self._files[path]


def bytes_of(source: Source) -> bytes:
    """A file's bytes."""
    return source.read_bytes() if isinstance(source, Path) else source
