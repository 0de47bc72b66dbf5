# SPDX-License-Identifier: Apache-2.0
"""Published vectors, run through the model's registers and descriptors."""

from vectors import write_symmetric
from workshop import Workshop


def test_symmetric_answers_are_the_published_ones(model: Workshop) -> None:
    write_symmetric(model.work / "symmetric.txt")
    program = "/firesteel/work/checked/tests/answers"
    model.run("Running the symmetric vectors", program, "/firesteel/work/symmetric.txt")
