# SPDX-License-Identifier: Apache-2.0
"""The guest image: Debian packages, and what `board/image/` makes of them.

The contract with the recipe is in `board/image/README.md`.
"""

import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from firesteel.architectures.architecture import Target
from firesteel.base.checkout import BOARD, MODULE_SCRIPT, PROBE_HEADER
from firesteel.base.errors import FiresteelError
from firesteel.build import lock
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
from firesteel.build.debian import Apt, Mirror, apt_within, extract, find_mirror

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
    locked = lock.read(path)

    def build(partial: Path) -> None:
        mirror = find_mirror()
        with apt_within(partial, at.runner, f"amd64 {architecture.name}", mirror) as apt:
            lock.check(path, locked, apt, architecture.name)
            _extract_locked(at, partial, path, locked, mirror)
            _fetch_headers(apt, partial, header_packages(lock.listed(locked), architecture))

    key = key_of({"lock": tree_digest(path)})
    return Packages(at.cache.product("packages", key, build), architecture)


def _extract_locked(
    at: Context, partial: Path, path: Path, locked: lock.Lock, mirror: Mirror
) -> None:
    """Put the files of the packages that the lock in `path` names into `tree.tar`, and the list."""
    architecture, tree = at.architecture.name, partial / "tree"
    # The fetched archives stay, since in an extracted tree nothing else knows the versions.
    keep = ["--skip=essential/unlink,cleanup/apt"]
    pinned = [f"{name}={each.version}" for name, each in sorted(locked.items())]
    command = mmdebstrap("extract", architecture, pinned, tree, mirror.sources(), keep)
    at.runner.run_apart("Extracting the packages of the image", command)
    packages = _package_list(tree / "var/cache/apt/archives")
    if packages != lock.listed(locked):
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
        return lock.renew(lock_path(at.architecture), names, apt, architecture)


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
