# SPDX-License-Identifier: Apache-2.0
"""The model's own tests, written in C: each part alone, and registers as a driver writes them."""

from workshop import Workshop


def test_the_parts_of_the_model_do_what_they_say(model: Workshop) -> None:
    tests = ("meson", "test", "-C", "/firesteel/work/checked", "--no-rebuild")
    model.run("Testing the model", *tests, "--print-errorlogs", "--timeout-multiplier", "4")
