# SPDX-License-Identifier: Apache-2.0
"""The project's source as it is handed out: a tar file of a commit, and its version's date."""

import functools
import io
import lzma
import re
import subprocess
import tarfile
from datetime import UTC, datetime

from firesteel import __version__
from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError

NAME = f"firesteel-{__version__}"
"""The folder in the tar file."""

_CHANGELOG = CHECKOUT / "CHANGELOG.md"


def git(*arguments: str) -> str:
    """What git says in the checkout; `FiresteelError` when it fails, as where there is no
    repository.
    """
    command = ["git", "-C", str(CHECKOUT), *arguments]
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True)
    except FileNotFoundError:
        raise FiresteelError("git is missing; install it with: apt-get install git") from None
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise FiresteelError(f"git {arguments[0]} fails in {CHECKOUT}: {reason}")
    return done.stdout.strip()


@functools.cache
def commit() -> str:
    """The commit of the checkout; where tracked files were changed, one with these changes, which
    no branch has.  For a process it is always the same.
    """
    somebody = ("-c", "user.name=firesteel", "-c", "user.email=firesteel@localhost")
    return git(*somebody, "stash", "create") or git("rev-parse", "HEAD")


def version_date() -> datetime:
    """When the version was released, by the changelog."""
    head = rf"^## {re.escape(__version__)} — (\d{{4}}-\d\d-\d\d)$"
    found = re.search(head, _CHANGELOG.read_text(encoding="utf-8"), re.MULTILINE)
    if not found:
        raise FiresteelError(
            f"CHANGELOG.md has no head `## {__version__} — YYYY-MM-DD` for the version of VERSION."
        )
    return datetime.fromisoformat(found[1]).replace(tzinfo=UTC)


def unreleased() -> str:
    """What the changelog says of changes after the version."""
    text = _CHANGELOG.read_text(encoding="utf-8")
    _, _, rest = text.partition("\n## Unreleased\n")
    return rest.partition("\n## ")[0].strip()


def tarball(of: str) -> bytes:
    """A commit's files as a compressed tar file: of equal trees equal bytes."""
    archive = ["git", "-C", str(CHECKOUT), "archive", "--format=tar", f"--prefix={NAME}/", of]
    found = subprocess.run(archive, check=True, capture_output=True).stdout
    written = io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(found)) as given,
        tarfile.open(fileobj=written, mode="w", format=tarfile.PAX_FORMAT) as made,
    ):
        for entry in given:
            entry.mtime = int(version_date().timestamp())
            entry.uname = entry.gname = "root"
            entry.pax_headers = {}
            made.addfile(entry, given.extractfile(entry) if entry.isfile() else None)
    return lzma.compress(written.getvalue(), preset=2)  # Most of it is compressed records.
