# SPDX-License-Identifier: Apache-2.0
"""A board by itself: its processor, its memory and its kernel, with nothing to encrypt for."""

from firesteel.protocols.protocol import OneBoard


class _BareBoard(OneBoard):
    name = "bare-board"
    title = "bare board"
    suites = ("none:none",)

    def in_words(self, cipher: str, mac: str) -> str:
        del cipher, mac
        return self.title


BARE_BOARD = _BareBoard()
