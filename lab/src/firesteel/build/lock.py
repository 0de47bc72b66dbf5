# SPDX-License-Identifier: Apache-2.0
"""The lock of the image's packages: which versions, and the digest of each package's file.

It holds what `board/image/packages.txt` names and all that these packages depend on, a line
`NAME VERSION SHA256` each.  Without it an image would be made of whatever the mirror has on that
day, and no record would say of what.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from firesteel.base.errors import FiresteelError
from firesteel.build.debian import Apt, paragraphs

_HEAD = """\
# SPDX-License-Identifier: Apache-2.0
# The image's packages: name, version, SHA-256.  Written by `firesteel build image --relock`.
"""
_LINE = re.compile(r"(\S+) (\S+) ([0-9a-f]{64})")
_INSTALLED = re.compile(r"^Inst (\S+) \((\S+) ", re.MULTILINE)
_SHOWN = 3
"""Packages that an error names."""


@dataclass(frozen=True)
class Pinned:
    """A package in one version; `digest` is the SHA-256 of its file."""

    version: str
    digest: str


Lock = Mapping[str, Pinned]
"""Packages by name."""


def read(path: Path) -> Lock:
    """The lock in a file; `FiresteelError` where there is none, or one of another form."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise FiresteelError(
            f"{path}: {error.strerror}; `firesteel build image --relock` writes it."
        ) from None
    lock: dict[str, Pinned] = {}
    for number, line in enumerate(lines, 1):
        if line.startswith("#"):
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            raise FiresteelError(f"{path}:{number}: a line has the form NAME VERSION SHA256.")
        lock[match[1]] = Pinned(match[2], match[3])
    return lock


def listed(lock: Lock) -> str:
    """A line `NAME VERSION` a package, sorted."""
    return "".join(sorted(f"{name} {each.version}\n" for name, each in lock.items()))


def check(path: Path, lock: Lock, apt: Apt, architecture: str) -> None:
    """`FiresteelError` unless the mirror has every package of the lock in `path`, in its version
    and with its digest.
    """
    offers = _offers(apt, list(lock), architecture)
    lacks = [
        f"{name} {wanted.version}{_instead(wanted, offers.get(name, []))}"
        for name, wanted in sorted(lock.items())
        if wanted not in offers.get(name, [])
    ]
    if lacks:
        more = f" and {len(lacks) - _SHOWN} more" if len(lacks) > _SHOWN else ""
        raise FiresteelError(
            f"The mirror has not what {path} names: {', '.join(lacks[:_SHOWN])}{more}; "
            "set FIRESTEEL_MIRROR to an archive that has them, or take the mirror's versions with "
            "`firesteel build image --relock`, after which recorded figures must be measured again."
        )


def renew(path: Path, names: Sequence[str], apt: Apt, architecture: str) -> list[str]:
    """Write the lock of the packages `names`, in the mirror's present versions, into `path`.
    Returns a phrase for each package that differs from the old lock.
    """
    before = read(path) if path.exists() else {}
    now = resolve(names, apt, architecture)
    lines = (f"{name} {each.version} {each.digest}\n" for name, each in sorted(now.items()))
    partial = path.with_suffix(".partial")
    partial.write_text(_HEAD + "".join(lines), encoding="utf-8")
    partial.replace(path)
    return list(_differences(before, now))


def resolve(names: Sequence[str], apt: Apt, architecture: str) -> Lock:
    """The packages `names` and all their dependencies, in the mirror's present versions."""
    versions: dict[str, str] = dict(_INSTALLED.findall(apt.simulate(names, architecture)))
    offers = _offers(apt, list(versions), architecture)
    return {
        name: next(each for each in offers[name] if each.version == version)
        for name, version in versions.items()
    }


def _differences(before: Lock, now: Lock) -> Iterator[str]:
    for name in sorted(before.keys() | now.keys()):
        old, new = before.get(name), now.get(name)
        if old is None and new is not None:
            yield f"{name} {new.version} is new"
        elif new is None and old is not None:
            yield f"{name} {old.version} is gone"
        elif old and new and old.version != new.version:
            yield f"{name} {old.version} is now {new.version}"
        elif old != new:
            yield f"{name} {new.version if new else ''} has another file"


def _instead(wanted: Pinned, offered: Sequence[Pinned]) -> str:
    if any(each.version == wanted.version for each in offered):
        return " (it has another file of that version)"
    versions = ", ".join(each.version for each in offered)
    return f" (it has {versions})" if versions else " (it has none)"


def _offers(apt: Apt, names: Sequence[str], architecture: str) -> dict[str, list[Pinned]]:
    """What the mirror has of packages; of those it does not know, nothing."""
    offers: dict[str, list[Pinned]] = {}
    # Packages for all architectures are known by their names alone.
    shown = apt.show([each for name in names for each in (name, f"{name}:{architecture}")])
    for fields in paragraphs(shown):
        if fields.get("Architecture") in (architecture, "all"):
            offer = Pinned(fields["Version"], fields["SHA256"])
            if offer not in (found := offers.setdefault(fields["Package"], [])):
                found.append(offer)
    return offers
