# SPDX-License-Identifier: Apache-2.0
"""Published vectors, run through the model's registers, descriptors and operand RAM."""

import vectors_public_key
import vectors_symmetric
from records import write_lines
from workshop import Workshop


def test_symmetric_answers_are_the_published_ones(model: Workshop) -> None:
    write_lines(model.work / "symmetric.txt", vectors_symmetric.lines())
    program = "/firesteel/work/checked/model/tests/answers-symmetric"
    model.run("Running the symmetric vectors", program, "/firesteel/work/symmetric.txt")


def test_public_key_answers_are_the_published_ones(model: Workshop) -> None:
    write_lines(model.work / "public-key.txt", vectors_public_key.lines())
    program = "/firesteel/work/checked/model/tests/answers-public-key"
    model.run("Running the public-key vectors", program, "/firesteel/work/public-key.txt")
