# SPDX-License-Identifier: Apache-2.0
"""`firesteel console` on real boards: driver, provider and cores are ready to try."""

import os
import pty
import select
import signal
import time
from pathlib import Path

from firesteel.base.checkout import CHECKOUT
from firesteel.boards.profile import PROFILES

TOPOLOGY = """
[nodes.mine]
role = "host"
profile = "my-board.toml"

[nodes.other]
role = "host"
profile = "peer"

[[links]]
name = "cable"
kind = "point-to-point"
nodes = ["mine", "other"]
"""

COMMANDS = (
    "grep -c firesteel /proc/crypto",
    "openssl list -providers | cat",
    "openssl speed -elapsed -seconds 1 -bytes 16384 -evp aes-256-cbc 2>&1 | tail -n 1",
    "cores user",
    "echo the $((40 + 2))nd line",
)

_TIMEOUT = 400.0


class Terminal:
    """A command line on a terminal of its own, and all that it showed."""

    def __init__(self, directory: Path, *arguments: str) -> None:
        self.shown = b""
        self._process, self._terminal = pty.fork()
        if self._process == 0:
            os.chdir(directory)
            os.execv(CHECKOUT / "firesteel", ["firesteel", *arguments])
        self._deadline = time.monotonic() + _TIMEOUT

    def wait_for(self, text: bytes) -> bool:
        """Whether the text comes before the other end goes, or the time is over."""
        while text not in self.shown:
            if time.monotonic() > self._deadline:
                return False
            if select.select([self._terminal], [], [], 1.0)[0]:
                try:
                    self.shown += os.read(self._terminal, 65_536)
                except OSError:  # Its other end is closed.
                    return text in self.shown
        return True

    def type(self, line: str) -> None:
        os.write(self._terminal, line.encode() + b"\r")

    def end(self) -> int:
        """The exit status; what is still there is stopped."""
        if not self.wait_for(b"Power down"):
            os.kill(self._process, signal.SIGTERM)
        self.wait_for(b"nothing more")
        return os.waitstatus_to_exitcode(os.waitpid(self._process, 0)[1])


def test_a_board_from_elsewhere_has_driver_and_provider(tmp_path: Path) -> None:
    (tmp_path / "office.toml").write_text(TOPOLOGY)
    board = (PROFILES / "socrates-hash.toml").read_text().replace("554_000_000", "700_000_000")
    (tmp_path / "my-board.toml").write_text(board)
    terminal = Terminal(tmp_path, "console", "--topology", "office.toml")
    assert terminal.wait_for(b"mine:/# "), terminal.shown[-2000:]
    for command in COMMANDS:
        terminal.type(command)
    assert terminal.wait_for(b"the 42nd line"), terminal.shown[-2000:]
    terminal.type("exit")
    assert terminal.end() == 0
    shown = terminal.shown.decode(errors="replace").replace("\r", "")
    lines = shown.splitlines()
    algorithms = lines[next(i for i, line in enumerate(lines) if "grep -c firesteel" in line) + 1]
    assert int(algorithms) > 10
    assert "Firesteel: the Silex" in shown
    assert any(line.startswith("AES-256-CBC ") for line in lines)
    assert "0000:00:02.0: kernel" in shown
    assert shown.count(": user\n") >= 2, "none at first, both when it was asked for"
