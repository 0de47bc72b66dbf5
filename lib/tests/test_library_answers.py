# SPDX-License-Identifier: Apache-2.0
"""Published vectors, run through the library."""

from library_workshop import LibraryWorkshop
from vectors_ed25519 import append_ed25519
from vectors_public_key import write_public_key
from vectors_symmetric import write_symmetric

_PROGRAMS = "/firesteel/work/checked/tests"


def test_symmetric_answers_are_the_published_ones(library: LibraryWorkshop) -> None:
    write_symmetric(library.work / "symmetric.txt")
    program = f"{_PROGRAMS}/answers-symmetric"
    library.run("Running the symmetric vectors", program, "/firesteel/work/symmetric.txt")


def test_public_key_answers_are_the_published_ones(library: LibraryWorkshop) -> None:
    write_public_key(library.work / "public-key.txt")
    append_ed25519(library.work / "public-key.txt")
    program = f"{_PROGRAMS}/answers-public-key"
    library.run("Running the public-key vectors", program, "/firesteel/work/public-key.txt")
