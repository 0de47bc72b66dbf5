# SPDX-License-Identifier: Apache-2.0
"""`firesteel console`: a shell on a board, for a person."""

import sys
from collections.abc import Mapping
from pathlib import Path

import typer

from firesteel.base.errors import FiresteelError
from firesteel.board.catalog import Catalog
from firesteel.board.command import BoardProducts
from firesteel.board.console import Files, open_console
from firesteel.board.profile import Profile, profile_names
from firesteel.board.topology import Topology, topology_names
from firesteel.build.artifacts import ArtifactSource
from firesteel.build.products import artifact_source
from firesteel.cli.application import command
from firesteel.protocols.kernel import driver_files
from firesteel.protocols.user_space import console_files

_DEFAULT_BOARD = "socrates"


def register(app: typer.Typer) -> None:
    """Adds the command."""
    names = {"boards": profile_names(), "topologies": topology_names()}
    app.command("console")(command(console, default=_DEFAULT_BOARD, **names))


def console(
    board: str | None = None,
    topology: str | None = None,
) -> None:
    """Open a shell on a board.

    Where it has cores, driver and provider are loaded.  It runs in real time, as fast as this
    machine emulates it: not for measuring.  Ctrl-A x ends it, as does leaving the shell.

    Options:
        board NAME: The board ({boards}), or its file, such as my.toml [default: that of the
            topology, or {default}].
        topology NAME: Boot all boards of this topology ({topologies}, or a TOML file) and use
            the first [default: one board without a network].
    """
    if not sys.stdin.isatty():
        raise FiresteelError("`firesteel console` needs a terminal as its standard input.")
    catalog, here = Catalog(), Path.cwd()
    wiring = catalog.topology(catalog.find_topology(topology, here)) if topology else None
    profiles = _profiles(board, wiring, catalog)
    products = {node: artifact_source(each.architecture) for node, each in profiles.items()}
    boards = {node: _boards(each) for node, each in products.items()}
    status = open_console(boards, profiles, wiring, _files(profiles, products))
    if status:
        raise FiresteelError(f"QEMU ended with status {status}; its own message is above.")


def _boards(products: ArtifactSource) -> BoardProducts:
    image = products.image()
    return BoardProducts(products.emulator(), image.kernel, image.initramfs)


def _files(profiles: Mapping[str, Profile], products: Mapping[str, ArtifactSource]) -> Files:
    """What boards with cores have besides the image; nothing is built for one without."""
    return {
        node: console_files(
            profile, driver_files(products[node].driver().read_bytes()), products[node].provider()
        )
        for node, profile in profiles.items()
        if profile.cores
    }


def _profiles(first: str | None, topology: Topology | None, catalog: Catalog) -> dict[str, Profile]:
    """Each node's profile, with that one for the first."""
    said = {"board": _DEFAULT_BOARD}
    if topology is not None:
        said = {name: node.profile for name, node in topology.nodes.items()}
    names = {node: catalog.find_profile(each, Path.cwd()) for node, each in said.items()}
    if first:
        names[next(iter(names))] = catalog.find_profile(first, Path.cwd())
    return {node: catalog.profile(name) for node, name in names.items()}
