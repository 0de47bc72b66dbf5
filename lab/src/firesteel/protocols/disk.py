# SPDX-License-Identifier: Apache-2.0
"""What encrypts what a disk stores, one object a protocol: the whole disk, or its files."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from firesteel.board.job import JobFile
from firesteel.board.profile import BOARD_FILES
from firesteel.board.result import NodeResult
from firesteel.model.cell import ABSENT, Cell
from firesteel.protocols.protocol import OneBoard
from firesteel.protocols.use import Use

SCRIPTS = BOARD_FILES / "jobs" / "disk"


class DiskProtocol(OneBoard, ABC):
    """Encryption of a disk.

    `script` is the name of the file whose functions open, close and show a disk.  `sectors` are the
    sizes of what is encrypted by itself, in bytes, and `depth` how many I/Os can be under way.
    """

    script: str
    sectors: tuple[int, ...] = (512, 4096)
    depth: int = 128

    def check_sizes(self, sectors: Sequence[int], depths: Sequence[int]) -> None:
        """Raises `ValueError` when it has no such sectors, or does not do as much at once."""
        if not set(sectors) <= set(self.sectors):
            raise ValueError(
                f'protocol "{self.name}" has no sectors of {max(set(sectors) - set(self.sectors))} '
                f"bytes; allowed are {', '.join(map(str, self.sectors))}"
            )
        if max(depths) > self.depth:
            raise ValueError(
                f'protocol "{self.name}" has no {max(depths)} I/Os in flight; '
                f"allowed are {self.depth} at most"
            )

    def use(self, cipher: str, mac: str, *, connections: bool = False) -> Use | None:
        """Most disks have no tags, and are protected all the same from whoever takes them away."""
        del connections
        if self.purpose is None:
            return None
        return Use(self.purpose, "" if mac == ABSENT else "tags", protects=cipher != ABSENT)

    def files(self, cell: Cell) -> dict[str, JobFile]:
        """What the job is given besides what every disk's is, by guest path."""
        del cell
        return {"/job/disk.sh": JobFile((SCRIPTS / self.script).read_bytes())}

    def check_code(self, cell: Cell, node: NodeResult, sector: int) -> None:
        """Raises `CellFailure` when the kernel opened the disk with slower code than the cell
        should have, as far as the node says which it took.
        """
        del cell, node, sector

    @abstractmethod
    def variables(self, cell: Cell) -> Mapping[str, str]:
        """What its script is given."""

    @abstractmethod
    def has_encrypted(self, cell: Cell, node: NodeResult, plain: bytes, sector: int) -> bool:
        """Whether what the node's disk had of `plain`, written to its start in sectors of that
        size, is what the cell's cipher makes of it.

        Raises `CellFailure` when the node did not hand it out.
        """
