# SPDX-License-Identifier: Apache-2.0
"""`firesteel-provider check` says of programs whether they use the cores."""

import re
import subprocess

from scenes import process
from scenes.cells import Cells
from scenes.errors import SceneError
from scenes.side import Side

_COMMAND = "/firesteel/output/bin/firesteel-provider"
_NOT_LOADED = 120


def play(cells: Cells) -> None:
    """The scene."""
    side = Side("command", True)
    served = ["openssl", "dgst", "-sha256", "/usr/bin/openssl"]
    node = [
        "node",
        "-e",
        "require('crypto').createHash('sha256').update('x'.repeat(9000)).digest()",
    ]
    for command in (served, node):
        with cells.cell(f"the command sees {command[0]}", side, None):
            _expect(side, command, 0, r"^digest +[1-9]")
    theirs = Side("command-theirs", False)
    with cells.cell("the command sees that the provider is not loaded", side, theirs):
        _expect(theirs, served, _NOT_LOADED, "does not activate it: /usr/lib/ssl/openssl.cnf")


def _expect(side: Side, command: list[str], status: int, pattern: str) -> None:
    done = subprocess.run(
        [_COMMAND, "check", *command],
        env=side.environment,
        capture_output=True,
        check=False,
        text=True,
        timeout=process.TIMEOUT_S,
    )
    if done.returncode != status or not re.search(pattern, done.stderr, re.MULTILINE):
        raise SceneError(f"{command[0]}: ends with {done.returncode} and says: {done.stderr}")
