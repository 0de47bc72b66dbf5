# SPDX-License-Identifier: Apache-2.0
"""Program roots: Debian trees with the programs that the provider is tried under.

One for each suite whose OpenSSL counts.  Each has compilers too, so that library and provider
are built for the OpenSSL that the programs use.  They are made and entered as the build root is.
"""

from pathlib import Path

from firesteel.base.checkout import CHECKOUT, PROGRAMS
from firesteel.build.buildroot import BuildRoot, Root, product_room, read_list
from firesteel.build.cache import key_of, snapshot, tree_digest
from firesteel.build.products import PROVIDER_FOLDERS, Products
from firesteel.build.recipes import common

OPENSSL = {"bookworm": "3.0", "trixie": "3.5", "sid": "3.6", "experimental": "4.0"}
"""The OpenSSL of each Debian suite that the provider is tested on; docs/provider.md has a table of
them.
"""

SUITES = ("trixie", "bookworm")
"""Those whose programs are tried, too; the roots of the others have none but `openssl`."""

_BELOW = {"experimental": "sid"}
"""The suite that has what another one lacks."""


def program_root(products: Products, suite: str) -> BuildRoot:
    """The program root of the Debian release `suite`, made if need be."""
    listed = read_list(PROGRAMS / ("packages.txt" if suite in SUITES else "newest.txt"))
    packages = [name.replace("@SUITE@", suite) for name in listed]
    root = Root(
        "program-root",
        f"root with programs of {suite}",
        packages,
        suites=tuple(dict.fromkeys((_BELOW.get(suite, suite), suite))),
        left_out=("doc", "info", "locale", "man"),
    )
    return root.make(products.cache, products.runner)


def program_provider(products: Products, root: BuildRoot) -> Path:
    """Library and provider for the OpenSSL of a program root, built if need be.

    The directory must be seen at /firesteel/output; `firesteel.so` is in it.
    """
    with snapshot(_sources()) as sources:
        key = key_of({"sources": tree_digest(sources), "root": root.inputs})

        def build(partial: Path) -> None:
            command = ["sh", "/firesteel/checkout/build.sh"]
            with product_room(partial, {"/firesteel/checkout": sources}) as room:
                root.run(products.runner, "Building the provider for programs", command, room)

        return products.cache.product("program-provider", key, build)


def _sources() -> dict[str, Path]:
    """What is compiled, and the script that does it; tests and fuzzers lie in folders below.

    One test of the library is compiled wherever the library is.
    """
    bare = "lib/tests/test-bare.c"
    found = {"build.sh": PROGRAMS / "build.sh", bare: CHECKOUT / bare} | common()
    for part in ("lib", "model", "provider", "silex"):
        for path in (CHECKOUT / part).iterdir():
            if path.is_file() or path.name in ("include", "man", *PROVIDER_FOLDERS):
                found[f"{part}/{path.name}"] = path
    return found
