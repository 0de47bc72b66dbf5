# SPDX-License-Identifier: Apache-2.0
"""A job: the few files laid over the base image that tell a node what to do."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class JobFile:
    """One regular file of a job: contents and permission bits."""

    content: bytes
    mode: int = 0o644


@dataclass(frozen=True)
class Job:
    """Files by absolute guest path; `/job/run` is what the image's init executes.

    The archive made of a job depends on its contents alone (sorted paths, no times, root owns).
    """

    files: dict[str, JobFile] = field(default_factory=dict)
