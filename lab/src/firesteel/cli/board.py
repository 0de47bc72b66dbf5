# SPDX-License-Identifier: Apache-2.0
"""`firesteel board`: a board for a person."""

import sys
from typing import Annotated

import typer

from firesteel.board.command import BoardProducts
from firesteel.board.console import open_console
from firesteel.board.profile import Profile, load_profile, profile_names
from firesteel.board.topology import Topology, load_profiles, load_topology, topology_names
from firesteel.build.products import Products
from firesteel.errors import FiresteelError

_board = typer.Typer(help="Use a board by hand.", no_args_is_help=True)

_DEFAULT_PROFILE = "socrates"


def register(app: typer.Typer) -> None:
    """Adds `board` and what is below it to the application."""
    app.add_typer(_board, name="board")


@_board.callback()
def _common() -> None:
    """What all commands on boards share."""


@_board.command()
def console(
    profile: Annotated[
        str | None,
        typer.Option(
            metavar="P",
            help=f"The board's profile ({', '.join(profile_names())}); without it, that which the "
            f"topology says, or {_DEFAULT_PROFILE}.",
            show_default=False,
        ),
    ] = None,
    topology: Annotated[
        str | None,
        typer.Option(
            metavar="T",
            help=f"Boot all boards of this topology ({', '.join(topology_names())}) and use the "
            "first; without it, one board that has no network.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Open a shell on a board.

    It runs in real time, as fast as this machine emulates it: not for measuring.  Ctrl-A x ends
    it, as does leaving the shell.
    """
    if not sys.stdin.isatty():
        raise FiresteelError("`firesteel board console` needs a terminal as its standard input.")
    wiring = load_topology(topology) if topology else None
    products = Products()
    image = products.image()
    boards = BoardProducts(products.qemu().binary, image.kernel, image.initramfs)
    status = open_console(boards, _profiles(profile, wiring), wiring)
    if status:
        raise FiresteelError(f"QEMU ended with status {status}; its own message is above.")


def _profiles(profile: str | None, topology: Topology | None) -> dict[str, Profile]:
    """Each node's profile; `profile` is that of the first."""
    if topology is None:
        return {"board": load_profile(profile or _DEFAULT_PROFILE)}
    profiles = load_profiles(topology)
    if profile:
        profiles[next(iter(profiles))] = load_profile(profile)
    return profiles
