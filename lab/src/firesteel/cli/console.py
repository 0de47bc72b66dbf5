# SPDX-License-Identifier: Apache-2.0
"""`firesteel console`: a shell on a board, for a person."""

import sys
from pathlib import Path

from firesteel.base.errors import FiresteelError
from firesteel.board.catalog import Catalog
from firesteel.board.command import BoardProducts
from firesteel.board.console import open_console
from firesteel.board.profile import profile_names
from firesteel.board.topology import topology_names
from firesteel.build.products import artifact_source
from firesteel.cli.application import command
from firesteel.protocols.console import console_files
from firesteel.protocols.kernel import driver_files

_DEFAULT_BOARD = "socrates"


@command("console", default=_DEFAULT_BOARD, boards=profile_names(), topologies=topology_names())
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
    names = {"board": _DEFAULT_BOARD}
    if wiring is not None:
        names = {node: each.profile for node, each in wiring.nodes.items()}
    if board:
        names[next(iter(names))] = board
    found = {node: catalog.find_profile(name, here) for node, name in names.items()}
    profiles = {node: catalog.profile(name) for node, name in found.items()}
    boards, files = {}, {}
    for node, profile in profiles.items():
        products = artifact_source(profile.architecture)
        image = products.image()
        boards[node] = BoardProducts(products.emulator(), image.kernel, image.initramfs)
        if profile.cores:  # Nothing is built for a board without.
            driver = driver_files(products.driver().read_bytes())
            files[node] = console_files(profile, driver, products.provider())
    status = open_console(boards, profiles, wiring, files)
    if status:
        raise FiresteelError(f"QEMU ended with status {status}; its own message is above.")
