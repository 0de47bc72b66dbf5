# SPDX-License-Identifier: Apache-2.0
"""Debian's kernels, and the driver built for each.

The mirror of the machine's own apt configuration is asked which kernel each suite has.
"""

import re
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from kernel_modules import ALSO, NEEDED, take_modules

from firesteel.base.checkout import DRIVER, SILEX
from firesteel.base.errors import FiresteelError
from firesteel.build.buildroot import BuildRoot, Room, Root, read_list
from firesteel.build.cache import key_of, remove_tree, tree_digest
from firesteel.build.debian import Apt, apt_within, extract, find_mirror, paragraphs
from firesteel.build.products import Products
from firesteel.build.recipes import lay_out_driver

_HERE = Path(__file__).parent

FLAVOURS = {"armhf": "armmp", "arm64": "arm64", "amd64": "amd64", "riscv64": "riscv64"}
"""Debian's kernel for usual machines of each architecture."""

_TRIPLETS = {
    "armhf": "arm-linux-gnueabihf",
    "arm64": "aarch64-linux-gnu",
    "amd64": "x86_64-linux-gnu",
    "riscv64": "riscv64-linux-gnu",
}


class NoKernel(Exception):  # noqa: N818 - the mirror lacks something, the test does not err
    """The mirror has no such kernel; the text says it in a sentence."""


@dataclass(frozen=True)
class Release:
    """A suite of Debian with kernels.

    `series` is that of its kernels; where the suite `moves`, the newest for which the driver was
    built.
    """

    suite: str
    series: str
    architectures: tuple[str, ...]
    real_time: tuple[str, ...] = ()
    """Architectures with a PREEMPT_RT kernel of its own."""

    moves: bool = False

    def has(self, kernel: str) -> bool:
        """Whether a kernel of this release's name is one that the suite should have."""
        found, listed = (
            [int(number) for number in re.findall(r"\d+", version)[:2]]
            for version in (kernel, self.series)
        )
        return found >= listed if self.moves else found == listed


RELEASES = (
    Release("bullseye", "5.10", ("armhf", "arm64", "amd64"), ("armhf", "arm64", "amd64")),
    Release("bookworm", "6.1", ("armhf", "arm64", "amd64"), ("armhf", "arm64", "amd64")),
    Release("trixie", "6.12", tuple(FLAVOURS), ("armhf", "arm64", "amd64")),
    Release("sid", "7.2", tuple(FLAVOURS), ("arm64", "amd64"), moves=True),
    Release("experimental", "7.3", ("armhf", "arm64", "amd64"), ("arm64", "amd64"), moves=True),
)


@dataclass(frozen=True)
class Kernel:
    """A kernel of a suite; `real_time` is PREEMPT_RT's."""

    release: Release
    architecture: str
    real_time: bool = False

    def __str__(self) -> str:
        return f"{self.release.suite}-{self.architecture}{'-rt' if self.real_time else ''}"

    @property
    def flavour(self) -> str:
        """What Debian calls it: the end of its release's name."""
        return ("rt-" if self.real_time else "") + FLAVOURS[self.architecture]


KERNELS = tuple(
    Kernel(release, architecture, real_time)
    for release in RELEASES
    for real_time, architectures in ((False, release.architectures), (True, release.real_time))
    for architecture in architectures
)

BOARDS = ("trixie-armhf", "trixie-arm64")
"""The kernels of the boards, on which all other tests run the driver."""


RUN = (
    *("bookworm-armhf", "bookworm-arm64", "trixie-arm64", "trixie-armhf-rt", "trixie-arm64-rt"),
    *("sid-armhf", "sid-arm64"),
)
"""Kernels on which the driver runs in `test_runs.py`."""


def table() -> str:
    """The table of *Compatibility* in docs/driver.md."""
    lines = [
        "| Debian | Linux | compiled for | compiled for PREEMPT_RT | run on |",
        "|---|---|---|---|---|",
    ]
    for release in RELEASES:
        of_release = [kernel for kernel in KERNELS if kernel.release is release]
        plain, real_time = (
            ", ".join(kernel.architecture for kernel in of_release if kernel.real_time is wanted)
            for wanted in (False, True)
        )
        names = (str(each) for each in of_release if str(each) in BOARDS + RUN)
        run = ", ".join(name.removeprefix(f"{release.suite}-") for name in names) or "–"
        lines.append(f"| {release.suite} | {release.series} | {plain} | {real_time} | {run} |")
    return "\n".join(lines)


@dataclass(frozen=True)
class Headers:
    """The packages with a kernel's headers, and its release as `uname -r` says it."""

    packages: Path
    release: str


class Archives:
    """The suites on the mirror; the indexes of each are read when it is first asked for, in a new
    directory.
    """

    def __init__(self, products: Products, new_directory: Callable[[], Path]) -> None:
        self.products = products
        self._new_directory = new_directory
        self._known: dict[Release, Apt] = {}
        self._stack = ExitStack()

    def close(self) -> None:
        """Remove the indexes."""
        self._stack.close()

    def headers(self, kernel: Kernel) -> Headers:
        """The newest headers of a kernel, fetched if need be; `NoKernel` if there are none."""
        apt = self._apt(kernel.release)
        name, of = f"linux-headers-{kernel.flavour}", f":{kernel.architecture}"
        package = _needs(apt, name + of, rf"linux-headers-\d\S*-{kernel.flavour}")
        if not package:
            raise NoKernel(
                f"Debian's {kernel.release.suite} on the mirror has no package {name} for "
                f"{kernel.architecture}."
            )
        common, programs = (
            _needs(apt, package + of, pattern)
            for pattern in (r"linux-headers-[^\s,]+-common[^\s,]*", r"linux-kbuild-[^\s,]+")
        )
        names = [package + of, common, f"{programs}:amd64"]
        version = _field(apt, package + of, "Version")

        def build(partial: Path) -> None:
            apt.download(f"the headers of {version} for {kernel}", names, partial)

        key = key_of({"packages": " ".join(names), "version": version})
        product = self.products.cache.product("kernel-headers", key, build)
        return Headers(product, package.removeprefix("linux-headers-"))

    def image(self, kernel: Kernel, headers: Headers) -> Path:
        """A directory with the kernel of these headers, `vmlinuz`, and the modules that a run
        needs, below `modules/`; fetched if need be.
        """
        apt, of = self._apt(kernel.release), f":{kernel.architecture}"
        image = f"linux-image-{headers.release}"
        parts = [
            _needs(apt, image + of, rf"linux-{part}-[^\s,]+") for part in ("binary", "modules")
        ]
        names = [name + of for name in (image, *parts) if name]
        version = _field(apt, image + of, "Version")

        def build(partial: Path) -> None:
            packages, unpacked = partial / "packages", partial / "unpacked"
            packages.mkdir()
            apt.download(f"the kernel {version} for {kernel}", names, packages)
            extract(packages, unpacked)
            images = (*unpacked.glob("boot/vmlinuz-*"), *unpacked.glob("usr/lib/modules/*/vmlinuz"))
            images[0].rename(partial / "vmlinuz")
            (tree,) = (
                path for path in unpacked.glob("**/modules/*") if path.name == headers.release
            )
            take_modules(tree, partial / "modules")
            for each in (packages, unpacked):
                remove_tree(each)

        key = key_of(
            {"packages": " ".join(names), "version": version, "modules": str((NEEDED, ALSO))}
        )
        return self.products.cache.product("kernel-to-run", key, build)

    def _apt(self, release: Release) -> Apt:
        if release not in self._known:
            try:
                mirror = find_mirror(release.suite)
            except FiresteelError as error:
                raise NoKernel(str(error)) from None
            architectures = " ".join(dict.fromkeys(("amd64", *release.architectures)))
            self._known[release] = self._stack.enter_context(
                apt_within(self._new_directory(), self.products.runner, architectures, mirror)
            )
        return self._known[release]


def _needs(apt: Apt, package: str, pattern: str) -> str:
    """The dependency of a package whose name fits; empty without."""
    found = re.search(rf"(?:^|, )({pattern})(?= |,|$)", _field(apt, package, "Depends"))
    return found[1] if found else ""


def _field(apt: Apt, package: str, name: str) -> str:
    return next(paragraphs(apt.show([package])), {}).get(name, "")


def kernel_root(products: Products) -> BuildRoot:
    """The root with the compilers for all architectures and sparse, made if need be.

    It is none of the build roots, whose packages decide the keys of all products.
    """
    packages = read_list(_HERE / "packages.txt")
    root = Root("kernel-root", "root with compilers of kernels", packages)
    return root.make(products.cache, products.runner)


def newer_sparse(products: Products) -> Path:
    """The tree of unstable's sparse: the release's knows neither the C of newer kernels nor the
    names of RISC-V's extensions.
    """
    return _of_unstable(products, "kernel-sparse", lambda _: ["sparse"])


def newer_compiler(products: Products) -> Path:
    """The tree of unstable's compiler for RISC-V: the release's lacks extensions for which unstable
    compiles its kernel.
    """

    def names(apt: Apt) -> list[str]:
        compiler = _needs(apt, "gcc-riscv64-linux-gnu", r"gcc-\d+-riscv64-linux-gnu")
        return [compiler, compiler.replace("gcc", "cpp", 1)]

    return _of_unstable(products, "kernel-compiler", names)


def _of_unstable(products: Products, kind: str, names: Callable[[Apt], list[str]]) -> Path:
    def build(partial: Path) -> None:
        packages = partial / "packages"
        packages.mkdir()
        with apt_within(partial, products.runner, mirror=find_mirror("sid")) as apt:
            apt.download(kind, names(apt), packages)
        extract(packages, partial)
        remove_tree(packages)

    return products.cache.product(kind, key_of({"suite": "sid"}), build)


def build_driver(
    products: Products, kernel: Kernel, headers: Headers, directory: Path, source: Path = DRIVER
) -> list[str]:
    """What compiler (W=1) and sparse say of the driver in `source` when it is built in the empty
    `directory` for a kernel, a line each.  The module is `driver/firesteel.ko` there.

    `FiresteelError` if it does not compile.
    """
    lay_out_driver(directory, source)
    build_module(products, kernel, headers, directory, "driver")
    return (directory / "messages").read_text().splitlines()


def built_driver(products: Products, kernel: Kernel, headers: Headers) -> Path:
    """A directory with the driver for a kernel, `firesteel.ko`, and what compiler and sparse say of
    it, `messages`; built if need be.
    """

    def build(partial: Path) -> None:
        work = partial / "work"
        work.mkdir()
        build_driver(products, kernel, headers, work)
        for path in (work / "driver/firesteel.ko", work / "messages"):
            path.rename(partial / path.name)
        remove_tree(work)

    inputs = {"kernel": str(kernel), "headers": headers.packages.name}
    inputs["sources"] = tree_digest(DRIVER, SILEX, _HERE / "build.sh", _HERE / "packages.txt")
    return products.cache.product("kernel-driver", key_of(inputs), build)


def build_module(
    products: Products, kernel: Kernel, headers: Headers, directory: Path, folder: str
) -> None:
    """Build the module whose sources are in a folder of `directory`, beside them."""
    command = ["sh", "/firesteel/build.sh", "/firesteel/headers"]
    command += [_TRIPLETS[kernel.architecture], "/firesteel/work", folder]
    readable = {"/firesteel/build.sh": _HERE / "build.sh"}
    if kernel.release.moves or kernel.architecture == "riscv64":
        readable["/firesteel/sparse"] = newer_sparse(products)
    if kernel.release.moves and kernel.architecture == "riscv64":
        readable["/firesteel/compiler"] = newer_compiler(products)
    unpacked = directory / "headers"
    extract(headers.packages, unpacked)
    room = Room({"/firesteel/work": directory, "/firesteel/headers": unpacked}, readable)
    what = f"Building a module for Linux {headers.release}"
    kernel_root(products).run(products.runner, what, command, room)
    remove_tree(unpacked)
