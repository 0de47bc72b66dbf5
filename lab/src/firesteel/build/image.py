# SPDX-License-Identifier: Apache-2.0
"""The guest image: Debian packages, and what `board/image/` makes of them.

The contract with the recipe is in `board/image/README.md`.

The lock of the packages has their versions, and the digest of each package's file.  It holds what
`board/image/packages.txt` names and all that these packages depend on, a line `NAME VERSION SHA256`
each.  Without it an image would be made of whatever the mirror has on that day, and no record would
say of what.
"""

import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from firesteel.architectures.architecture import Target
from firesteel.base.checkout import BOARD, MODULE_SCRIPT, PROBE_HEADER
from firesteel.base.errors import FiresteelError
from firesteel.build.artifacts import Image, image_in
from firesteel.build.buildroot import (
    BuildRoot,
    Context,
    Room,
    filled_in,
    mmdebstrap,
    read_list,
    untar,
)
from firesteel.build.cache import key_of, remove_tree, tree_digest
from firesteel.build.debian import Apt, Mirror, apt_within, extract, find_mirror, paragraphs

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


def read_lock(path: Path) -> Lock:
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


def check_lock(path: Path, lock: Lock, apt: Apt, architecture: str) -> None:
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


def renew_lock(path: Path, names: Sequence[str], apt: Apt, architecture: str) -> list[str]:
    """Write the lock of the packages `names`, in the mirror's present versions, into `path`.
    Returns a phrase for each package that differs from the old lock.
    """
    before = read_lock(path) if path.exists() else {}
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


_RECIPE = BOARD / "image"
_KERNEL_FORMS = BOARD / "kernel-image"
_LOCK = ".lock"
_KERNEL_PACKAGES = "linux-image-"


@dataclass(frozen=True)
class KernelTree:
    """A product with a kernel: files of the guest, and what modules for it are built with."""

    directory: Path

    @property
    def tree(self) -> Path:
        """Tar archive of files of the guest, `boot/` and `usr/lib/modules/` among them."""
        return self.directory / "tree.tar"

    @property
    def headers(self) -> Path:
        """Tar archive of the headers and build tools of the kernel in the tree."""
        return self.directory / "headers.tar"


@dataclass(frozen=True)
class Packages(KernelTree):
    """The packages of an architecture's image as they came from the mirror."""

    architecture: Target

    @property
    def list(self) -> Path:
        """A line `NAME VERSION` a package, sorted."""
        return self.directory / "packages.list"

    def version(self, name: str) -> str:
        """The version of a package; `FiresteelError` when it is not among them."""
        versions = dict(line.split() for line in self.list.read_text().splitlines())
        try:
            return versions[name]
        except KeyError:
            raise FiresteelError(f"board/image/packages.txt does not bring {name}.") from None


@dataclass(frozen=True)
class Kernel(KernelTree):
    """A kernel that was built in the stead of the packages' own; its tree has nothing else."""

    key: str
    """Hash of everything that went into it."""

    source: str
    """The package that it was built from, as a line `NAME VERSION`."""


def fetch(at: Context) -> Packages:
    """The packages that the image's lock names, fetched if need be."""
    architecture = at.architecture
    path = lock_path(architecture)
    locked = read_lock(path)

    def build(partial: Path) -> None:
        mirror = find_mirror()
        with apt_within(partial, at.runner, f"amd64 {architecture.name}", mirror) as apt:
            check_lock(path, locked, apt, architecture.name)
            _extract_locked(at, partial, path, locked, mirror)
            _fetch_headers(apt, partial, header_packages(listed(locked), architecture))

    key = key_of({"lock": tree_digest(path)})
    return Packages(at.cache.product("packages", key, build), architecture)


def _extract_locked(at: Context, partial: Path, path: Path, locked: Lock, mirror: Mirror) -> None:
    """Put the files of the packages that the lock in `path` names into `tree.tar`, and the list."""
    architecture, tree = at.architecture.name, partial / "tree"
    # The fetched archives stay, since in an extracted tree nothing else knows the versions.
    keep = ["--skip=essential/unlink,cleanup/apt"]
    pinned = [f"{name}={each.version}" for name, each in sorted(locked.items())]
    command = mmdebstrap("extract", architecture, pinned, tree, mirror.sources(), keep)
    at.runner.run_apart("Extracting the packages of the image", command)
    packages = _package_list(tree / "var/cache/apt/archives")
    if packages != listed(locked):
        raise FiresteelError(
            f"{path} does not name all packages that the image needs, or names others; "
            "`firesteel build image --relock` writes it again."
        )
    (partial / "packages.list").write_text(packages)
    at.runner.run_apart("Packing the packages of the image", _tar(tree, partial / "tree.tar"))
    remove_tree(tree)


def relock(at: Context) -> list[str]:
    """Write the lock again, with the mirror's present versions of the packages in
    `board/image/packages.txt` and of their dependencies.  Returns a phrase for each package that
    differs.
    """
    names, architecture = read_list(_RECIPE / "packages.txt", at.architecture), at.architecture.name
    with (
        tempfile.TemporaryDirectory(prefix="firesteel-") as directory,
        apt_within(Path(directory), at.runner, architecture) as apt,
    ):
        return renew_lock(lock_path(at.architecture), names, apt, architecture)


def lock_path(architecture: Target) -> Path:
    """Where the lock of an architecture's image is."""
    return _RECIPE / f"packages-{architecture.name}{_LOCK}"


def make(at: Context, packages: Packages, root: BuildRoot, kernel: Kernel | None = None) -> Image:
    """The image, assembled if need be; with `kernel`, if given, in the stead of the packages'."""
    own = [path for path in _RECIPE.iterdir() if path.suffix != _LOCK]  # In `packages.list`.
    parts = {path.name: path for path in (*own, MODULE_SCRIPT, PROBE_HEADER)}
    form = _KERNEL_FORMS / f"{at.architecture.kernel.image}.py"
    if form.exists():
        parts["assemble/kernel.py"] = form
    with filled_in(parts, at.architecture) as recipe:
        inputs = {
            "recipe": tree_digest(recipe),
            "packages": tree_digest(packages.list),
            "build root": root.inputs,
        }
        if kernel is not None:
            inputs["kernel"] = kernel.key
        key = key_of(inputs)

        def build(partial: Path) -> None:
            _assemble(at, partial, recipe, packages, kernel, root)

        directory = at.cache.product("image", key, build)
    return image_in(directory, key)


def _assemble(
    at: Context,
    partial: Path,
    recipe: Path,
    packages: Packages,
    kernel: Kernel | None,
    root: BuildRoot,
) -> None:
    work = partial / "work"
    tree, headers, listed = work / "tree", work / "headers", work / "packages.list"
    for path, archive in ((tree, packages.tree), (headers, (kernel or packages).headers)):
        path.mkdir(parents=True)
        untar(archive, path)
    _put_libraries_together(tree / "usr/lib" / at.architecture.toolchain.triplet)
    versions = packages.list.read_text()
    if kernel is not None:
        _replace_kernel(tree, kernel)
        versions = _with_kernel(versions, kernel)
    listed.write_text(versions)
    room = Room(
        {f"/firesteel/{path.name}": path for path in (tree, headers)}
        | {"/firesteel/output": partial},
        {"/firesteel/recipe": recipe, "/firesteel/packages.list": listed},
    )
    command = ["env", "--chdir=/firesteel/recipe", "python3", "-m", "assemble"]
    for option in ("tree", "headers", "output"):
        command += [f"--{option}", f"/firesteel/{option}"]
    command += ["--packages", "/firesteel/packages.list"]
    root.run(at.runner, "Assembling the image", command, room)
    remove_tree(work)
    (partial / "kernel.key").write_text(tree_digest(partial / "kernel"))


def _put_libraries_together(directory: Path) -> None:
    """Move what the recipe looks for to where it looks: fio for 64 bits needs Ceph's libraries, one
    of which has a folder of its own.
    """
    for path in directory.glob("ceph/*.so*"):
        path.rename(directory / path.name)


def _replace_kernel(tree: Path, kernel: Kernel) -> None:
    """Put `kernel` and its modules where those of the packages are in their unpacked `tree`."""
    remove_tree(tree / "boot")
    remove_tree(tree / "usr/lib/modules")
    untar(kernel.tree, tree)


def _with_kernel(packages: str, kernel: Kernel) -> str:
    """A package list with what `kernel` was built from in the stead of the kernel's packages."""
    lines = [line for line in packages.splitlines() if not line.startswith(_KERNEL_PACKAGES)]
    return "".join(f"{line}\n" for line in sorted([*lines, kernel.source]))


def _fetch_headers(apt: Apt, partial: Path, names: list[str]) -> None:
    """Put the kernel's headers, the packages `names`, into `headers.tar`."""
    fetched, tree = partial / "headers.debs", partial / "headers"
    for directory in (fetched, tree):
        directory.mkdir()
    apt.download("the kernel's headers", names, fetched)
    extract(fetched, tree)
    subprocess.run(_tar(tree, partial / "headers.tar"), check=True)
    remove_tree(tree)
    remove_tree(fetched)


def header_packages(packages: str, architecture: Target) -> list[str]:
    """The packages with the headers of the kernel in a package list, for apt."""
    release, version = kernel_of(packages)
    base = release.rsplit("-", 1)[0]
    return [
        f"linux-headers-{release}:{architecture.name}={version}",
        f"linux-headers-{base}-common={version}",
        f"linux-kbuild-{base}:amd64={version}",
    ]


def kernel_of(packages: str) -> tuple[str, str]:
    """The release and the package version of the only kernel in a package list."""
    kernels = [
        (name.removeprefix(_KERNEL_PACKAGES), version)
        for name, version in (line.split() for line in packages.splitlines())
        if name.startswith(_KERNEL_PACKAGES) and name[len(_KERNEL_PACKAGES)].isdigit()
    ]
    if len(kernels) != 1:
        raise FiresteelError(
            f"board/image/packages.txt brings {len(kernels)} kernels; exactly one is allowed."
        )
    return kernels[0]


def _package_list(archives: Path) -> str:
    """The packages whose `.deb` files are in a directory: a line `NAME VERSION` each, sorted."""
    lines: list[str] = []
    for archive in archives.glob("*.deb"):
        command = ["dpkg-deb", "--show", "--showformat=${Package} ${Version}\\n", str(archive)]
        lines.append(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return "".join(sorted(lines))


def _tar(tree: Path, archive: Path) -> list[str]:
    """The command that packs a tree, without apt's files and what needs root to unpack."""
    fixed = ["--sort=name", "--numeric-owner"]
    fixed += [f"--exclude=./{path}" for path in ("dev", "var/cache/apt", "var/lib/apt")]
    return ["tar", *fixed, "--create", f"--file={archive}", f"--directory={tree}", "."]
