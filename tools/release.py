# SPDX-License-Identifier: Apache-2.0
"""A release (`make release`): the source, Debian packages, what they consist of and how they were
made, with checksums that the user's key signs.

- `SHA256SUMS`, `SHA256SUMS.asc`: of all other files; the signature is GnuPG's.
- `firesteel-VERSION.spdx.json`: SPDX 2.3; the project, and each package that the lab is run with.
- `firesteel-VERSION.provenance.json`: in-toto's statement with SLSA's provenance; which files were
  made from which commit, in which Debian.

Equal commits give equal bytes, but for the signature.
"""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from firesteel import __version__
from firesteel.base.checkout import CHECKOUT, unreleased
from firesteel.base.errors import FiresteelError, RequestError
from firesteel.base.files import digest_of
from firesteel.build.products import Products
from tools import packages
from tools.packages import NAME, commit, git, tarball, version_date

_LICENCE = (
    "Apache-2.0 AND GPL-2.0-or-later AND GPL-2.0-only AND (GPL-2.0-or-later OR Apache-2.0) "
    "AND (GPL-2.0-only OR BSD-2-Clause) AND CC-BY-4.0 AND MIT"
)
"""What LICENSE lists."""

_LOCKED = re.compile(r"^([A-Za-z0-9._-]+)==(\S+?)(?: ;.*)? \\$", re.MULTILINE)

_AUTHORS = "Organization: The Firesteel authors"


def make(key: str, suites: Sequence[str], target: Path) -> Path:
    """Put a release of the commit into `target/VERSION`, signed by the user's `key`; its folder.

    `suites` are the releases of Debian whose packages are part of it: `none`, or all if none is
    named.  `FiresteelError` when the commit is none to release, or the key cannot sign; nothing is
    written then.
    """
    chosen = [] if suites == ["none"] else list(suites or packages.SUITES)
    packages.check_suites(chosen)
    _check(key)
    folder = target / __version__
    made = folder.with_name(f".{__version__}.partial")
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir(parents=True)
    try:
        (made / f"{NAME}.tar.xz").write_bytes(tarball(commit()))
        products = Products()
        roots = [_add_packages(products, suite, made) for suite in chosen]
        _write(made / f"{NAME}.spdx.json", _bill(made))
        _write(made / f"{NAME}.provenance.json", _provenance(made, roots))
        _sign(key, made)
        shutil.rmtree(folder, ignore_errors=True)
        made.rename(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return folder


def _check(key: str) -> None:
    """Refuse what differs from a commit, changes that the changelog has under no version, and a key
    that is not named.
    """
    if not key:
        raise RequestError("KEY is missing: name the GnuPG key that signs, as gpg does.")
    if shutil.which("gpg") is None:
        raise FiresteelError("gpg is missing; install it with: apt-get install gnupg")
    if changed := git("status", "--porcelain"):
        raise FiresteelError(
            f"A release is of a commit, and {changed.split()[1]} is in none; commit or remove it."
        )
    if unreleased():
        raise FiresteelError(
            f"CHANGELOG.md has entries below `Unreleased`; give them a head `## VERSION — DATE`, "
            f"and write VERSION, now {__version__}, into VERSION, CITATION.cff and the lab."
        )


def _add_packages(products: Products, suite: str, folder: Path) -> Path:
    """Copy a suite's packages for all architectures into the folder; the list of what the root has
    in which they were built.
    """
    of = [packages.source_package(products, suite)]
    of += [packages.packages(products, suite, each) for each in packages.ARCHITECTURES]
    for directory in of:
        for path in directory.iterdir():
            shutil.copy(path, folder)
    return packages.package_root(products, suite).directory / "packages.list"


def _digest(path: Path) -> str:
    return digest_of(path.read_bytes())


def _digests(folder: Path) -> dict[str, str]:
    return {path.name: _digest(path) for path in sorted(folder.iterdir())}


def _write(path: Path, document: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def _bill(folder: Path) -> dict[str, Any]:
    """What the project consists of, in SPDX's words."""
    source = f"{NAME}.tar.xz"
    project = {
        "SPDXID": "SPDXRef-firesteel",
        "name": "firesteel",
        "versionInfo": __version__,
        "supplier": _AUTHORS,
        "downloadLocation": "NOASSERTION",
        "packageFileName": source,
        "filesAnalyzed": False,
        "checksums": [{"algorithm": "SHA256", "checksumValue": _digest(folder / source)}],
        "licenseConcluded": _LICENCE,
        "licenseDeclared": _LICENCE,
        "copyrightText": "Copyright 2026 The Firesteel authors",
    }
    needed = list(_needed())
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-firesteel")]
    relations += [("SPDXRef-firesteel", "DEPENDS_ON", each["SPDXID"]) for each in needed]
    words = ("spdxElementId", "relationshipType", "relatedSpdxElement")
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": NAME,
        "documentNamespace": f"urn:firesteel:{commit()}",
        "creationInfo": {
            "created": version_date().strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": [_AUTHORS, f"Tool: {NAME}"],
        },
        "packages": [project, *needed],
        "relationships": [dict(zip(words, each, strict=True)) for each in relations],
    }


def _needed() -> Iterator[dict[str, Any]]:
    """The lab's Python packages, and Debian's in images of boards, in locked versions."""
    locked = (CHECKOUT / "requirements/run.txt").read_text(encoding="utf-8")
    for name, version in _LOCKED.findall(locked):
        yield _other(f"pypi/{name}", name, version)
    for lock in sorted((CHECKOUT / "board/image").glob("packages-*.lock")):
        architecture = lock.stem.removeprefix("packages-")
        for line in lock.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                name, version = line.split()[:2]
                yield _other(f"deb/debian/{name}", name, version, f"?arch={architecture}")


def _other(where: str, name: str, version: str, more: str = "") -> dict[str, Any]:
    """Somebody else's package."""
    locator = f"pkg:{where}@{version}{more}"
    return {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", locator),
        "name": name,
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "externalRefs": [
            {
                "referenceCategory": "PACKAGE-MANAGER",
                "referenceType": "purl",
                "referenceLocator": locator.replace("+", "%2B"),
            }
        ],
    }


def _provenance(folder: Path, roots: Sequence[Path]) -> dict[str, Any]:
    """What was made from what: in-toto's statement, version 1, with SLSA's predicate."""
    materials: list[dict[str, Any]] = [
        {
            "name": "source",
            "digest": {"gitCommit": commit(), "gitTree": git("rev-parse", "HEAD^{tree}")},
        }
    ]
    lines = (line for root in roots for line in root.read_text(encoding="utf-8").splitlines())
    materials += [
        {"uri": f"pkg:deb/debian/{name}@{version.replace('+', '%2B')}"}
        for name, version in sorted({tuple(line.split()) for line in lines})
    ]
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [
            {"name": name, "digest": {"sha256": digest}}
            for name, digest in _digests(folder).items()
        ],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "urn:firesteel:make-release:1",
                "externalParameters": {"version": __version__},
                "resolvedDependencies": materials,
            },
            "runDetails": {"builder": {"id": "urn:firesteel:make-release"}},
        },
    }


def _sign(key: str, folder: Path) -> None:
    """Write the checksums of all files, and have the user's key sign them."""
    sums = folder / "SHA256SUMS"
    digests = _digests(folder)
    sums.write_text("".join(f"{digest}  {name}\n" for name, digest in digests.items()))
    command = ["gpg", "--batch", "--yes", "--armor", "--detach-sign", "--local-user", key]
    done = subprocess.run([*command, str(sums)], check=False, capture_output=True, text=True)
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise FiresteelError(f"The key {key} does not sign: {reason}")
