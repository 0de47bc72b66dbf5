# SPDX-License-Identifier: Apache-2.0
"""Debian's packages and sources, from the mirror of the machine's own apt configuration.

apt itself is asked for the mirror, so every form of its configuration counts (one-line and deb822
sources, proxies, credentials) and nothing here names a host.  `FIRESTEEL_MIRROR` overrides the
choice on machines whose apt knows no Debian archive.  An `Apt` fetches as the calling user, and
shares neither sources nor state with the machine's.

During its synchronisation a mirror may have new `Release` files with old package indexes, which apt
refuses.  The suite has another name there, `stable` or `oldstable`; where that one is whole, it is
taken.
"""

import contextlib
import functools
import hashlib
import itertools
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from firesteel.architectures import ARCHITECTURES
from firesteel.base.errors import FiresteelError
from firesteel.build.cache import remove_tree
from firesteel.build.progress import Runner

SUITE = "trixie"
"""The Debian suite that everything is made from: release 13, without its updates suites."""

_ALIASES = ("stable", "oldstable")
"""What else an archive may call a suite; `Codename` in its `Release` says which one it is."""

_INDEXES = (
    *(f"binary-{name}/Packages" for name in ("amd64", *ARCHITECTURES)),
    "source/Sources",
)
"""What has to fit the `Release` file, in the component `main`."""

_HELPER = Path("/usr/lib/apt/apt-helper")
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
_TIMEOUT_S = 20
_FORMAT = "$(REPO_URI) $(COMPONENT)"
_FIELD = re.compile(r"^([A-Za-z0-9-]+): (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Mirror:
    """A Debian archive that was reached and has the suite."""

    uri: str
    suite: str = SUITE

    def sources(self, kinds: tuple[str, ...] = ("deb",)) -> list[str]:
        """Lines of apt sources for the main component of the suite."""
        keyring = f"[signed-by={KEYRING}] " if KEYRING.exists() else ""
        return [f"{kind} {keyring}{self.uri} {self.suite} main" for kind in kinds]


def find_mirror(suite: str = SUITE) -> Mirror:
    """The first Debian archive of the apt configuration that can be reached and has `suite`, whole.

    `FiresteelError` when apt is missing, knows no archive, none of them answers, or those that do
    have indexes that do not fit their `Release` file.
    """
    candidates = _candidates()
    answering = [uri for uri in candidates if _release(uri, suite)]
    for uri in answering:
        for name in (suite, *_ALIASES):
            if _is_whole(uri, name, suite):
                return Mirror(uri, name)
    if answering:
        raise FiresteelError(
            f"The Debian archive at {', '.join(answering)} is inconsistent: its package indexes of "
            f"{suite} do not match its Release file, which happens while a mirror synchronises; "
            "try "
            "again later, or set FIRESTEEL_MIRROR to the address of another archive."
        )
    raise FiresteelError(
        f"No Debian archive with the suite {suite} can be reached; apt on this machine knows: "
        f"{', '.join(candidates)}; fix the network or apt's sources so that apt-get update works, "
        "or set FIRESTEEL_MIRROR to the address of an archive."
    )


def apt_options() -> list[str]:
    """The machine's apt options on how to fetch (proxies, certificates, credentials).

    Lines of apt.conf, for an apt that does not read the machine's own configuration.
    """
    dump = _apt(["apt-config", "dump", "--no-empty", "Acquire"])
    wanted = ("Acquire::http::", "Acquire::https::", "Acquire::Retries")
    options = [line for line in dump.splitlines() if line.startswith(wanted)]
    return [
        *options,
        'Acquire::Check-Valid-Until "false";',
        'Acquire::Languages "none";',
        'APT::Install-Recommends "false";',
        'Dir::Etc::netrc "/etc/apt/auth.conf";',
        'Dir::Etc::netrcparts "/etc/apt/auth.conf.d";',
    ]


def _candidates() -> list[str]:
    if chosen := os.environ.get("FIRESTEEL_MIRROR"):
        return [chosen]
    # Without release info, archives count whose indexes have not been fetched.
    command = ["apt-get", "indextargets", "--no-release-info", "--format", _FORMAT]
    found = [line.split() for line in _apt(command).splitlines()]
    uris = [fields[0].rstrip("/") for fields in found if len(fields) == 2 and fields[1] == "main"]
    if not uris:
        raise FiresteelError(
            "apt on this machine has no archive in its configuration (/etc/apt/sources.list, "
            "/etc/apt/sources.list.d); add a Debian archive there, or set FIRESTEEL_MIRROR to the "
            "address of one."
        )
    return list(dict.fromkeys(uris))


@functools.cache
def _is_whole(uri: str, name: str, suite: str) -> bool:
    """Whether what the archive calls `name` is the suite, with indexes that fit its `Release`.

    Indexes that `Release` does not list are none of the archive's.
    """
    release = _release(uri, name).decode()
    if name != suite and f"\nCodename: {suite}\n" not in release:
        return False
    listed = {line.split()[-1]: line.split()[0] for line in _sha256_lines(release)}
    paths = [f"main/{index}.xz" for index in _INDEXES]
    return all(
        hashlib.sha256(_fetch(f"{uri}/dists/{name}/{path}")).hexdigest() == listed[path]
        for path in paths
        if path in listed
    )


def _sha256_lines(release: str) -> list[str]:
    """The lines `DIGEST SIZE PATH` below `SHA256:`."""
    _, _, rest = release.partition("\nSHA256:\n")
    return list(itertools.takewhile(lambda line: line.startswith(" "), rest.splitlines()))


def _release(uri: str, name: str) -> bytes:
    """The `Release` file of a suite; empty where the archive does not answer, or has no such."""
    return _fetch(f"{uri}/dists/{name}/Release")


def _fetch(address: str) -> bytes:
    """A file of an archive, asked for with apt's own proxies and credentials; empty if not had."""
    with tempfile.TemporaryDirectory(prefix="firesteel-") as directory:
        command = [
            str(_HELPER),
            *("-o", "Acquire::Retries=1"),
            *("-o", f"Acquire::http::Timeout={_TIMEOUT_S}"),
            *("-o", f"Acquire::https::Timeout={_TIMEOUT_S}"),
            *("-o", "APT::Sandbox::User="),
            "download-file",
            address,
            f"{directory}/file",
        ]
        done = subprocess.run(command, check=False, capture_output=True)
        return Path(directory, "file").read_bytes() if done.returncode == 0 else b""


def _apt(command: list[str]) -> str:
    if shutil.which(command[0]) is None or not _HELPER.exists():
        raise FiresteelError(
            f"{command[0]} is missing: the lab builds only on Debian 12 or 13 (amd64)."
        )
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise FiresteelError(f"apt's configuration cannot be read ({_reason(done)}); fix it first.")
    return done.stdout


def _reason(done: subprocess.CompletedProcess[str]) -> str:
    """Why a command failed: the last line of its errors."""
    return (done.stderr.strip().splitlines() or ["no reason given"])[-1]


def paragraphs(shown: str) -> Iterator[dict[str, str]]:
    """The fields of each paragraph that `Apt.show` gave; of a field of several lines, the first."""
    for paragraph in shown.split("\n\n"):
        if fields := dict(_FIELD.findall(paragraph)):
            yield fields


_OPTIONS = ("-q", "-o", "Dir::Cache::pkgcache=pkgcache.bin")
"""Apt in containers is often told to keep no cache; then it reads all indexes for each question."""


class Apt:
    """An apt that knows the indexes of a mirror; Debian's `architectures` count.  Its state is in
    `directory`, which must exist.
    """

    def __init__(
        self, directory: Path, mirror: Mirror, runner: Runner, architectures: str = "amd64"
    ) -> None:
        self._runner = runner
        configuration = directory / "apt.conf"
        for name in ("lists/partial", "cache/archives/partial"):
            (directory / name).mkdir(parents=True)
        (directory / "status").touch()
        (directory / "sources.list").write_text(
            "\n".join(mirror.sources(("deb", "deb-src"))) + "\n"
        )
        own = {
            "Dir::State::lists": "lists",
            "Dir::State::status": "status",
            "Dir::Cache": "cache",
            "Dir::Etc::sourcelist": "sources.list",
        }
        lines = [f'{option} "{directory / name}";' for option, name in own.items()]
        lines += ['Dir::Etc::sourceparts "-";', 'APT::Sandbox::User "";']
        names = "".join(f'"{name}"; ' for name in architectures.split())
        lines += ["#clear APT::Architectures;", f"APT::Architectures {{ {names}}};"]
        configuration.write_text("\n".join([*apt_options(), *lines]) + "\n")
        self._environment = {"APT_CONFIG": str(configuration), "LC_ALL": "C.UTF-8"}
        update = ["apt-get", *_OPTIONS, "update"]
        runner.run("Reading the mirror's package index", update, self._environment)

    def sources(self, what: str, packages: list[str], target: Path) -> None:
        """Fetch source packages (`NAME` or `NAME=VERSION`), unopened, into `target`."""
        self._run(what, ["source", "--download-only", "--only-source", *packages], target)

    def source_versions(self, package: str) -> list[str]:
        """The versions of a source package that the indexes list, the newest first."""
        shown = self._ask(["apt-cache", *_OPTIONS, "showsrc", "--only-source", package]).stdout
        return [fields["Version"] for fields in paragraphs(shown) if "Version" in fields]

    def show(self, packages: list[str], *, all_known: bool = False) -> str:
        """What the indexes say of `packages` (`NAME:ARCHITECTURE=VERSION`), for `paragraphs`.

        Packages that the indexes do not know are left out; with `all_known` each of them is a
        `FiresteelError`.
        """
        done = self._ask(["apt-cache", *_OPTIONS, "show", *packages])
        if all_known and done.returncode != 0:
            raise FiresteelError(
                "The mirror does not know a package in the version that was built with "
                f"({_reason(done)})."
            )
        return done.stdout

    def simulate(self, packages: Sequence[str], architecture: str) -> str:
        """What apt says of installing `packages` on a machine that has nothing yet.

        `FiresteelError` if it cannot.
        """
        of = f"APT::Architecture={architecture}"
        done = self._ask(["apt-get", *_OPTIONS, "--simulate", "-o", of, "install", *packages])
        if done.returncode != 0:
            raise FiresteelError(
                f"The mirror's packages cannot be installed together ({_reason(done)})."
            )
        return done.stdout

    def _ask(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        environment = os.environ | self._environment
        return subprocess.run(command, env=environment, check=False, capture_output=True, text=True)

    def download(self, what: str, packages: list[str], target: Path) -> None:
        """Fetch `packages` (`NAME:ARCHITECTURE=VERSION`) into the directory `target`."""
        self._run(what, ["download", *packages], target)

    def _run(self, what: str, command: list[str], target: Path) -> None:
        self._runner.run(
            f"Fetching {what}", ["apt-get", *_OPTIONS, *command], self._environment, target
        )


@contextlib.contextmanager
def apt_within(
    product: Path, runner: Runner, architectures: str = "amd64", mirror: Mirror | None = None
) -> Iterator[Apt]:
    """An apt of the usual or another mirror that knows its indexes.  Its state is in a product's
    directory until the product is complete.
    """
    state = product / "apt"
    state.mkdir()
    yield Apt(state, mirror or find_mirror(), runner, architectures)
    remove_tree(state)


def extract(packages: Path, tree: Path) -> None:
    """Extract all packages that lie in a directory into `tree`, which is made if need be."""
    for package in sorted(packages.glob("*.deb")):
        subprocess.run(["dpkg-deb", "--extract", str(package), str(tree)], check=True)


def version_in(directory: Path, package: str) -> str:
    """Debian's version of the package whose file is in a directory."""
    (path,) = directory.glob(f"{package}_*.deb")
    return path.name.split("_")[1].replace("%3a", ":")
