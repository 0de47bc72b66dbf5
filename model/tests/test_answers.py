# SPDX-License-Identifier: Apache-2.0
"""Published vectors, run through the model's registers, descriptors and operand RAM."""

from vectors_public_key import write_public_key
from vectors_symmetric import write_symmetric
from workshop import Workshop


def test_symmetric_answers_are_the_published_ones(model: Workshop) -> None:
    write_symmetric(model.work / "symmetric.txt")
    program = "/firesteel/work/checked/tests/answers-symmetric"
    model.run("Running the symmetric vectors", program, "/firesteel/work/symmetric.txt")


def test_public_key_answers_are_the_published_ones(model: Workshop) -> None:
    write_public_key(model.work / "public-key.txt")
    program = "/firesteel/work/checked/tests/answers-public-key"
    model.run("Running the public-key vectors", program, "/firesteel/work/public-key.txt")
