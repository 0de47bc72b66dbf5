# SPDX-License-Identifier: Apache-2.0
"""An experiment on a board of one's own: other boards and links than its file says."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import TypeAdapter, ValidationError

from firesteel.base.errors import FiresteelError, shortened
from firesteel.base.quantity import BitRate, bits_of
from firesteel.base.schema import in_words
from firesteel.board.catalog import Catalog
from firesteel.board.topology import Topology

if TYPE_CHECKING:
    from firesteel.experiment.experiment import ExperimentFile

_USUAL_PEER, _FASTER_PEER = "peer", "clients"
_ENOUGH_BIT_S = 100_000_000
"""Up to this rate the usual peer takes a negligible share of a row's time."""

_RATE = re.compile(r"^\s*([\d.]+)\s*([A-Za-z/]+)\s*$")


@dataclass(frozen=True)
class Elsewhere:
    """What is otherwise than an experiment's file says: the measured board, the rate of all links,
    and the board of all other nodes; a board by its name or its file.
    """

    board: str | None = None
    link: BitRate | None = None
    peer: str | None = None

    @staticmethod
    def of(board: str | None, link: str | None, peer: str | None) -> "Elsewhere":
        """As the command line says it; `FiresteelError` where there is no such board or rate."""
        catalog = Catalog()
        for option, said in (("--board", board), ("--peer", peer)):
            _check_board(catalog, option, said)
        return Elsewhere(_absolute(board), _rate(link), _absolute(peer))

    def over(self, file: "ExperimentFile", topology: Topology) -> "ExperimentFile":
        """The experiment's file with these boards and links.

        With a rate of links and no peer, nodes that have the usual peer get a faster one where that
        rate asks for it.
        """
        profiles = {name: node.profile for name, node in topology.nodes.items()} | file.profiles
        told = dict(file.profiles)
        others = [name for name in topology.nodes if name != file.measured]
        if self.peer:
            told |= dict.fromkeys(others, self.peer)
        elif self.link and bits_of(self.link) > _ENOUGH_BIT_S:
            usual = [name for name in others if profiles[name] == _USUAL_PEER]
            told |= dict.fromkeys(usual, _FASTER_PEER)
        if self.board:
            told[file.measured] = self.board
        return file.model_copy(update={"profiles": told, "link": self.link or file.link})


NOT_ELSEWHERE = Elsewhere()
"""As the file says."""


def _absolute(said: str | None) -> str | None:
    """A file that is named on the command line is one of the working directory."""
    return str(Path(said).absolute()) if said and said.endswith(".toml") else said


def _check_board(catalog: Catalog, option: str, said: str | None) -> None:
    if said is None:
        return
    try:
        catalog.find_profile(said, Path.cwd())
    except FiresteelError as error:
        if said.endswith(".toml"):
            raise
        raise FiresteelError(
            f"{option} {shortened(said)}: {error} A file of your own ends in .toml."
        ) from None


def _rate(said: str | None) -> BitRate | None:
    """A rate, with the space before its unit that files have."""
    if said is None:
        return None
    text = _RATE.sub(r"\1 \2", said)
    try:
        rate: BitRate = TypeAdapter(BitRate).validate_python(text)
    except ValidationError as error:
        pattern = error.errors()[0]["ctx"]["pattern"]
        raise FiresteelError(f"--link {shortened(said)}: allowed is {in_words(pattern)}.") from None
    return rate
