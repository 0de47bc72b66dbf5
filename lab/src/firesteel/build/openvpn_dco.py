# SPDX-License-Identifier: Apache-2.0
"""OpenVPN's data channel offload for the guest's kernel: the module `ovpn-dco-v2`.

Debian has its source for machines that build modules themselves (`openvpn-dco-dkms`).  It is not
part of the image, where OpenVPN would use it in every tunnel.  It is built twice: as it is, which
gives the crypto API one packet at a time, and with a patch of ours by which packets go in batches.
"""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from firesteel.base.checkout import BOARD, MODULE_SCRIPT
from firesteel.base.errors import FiresteelError
from firesteel.build.apt import apt_within
from firesteel.build.buildroot import BuildRoot
from firesteel.build.cache import Cache, key_of, tree_digest
from firesteel.build.image import Packages
from firesteel.build.mirror import SUITE
from firesteel.build.modules import module_room
from firesteel.build.progress import Runner
from firesteel.build.recipe import filled_in

_MODULE = "ovpn-dco-v2.ko"
_IN_BATCHES = "ovpn-dco-v2-batches.ko"

FILES = (_MODULE, _IN_BATCHES)
"""The files of the product."""

UPSTREAM = "0.0+git20241121"
"""The version whose name the recipe knows; its Debian revisions are equal to it."""

_PACKAGE = "openvpn-dco-dkms"
_RECIPE = BOARD / "openvpn-dco"


@dataclass(frozen=True)
class OpenVpnDco:
    """Where the product lies.

    Both modules need the kernel's modules `udp_tunnel` and `ip6_udp_tunnel`.
    """

    directory: Path

    @property
    def module(self) -> Path:
        """As Debian has it, one packet at a time."""
        return self.directory / _MODULE

    @property
    def module_in_batches(self) -> Path:
        """With packets in batches."""
        return self.directory / _IN_BATCHES


def fetch(cache: Cache, runner: Runner) -> Path:
    """Debian's package with the source, unopened, fetched if need be; another version is refused
    and not kept.
    """

    def build(partial: Path) -> None:
        with apt_within(partial, runner) as apt:
            apt.download("the source of OpenVPN's data channel offload", [_PACKAGE], partial)
        check_version(version_of(partial))

    key = key_of({"suite": SUITE, "upstream": UPSTREAM})
    return cache.product("openvpn-dco-source", key, build)


def version_of(source: Path) -> str:
    """Debian's version of the package in a directory."""
    (package,) = source.glob(f"{_PACKAGE}_*.deb")
    return package.name.split("_")[1].replace("%3a", ":")


def check_version(version: str) -> None:
    """Refuse another version than the pinned one with a `FiresteelError`."""
    if not re.fullmatch(rf"{re.escape(UPSTREAM)}-\S+", version):
        raise FiresteelError(
            f"The mirror's {SUITE} has {_PACKAGE} {version}, but the lab is made for {UPSTREAM}: "
            "use a mirror that has it, or raise the version in "
            f"{Path(__file__).name} and measure with it."
        )


def make(
    cache: Cache, runner: Runner, source: Path, packages: Packages, root: BuildRoot
) -> OpenVpnDco:
    """Both modules for the packages' kernel, built if need be."""
    parts = {path.name: path for path in (*_RECIPE.iterdir(), MODULE_SCRIPT)}
    with filled_in(parts, packages.architecture) as recipe:
        inputs = {
            "source": tree_digest(*source.glob("*.deb")),
            "recipe": tree_digest(recipe),
            "packages": tree_digest(packages.list),
            "build root": root.inputs,
        }

        def build(partial: Path) -> None:
            (package,) = source.glob("*.deb")
            readable = {"/firesteel/recipe": recipe}
            command = ["sh", "/firesteel/recipe/build.sh", UPSTREAM]
            with module_room(partial, packages.headers, readable) as (work, room):
                subprocess.run(["dpkg-deb", "--extract", package, work], check=True)
                root.run(runner, "Building OpenVPN's data channel offload", command, room)
                for name in FILES:
                    (work / name).rename(partial / name)

        return OpenVpnDco(cache.product("openvpn-dco", key_of(inputs), build))
