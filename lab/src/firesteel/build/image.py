# SPDX-License-Identifier: Apache-2.0
"""The guest image: Debian packages, and what `board/image/` makes of them.

The contract with the recipe is in `board/image/README.md`.
"""

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from firesteel.architectures.architecture import Architecture
from firesteel.base.checkout import BOARD, MODULE_SCRIPT, PROBE_HEADER
from firesteel.base.errors import FiresteelError
from firesteel.build import buildroot, mirror
from firesteel.build.apt import Apt, extract
from firesteel.build.buildroot import BuildRoot, Room
from firesteel.build.cache import Cache, key_of, remove_tree, tree_digest
from firesteel.build.progress import Runner
from firesteel.build.recipe import filled_in, read_list

_RECIPE = BOARD / "image"
_KERNEL_PACKAGES = "linux-image-"

FILES = ("kernel", "initramfs.cpio", "manifest.json", "kernel.key")
"""The files of a product."""


@dataclass(frozen=True)
class Image:
    """What a board starts."""

    kernel: Path
    """A uImage of the uncompressed kernel."""

    initramfs: Path
    """The base file system: an uncompressed cpio archive to which a job is appended."""

    manifest: Path
    """JSON: package → version."""

    key: str
    """Hash of everything that went into the image."""

    kernel_key: str
    """Hash of the kernel's bytes."""


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

    architecture: Architecture

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


def fetch(cache: Cache, runner: Runner, architecture: Architecture) -> Packages:
    """The packages that `board/image/packages.txt` names, fetched if need be."""
    names = read_list(_RECIPE / "packages.txt", architecture)

    def build(partial: Path) -> None:
        archive = mirror.find_mirror()
        tree = partial / "tree"
        # The fetched archives stay, since in an extracted tree nothing else knows the versions.
        keep = ["--skip=essential/unlink,cleanup/apt"]
        sources = archive.sources()
        command = buildroot.mmdebstrap("extract", architecture.name, names, tree, sources, keep)
        runner.run_apart("Extracting the packages of the image", command)
        packages = _package_list(tree / "var/cache/apt/archives")
        (partial / "packages.list").write_text(packages)
        runner.run_apart("Packing the packages of the image", _tar(tree, partial / "tree.tar"))
        remove_tree(tree)
        _fetch_headers(partial, packages, architecture, archive, runner)

    key = key_of({"suite": mirror.SUITE, "packages": " ".join(names)})
    return Packages(cache.product("packages", key, build), architecture)


def make(
    cache: Cache,
    runner: Runner,
    packages: Packages,
    root: BuildRoot,
    kernel: Kernel | None = None,
) -> Image:
    """The image, assembled if need be; with `kernel`, if given, in the stead of the packages'."""

    def in_cache(key: str, build: Callable[[Path], None]) -> Path:
        return cache.product("image", key, build)

    return _make(in_cache, runner, packages, root, kernel)


def assemble(directory: Path, runner: Runner, packages: Packages, root: BuildRoot) -> Image:
    """The image, assembled in an empty directory though the cache may have it."""

    def anew(_: str, build: Callable[[Path], None]) -> Path:
        build(directory)
        return directory

    return _make(anew, runner, packages, root, None)


def _make(
    place: Callable[[str, Callable[[Path], None]], Path],
    runner: Runner,
    packages: Packages,
    root: BuildRoot,
    kernel: Kernel | None,
) -> Image:
    """The image in the directory that `place` gives for its key, where it has it built."""
    parts = [*_RECIPE.iterdir(), MODULE_SCRIPT, PROBE_HEADER]
    with filled_in({path.name: path for path in parts}, packages.architecture) as recipe:
        inputs = {
            "recipe": tree_digest(recipe),
            "packages": tree_digest(packages.list),
            "build root": root.inputs,
        }
        if kernel is not None:
            inputs["kernel"] = kernel.key
        key = key_of(inputs)
        directory = place(
            key, lambda partial: _build(partial, recipe, packages, kernel, root, runner)
        )
    return image_in(directory, key)


def image_in(directory: Path, key: str) -> Image:
    """The image whose files are in a directory."""
    kernel, initramfs, manifest, kernel_key = (directory / name for name in FILES)
    return Image(kernel, initramfs, manifest, key, kernel_key.read_text())


def _build(
    partial: Path,
    recipe: Path,
    packages: Packages,
    kernel: Kernel | None,
    root: BuildRoot,
    runner: Runner,
) -> None:
    work = partial / "work"
    tree, headers = work / "tree", work / "headers"
    for path, archive in ((tree, packages.tree), (headers, (kernel or packages).headers)):
        path.mkdir(parents=True)
        untar(archive, path)
    versions = packages.list.read_text()
    if kernel is not None:
        _replace_kernel(tree, kernel)
        versions = _with_kernel(versions, kernel)
    (work / "packages.list").write_text(versions)
    room = Room(
        writable={
            "/firesteel/tree": tree,
            "/firesteel/headers": headers,
            "/firesteel/output": partial,
        },
        readable={
            "/firesteel/recipe": recipe,
            "/firesteel/packages.list": work / "packages.list",
        },
    )
    root.run(runner, "Assembling the image", _assemble(), room)
    remove_tree(work)
    (partial / "kernel.key").write_text(tree_digest(partial / "kernel"))


def _replace_kernel(tree: Path, kernel: Kernel) -> None:
    """Put `kernel` and its modules where those of the packages are in their unpacked `tree`."""
    remove_tree(tree / "boot")
    remove_tree(tree / "usr/lib/modules")
    untar(kernel.tree, tree)


def _with_kernel(packages: str, kernel: Kernel) -> str:
    """A package list with what `kernel` was built from in the stead of the kernel's packages."""
    lines = [line for line in packages.splitlines() if not line.startswith(_KERNEL_PACKAGES)]
    return "".join(f"{line}\n" for line in sorted([*lines, kernel.source]))


def _assemble() -> list[str]:
    arguments = {
        "tree": "/firesteel/tree",
        "headers": "/firesteel/headers",
        "packages": "/firesteel/packages.list",
        "output": "/firesteel/output",
    }
    options = [word for name, path in arguments.items() for word in (f"--{name}", path)]
    return ["env", "--chdir=/firesteel/recipe", "python3", "-m", "assemble", *options]


def _fetch_headers(
    partial: Path,
    packages: str,
    architecture: Architecture,
    archive: mirror.Mirror,
    runner: Runner,
) -> None:
    """Put the headers of the very kernel in `packages` into `headers.tar`."""
    work, tree = partial / "apt", partial / "headers"
    work.mkdir()
    tree.mkdir()
    apt = Apt(work, archive, runner, f"amd64 {architecture.name}")
    apt.update()
    apt.download("the kernel's headers", header_packages(packages, architecture), work)
    extract(work, tree)
    subprocess.run(_tar(tree, partial / "headers.tar"), check=True)
    remove_tree(tree)
    remove_tree(work)


def header_packages(packages: str, architecture: Architecture) -> list[str]:
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


def untar(archive: Path, target: Path) -> None:
    """Unpack an archive of a product into an existing directory, as the calling user's."""
    command = ["tar", "--extract", f"--file={archive}", f"--directory={target}"]
    subprocess.run([*command, "--no-same-owner"], check=True)
