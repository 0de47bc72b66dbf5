# SPDX-License-Identifier: Apache-2.0
"""The emulator's commands as one digest: all that a run depends on besides files and seeds."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from firesteel.board.command import BoardProducts, Wiring, node_command
from firesteel.board.files import NodeFiles
from firesteel.board.profile import Profile
from firesteel.board.topology import Topology

_PRODUCTS = BoardProducts(Path("qemu"), Path("kernel"), Path("initramfs"))
_NO_SEED = 0


def commands_digest(topology: Topology, profiles: Mapping[str, Profile]) -> str:
    """Hex SHA-256 of every node's command line, with names in the place of paths.

    What is built (emulator, kernel, image), the jobs and the seed do not count.
    """
    wiring = Wiring(topology, profiles, _NO_SEED, Path("sockets"))
    digest = hashlib.sha256()
    for node in topology.nodes:
        for word in node_command(_PRODUCTS, wiring, node, NodeFiles(Path(node))):
            digest.update(word.encode() + b"\0")
        digest.update(b"\n")
    return digest.hexdigest()
