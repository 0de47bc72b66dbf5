# SPDX-License-Identifier: Apache-2.0
"""All that is built for boards, made when it is first asked for.

A product's key is the hash of what goes into it.  There are two ways to compile, both in the build
root: `_compiled` runs a recipe's script, and `_module` builds kernel modules next to their sources
with a kernel's headers.
"""

import lzma
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from firesteel.architectures import ARCHITECTURES, DEFAULT
from firesteel.architectures.architecture import Architecture
from firesteel.architectures.arm64 import ARM64
from firesteel.base.checkout import (
    BOARD,
    DRIVER,
    FRONT_ENDS,
    MODULE_SCRIPT,
    PROVIDER,
    SILEX,
)
from firesteel.base.errors import FiresteelError
from firesteel.build import buildroot, bundle, doctor, fetched, image, privilege
from firesteel.build.artifacts import (
    DCO_MODULES,
    LIBCRYPTO_PACKAGE,
    NEWER,
    Artifact,
    ArtifactSource,
    Image,
    What,
    brought,
)
from firesteel.build.buildroot import (
    BuildRoot,
    Context,
    Room,
    filled_in,
    module_room,
    module_script,
    product_room,
)
from firesteel.build.cache import (
    Cache,
    cache_directory,
    key_of,
    remove_tree,
    tree_digest,
)
from firesteel.build.debian import extract, version_in
from firesteel.build.image import Kernel, Packages
from firesteel.build.progress import Runner, at_once
from firesteel.build.recipes import lay_out_driver, own_sources, qemu_recipe, with_library

PROVIDER_FOLDERS = ("base", "check", "configurations", "symmetric", "keys", "public-key")
"""Folders of the provider's sources, in addition to its own."""

_WOLFSSL = ("libwolfssl42t64", "libwolfssl-dev")
"""The library, whose package has its number in its name, and what programs are compiled with."""

_LIGHTTPD = ("lighttpd", "lighttpd-mod-wolfssl")
"""Of one source and one version; the image has all libraries that they need but wolfSSL."""

_SCRIPTS = BOARD / "buildroot"

DEBUG, RACE = BOARD / "debug-kernel", BOARD / "race-kernel"
"""Directories with a configuration each: of the kernel that stands in for an image's own, and of
the one that finds races, for a 64-bit board of the tests.  The first has the script for both."""


@dataclass(frozen=True)
class RaceBoard:
    """Products for a test board that detects data races: 64 bits, and a kernel that finds them.
    KCSAN, which does that, does not exist for 32-bit ARM.  Nothing is ever measured on it.
    """

    emulator: Path
    kernel: Kernel
    busybox: Path
    """The tree of its package, a static program: all that the guest has."""

    root: BuildRoot
    """Where its programs and modules are built."""

    def write_kernel(self, target: Path) -> None:
        """Write the file that the emulator boots."""
        command = ["tar", "--extract", "--to-stdout", f"--file={self.kernel.tree}"]
        with target.open("wb") as sink:
            subprocess.run([*command, "--wildcards", "./boot/vmlinuz-*"], check=True, stdout=sink)


def artifact_source(architecture: Architecture = DEFAULT) -> ArtifactSource:
    """What boards of an architecture are run with here: brought with these files, or else built."""
    return brought(architecture) or Products(architecture=architecture)


_OF_MACHINES: Mapping[str, tuple[Architecture, str]] = {
    "x86_64": (DEFAULT, "amd64"),
    **{name: (each, each.name) for each in ARCHITECTURES.values() for name in each.machine.real},
}
"""Which build has the probe for a machine, by `uname -m`, and what it is called there."""


def machine_probe(machine: str) -> Path:
    """The static program that is the probe on a real machine, built if need be.

    Raises `FiresteelError` for an architecture that it is not built for.
    """
    if machine not in _OF_MACHINES:
        raise FiresteelError(
            f"There is no probe for machines that `uname -m` calls {machine}; allowed are "
            f"{', '.join(_OF_MACHINES)}."
        )
    architecture, name = _OF_MACHINES[machine]
    return Products(architecture=architecture).machine_probes() / f"probe-{name}"


class Products(ArtifactSource):
    """Builds what is missing in the cache, with progress, and says where it is.

    Products for guests have one architecture.
    """

    def __init__(
        self,
        runner: Runner | None = None,
        architecture: Architecture = DEFAULT,
        cache: Cache | None = None,
    ) -> None:
        super().__init__(architecture)
        self.runner = runner or Runner(cache_directory() / "logs")
        self.cache = cache or Cache(cache_directory(), self._check_machine, self._tell_waiting)
        self._at = Context(self.cache, self.runner, architecture)
        self._machine_checked = False

    def make_all(self) -> None:
        """Make what boards need at once: most steps of a build keep one CPU, or the network."""
        if not privilege.is_root():
            self.build_root()  # Alone: sudo may ask for a password.
        first = (self.build_root, self.packages, lambda: fetched.qemu_source(self._at))
        at_once(self.runner, *first)
        at_once(self.runner, self.emulator, self._make_what_boards_run)

    def _make_what_boards_run(self) -> None:
        for what in ("image", "driver", "provider", "openssh"):
            self.artifact(what)

    def find(self, what: What) -> Artifact:
        """The artifact of a kind, built if need be."""
        make: Callable[[], Path] = getattr(self, f"_{what.replace('-', '_')}")
        directory = make()
        version = ""
        if what == "qemu":
            version = fetched.source_version(fetched.qemu_source(self._at))
        if (noted := directory / "version").exists():
            version = noted.read_text().strip()
        return Artifact(what, directory, directory.name, self.architecture, version)

    def build_root(self) -> BuildRoot:
        """The Debian tree with the compilers."""
        return buildroot.make(self._at)

    def packages(self) -> Packages:
        """The packages of the guest's image, and the headers of its kernel."""
        return image.fetch(self._at)

    def relock(self) -> list[str]:
        """Write the lock of the image's packages again; returns the packages that differ."""
        return image.relock(self._at)

    def development(self) -> Path:
        """Libraries and headers that programs for the guest are built with."""
        return fetched.development(self._at, self.packages())

    def openvpn_dco_source(self) -> Path:
        """A directory with Debian's package of its source."""
        return fetched.openvpn_dco_source(self._at)

    def debian_packages(self, kind: str, names: Sequence[str]) -> Path:
        """A tree of further Debian packages for guests, as the product `kind`."""
        return fetched.packages(self._at, kind, kind, self._for_guests(names))

    def wolfssl(self) -> Path:
        """Debian's wolfSSL for what runs in the build root: a tree `usr/` with library and headers,
        and `source/` with the source package, unopened.
        """
        return self._wolfssl([f"{name}:amd64" for name in _WOLFSSL])

    def guest_wolfssl(self) -> Path:
        """The same for guests."""
        return self._wolfssl(self._for_guests(_WOLFSSL))

    def lighttpd_packages(self) -> Path:
        """Debian's lighttpd with its module for wolfSSL, as packages for guests."""
        names = self._for_guests(_LIGHTTPD)
        return fetched.packages(self._at, "lighttpd-packages", "lighttpd", names, unpacked=False)

    def machine_probes(self) -> Path:
        """A directory with the probe of real machines, `probe-NAME`: for guests' architecture, and
        for the build root's own.
        """
        parts = {name: BOARD / "machine" / name for name in ("build.sh", "probe.c")}
        named = ("machine-probe", "the probe of real machines")
        return self._compiled(named, parts, "recipe/build.sh", {}, {})

    def debug_kernel(self) -> Kernel:
        """The kernel that finds faults of drivers; no other product needs it."""
        return self._kernel(DEBUG, self._at)

    def race_board(self) -> RaceBoard:
        """A 64-bit board of the tests, with a kernel that finds races."""
        at = Context(self.cache, self.runner, ARM64)
        emulator = self._qemu() / ARM64.machine.emulator
        busybox = fetched.packages(at, "busybox", "busybox", [f"busybox-static:{ARM64.name}"])
        return RaceBoard(emulator, self._kernel(RACE, at), busybox, buildroot.make(at))

    def _kernel(self, configuration: Path, at: Context) -> Kernel:
        """The image's own kernel in another configuration, built if need be: only what changed
        since the last build of this source.
        """
        source, name, version = fetched.kernel_source(self._at, self.packages())
        patches = tree_digest(configuration / "patches")
        inputs = {"package": name, "version": version, "patches": patches}
        parts = {each: configuration / each for each in ("config", "patches")}
        made = self._compiled(
            (configuration.name, f"the {configuration.name}"),
            {"build.sh": DEBUG / "build.sh", **parts},
            "recipe/build.sh",
            inputs,
            {"source": source},
            at,
            work=inputs,
        )
        return Kernel(made, made.name, f"{name} {version}")

    def debug_image(self) -> Image:
        """The image with the debug kernel."""
        return self._image_with(self.debug_kernel())

    def debug_driver(self) -> Path:
        """The Linux driver for the debug kernel."""
        return self._driver(self.debug_kernel()) / "firesteel.ko"

    def wheels(self, python: str) -> list[Path]:
        """The lab's Python packages for a version of Python."""
        return bundle.fetch_wheels(self._at, python)

    def write_sources(self, directory: Path) -> Path:
        """The sources of the emulator and of all that guests have, in a file in `directory`."""
        root = buildroot.make(Context(self.cache, self.runner, DEFAULT))
        debian = bundle.fetch_sources(self._at, self.packages(), root)
        version = version_in(self.lighttpd_packages(), "lighttpd")
        more = (
            fetched.qemu_source(self._at),
            self.openvpn_dco_source(),
            fetched.source(self._at, "lighttpd", version),
            self.guest_wolfssl() / "source",
        )
        return bundle.write_sources(directory, debian, *more)

    def _qemu(self) -> Path:
        """One build for all architectures, as the nodes of a run refuse each other if they are of
        several; only what changed since the last build of this source is compiled.
        """
        source, parts = fetched.qemu_source(self._at), qemu_recipe()
        inputs = {"source": tree_digest(fetched.description(source))}
        return self._compiled(
            ("qemu", "QEMU"),
            parts,
            "recipe/build.sh",
            inputs,
            {"source": source},
            Context(self.cache, self.runner, DEFAULT),
            work={**inputs, "build.sh": tree_digest(parts["build.sh"])},
        )

    def _image(self) -> Path:
        return self._image_with(None).kernel.parent

    def _image_with(self, kernel: Kernel | None) -> Image:
        return image.make(self._at, self.packages(), self.build_root(), kernel)

    def _driver(self, kernel: Kernel | None = None) -> Path:
        """The driver needs the kernel's module `authenc`."""
        with module_script(self.architecture) as script:
            inputs = {"sources": tree_digest(DRIVER, SILEX), "recipe": tree_digest(script)}
            command = ["/firesteel/module.sh", "/firesteel/headers", "/firesteel/work/driver"]
            return self._module(
                ("driver", "Building the driver"),
                inputs,
                lay_out_driver,
                [*command, "W=1"],
                {"/firesteel/module.sh": script},
                ["driver/firesteel.ko"],
                kernel,
            )

    def _kernel_layout(self) -> Path:
        """It is read and never loaded."""
        return self._small_module("kernel-layout", "Reading the kernel's layout", "layout.ko")

    def _cputimes(self) -> Path:
        return self._small_module("cputimes", "Building the module cputimes", "cputimes.ko")

    def _virtio_blk(self) -> Path:
        """Out of the kernel's own package; a change of the image would change all figures."""
        packages, name = self.packages(), "virtio_blk.ko"

        def build(partial: Path) -> None:
            with tarfile.open(packages.tree) as tree:
                (found,) = (each for each in tree if each.name.endswith(f"/{name}.xz"))
                packed = tree.extractfile(found)
                assert packed is not None, "a module is a file"
                (partial / name).write_bytes(lzma.decompress(packed.read()))

        return self.cache.product(
            "virtio-blk", key_of({"packages": tree_digest(packages.list)}), build
        )

    def _small_module(self, what: str, title: str, file: str) -> Path:
        """A folder of `board/`, built with the headers of the image's kernel."""
        directory = BOARD / what
        with module_script(self.architecture) as script:
            return self._module(
                (what, title),
                {"sources": tree_digest(directory), "recipe": tree_digest(script)},
                lambda work: shutil.copytree(directory, work, dirs_exist_ok=True),
                ["/firesteel/module.sh", "/firesteel/headers", "/firesteel/work"],
                {"/firesteel/module.sh": script},
                [file],
            )

    def _openvpn_dco(self) -> Path:
        """Debian's module, and the same with a patch of ours by which the crypto API gets packets
        in batches.  The image has none, as OpenVPN would use it in every tunnel.
        """
        source, directory = self.openvpn_dco_source(), BOARD / "openvpn-dco"
        parts = {path.name: path for path in (*directory.iterdir(), MODULE_SCRIPT)}
        with filled_in(parts, self.architecture) as recipe:
            return self._module(
                ("openvpn-dco", "Building OpenVPN's data channel offload"),
                {"source": tree_digest(*source.glob("*.deb")), "recipe": tree_digest(recipe)},
                lambda work: extract(source, work),
                ["sh", "/firesteel/recipe/build.sh", fetched.OPENVPN_DCO],
                {"/firesteel/recipe": recipe},
                DCO_MODULES,
            )

    def _provider(self) -> Path:
        """The provider, `provider/`, and libfiresteel under it, `lib/`; no tests, no model."""
        parts = with_library() | own_sources(PROVIDER) | self._cross_file()
        parts |= {f"provider/{name}": PROVIDER / name for name in (*PROVIDER_FOLDERS, "man")}
        target = self.development()
        return self._compiled(
            ("provider", "the provider"),
            parts | {"user-space.sh": _SCRIPTS / "user-space.sh"},
            "source/user-space.sh",
            {"development": target.name},
            {"target": target},
        )

    def _wolfssl_front_end(self) -> Path:
        """`frontends/wolfssl/` for the wolfSSL of guests, where the provider's libfiresteel is
        under it, of the same sources.
        """
        folder, script = FRONT_ENDS / "wolfssl", "wolfssl-front-end.sh"
        parts = with_library() | own_sources(folder) | self._cross_file()
        parts |= {f"frontends/wolfssl/{name}": folder / name for name in ("include", "man")}
        parts[script] = _SCRIPTS / script
        wolfssl = self.guest_wolfssl()
        return self._compiled(
            ("wolfssl-front-end", "wolfSSL's front end"),
            parts,
            f"source/{script}",
            {"wolfssl": tree_digest(wolfssl / "usr")},
            {"wolfssl": wolfssl},
        )

    def _openssh(self) -> Path:
        """`board/openssh/`: the source of the very version in the image, with a MAC `none`."""
        target = self.development()
        inputs = {"development": target.name}
        version = self.packages().version("openssh-server")
        source = fetched.source(self._at, "openssh", version)
        return self._patched("openssh", "OpenSSH", source, inputs, {"target": target})

    def _libcrypto(self) -> Path:
        """`board/openssl/`: the source of the version in the image, or of another one of its series
        where the archive no longer has that.
        """
        version = self.packages().version(LIBCRYPTO_PACKAGE)
        source = fetched.source(self._at, "openssl", version, of_series=True)
        return self._patched("openssl", "libcrypto", source, {}, {})

    def _openssl_unstable(self) -> Path:
        return self._newer_openssl("unstable")

    def _openssl_experimental(self) -> Path:
        return self._newer_openssl("experimental")

    def _newer_openssl(self, suite: str) -> Path:
        """Program and libraries out of a suite's packages, which the image's C library fits.

        They stay as they were fetched, until somebody deletes them.  Records name their version,
        and depend on their files.
        """
        newer = NEWER[suite]

        def build(partial: Path) -> None:
            packages, tree = partial / "packages", partial / "tree"
            packages.mkdir()
            version = fetched.newer_openssl(self._at, suite, newer.package, packages)
            extract(packages, tree)
            shutil.copy(tree / "usr/bin/openssl", partial)
            for name in newer.libraries:
                (library,) = tree.glob(f"usr/lib/*/{name}")
                shutil.copyfile(library, partial / name)
            (partial / "version").write_text(f"{version}\n")
            remove_tree(packages)
            remove_tree(tree)

        key = key_of({"suite": suite, "architecture": self.architecture.name})
        return self.cache.product(newer.what, key, build)

    def _patched(
        self,
        package: str,
        what: str,
        source: Path,
        inputs: Mapping[str, str],
        readable: Mapping[str, Path],
    ) -> Path:
        """What is built from Debian's source of `package`, with our patches."""
        return self._compiled(
            (what.lower(), what),
            {path.name: path for path in (BOARD / package).iterdir()},
            "recipe/build.sh",
            {"source": tree_digest(fetched.description(source)), **inputs},
            {"source": source, **readable},
        )

    def _lighttpd(self) -> Path:
        """Program and module out of Debian's packages, with the library of wolfSSL."""
        packages, wolfssl = self.lighttpd_packages(), self.guest_wolfssl()
        inputs = {
            "architecture": self.architecture.name,
            "packages": tree_digest(*packages.glob("*.deb")),
            "wolfssl": tree_digest(wolfssl / "usr/lib"),
        }

        def build(partial: Path) -> None:
            work, name = partial / "work", "libwolfssl.so.42"
            extract(packages, work)
            shutil.copy(work / "usr/sbin/lighttpd", partial)
            shutil.copy(work / "usr/lib/lighttpd/mod_wolfssl.so", partial)
            (library,) = wolfssl.glob(f"usr/lib/*/{name}")
            shutil.copyfile(library, partial / name)
            remove_tree(work)

        return self.cache.product("lighttpd", key_of(inputs), build)

    def _compiled(
        self,
        name: tuple[str, str],
        parts: Mapping[str, Path],
        script: str,
        inputs: Mapping[str, str],
        readable: Mapping[str, Path],
        at: Context | None = None,
        work: Mapping[str, str] | None = None,
    ) -> Path:
        """What a script of a recipe makes of its `parts` in the build root; `name` is the product's
        kind, and what people call it.

        The script, `FOLDER/NAME`, has the recipe in /firesteel/FOLDER, each of `readable` in
        /firesteel, and puts its files into /firesteel/output.  /firesteel/work is empty, or what
        the last build with the same inputs `work` left there.
        """
        at = at or self._at
        root = buildroot.make(at)
        of_root = {"build root": root.inputs}
        with filled_in(parts, at.architecture) as recipe:
            key = key_of({**inputs, **of_root, "recipe": tree_digest(recipe)})
            seen = {**readable, script.partition("/")[0]: recipe}
            seen = {f"/firesteel/{each}": path for each, path in seen.items()}
            told, command = f"Building {name[1]}", ["sh", f"/firesteel/{script}"]

            def build(partial: Path) -> None:
                if work is None:
                    with product_room(partial, seen) as room:
                        root.run(self.runner, told, command, room)
                    return
                with self.cache.work_directory(name[0], key_of({**work, **of_root})) as kept:
                    writable = {"/firesteel/work": kept, "/firesteel/output": partial}
                    root.run(self.runner, told, command, Room(writable, seen))

            return self.cache.product(name[0], key, build)

    def _module(
        self,
        name: tuple[str, str],
        inputs: Mapping[str, str],
        lay_out: Callable[[Path], object],
        command: list[str],
        readable: Mapping[str, Path],
        files: Sequence[str],
        kernel: Kernel | None = None,
    ) -> Path:
        """Kernel modules that `command` builds in the build root from what `lay_out` puts into the
        directory that it is given, for the packages' kernel or another one; `name` is the product's
        kind, and what a person is told.
        """
        packages, root = self.packages(), self.build_root()
        inputs = {
            **inputs,
            "packages": tree_digest(packages.list),
            "build root": root.inputs,
            **({"kernel": kernel.key} if kernel else {}),
        }

        def build(partial: Path) -> None:
            with module_room(partial, (kernel or packages).headers, readable) as (work, room):
                lay_out(work)
                root.run(self.runner, name[1], command, room)
                for each in files:
                    (work / each).rename(partial / Path(each).name)

        return self.cache.product(name[0], key_of(inputs), build)

    def _wolfssl(self, names: list[str]) -> Path:
        return fetched.packages(self._at, "wolfssl", "wolfSSL", names, source="wolfssl")

    def _for_guests(self, names: Sequence[str]) -> list[str]:
        return [f"{name}:{self.architecture.name}" for name in names]

    def _cross_file(self) -> dict[str, Path]:
        return {f"{self.architecture.name}.ini": _SCRIPTS / "cross.ini"}

    def _check_machine(self) -> None:
        """Refuse to start what this machine cannot finish."""
        if self._machine_checked:
            return
        self._machine_checked = True
        if found := doctor.lacks(doctor.this_machine(), doctor.BEFORE_BUILDING):
            raise FiresteelError(found[0])

    def _tell_waiting(self, kind: str) -> None:
        self.runner.tell(f"Waiting for another process that is building: {kind}")
