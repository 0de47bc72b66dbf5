# SPDX-License-Identifier: Apache-2.0
"""Published vectors, run through the library."""

from itertools import chain

import vectors_ed25519
import vectors_public_key
import vectors_symmetric
from records import write_lines
from workshop import Workshop

_PROGRAMS = "/firesteel/work/checked/lib/tests"


def test_symmetric_answers_are_the_published_ones(library: Workshop) -> None:
    write_lines(library.work / "symmetric.txt", vectors_symmetric.lines())
    program = f"{_PROGRAMS}/answers-symmetric"
    library.run("Running the symmetric vectors", program, "/firesteel/work/symmetric.txt")


def test_public_key_answers_are_the_published_ones(library: Workshop) -> None:
    lines = chain(vectors_public_key.lines(), vectors_ed25519.lines())
    write_lines(library.work / "public-key.txt", lines)
    program = f"{_PROGRAMS}/answers-public-key"
    library.run("Running the public-key vectors", program, "/firesteel/work/public-key.txt")
