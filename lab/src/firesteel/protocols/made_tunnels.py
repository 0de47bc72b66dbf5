# SPDX-License-Identifier: Apache-2.0
"""Servers whose clients make a tunnel again and again, and count what they made
(board/jobs/handshakes/tunnels.sh).
"""

from firesteel.protocols.s_time import STime


class MadeTunnels(STime):
    """A server of tunnels; `program` and `work` are as of every `TlsServer`.

    A handshake is a whole tunnel, from a client's first packet on until it has gone.
    """

    scripts = ("tunnels.sh", *STime.scripts)

    def alone(self, text: str) -> int:
        """The client has a line for each."""
        return len(text.splitlines())
