# SPDX-License-Identifier: Apache-2.0
"""Published vectors, and wolfCrypt's own tests, run through the front end of wolfSSL."""

import pytest
import vectors_curves
import vectors_symmetric
from records import write_lines
from wolfssl_workshop import TESTS, WolfsslWorkshop

_CHECKED = "/firesteel/work/checked/frontends/wolfssl/tests"


def test_symmetric_answers_are_the_published_ones(wolfssl: WolfsslWorkshop) -> None:
    write_lines(wolfssl.work / "symmetric.txt", vectors_symmetric.lines())
    command = (f"{_CHECKED}/answers-symmetric", "/firesteel/work/symmetric.txt")
    wolfssl.run("Running the symmetric vectors", "nice", *command)


def test_answers_of_curves_are_the_published_ones(wolfssl: WolfsslWorkshop) -> None:
    write_lines(wolfssl.work / "curves.txt", vectors_curves.lines())
    command = (f"{_CHECKED}/answers-curves", "/firesteel/work/curves.txt")
    wolfssl.run("Running the vectors of curves", "nice", *command)


@pytest.mark.parametrize(
    ("faults", "works"),
    [
        ("", "all"),
        ("dma-error:rate=20", "all"),
        ("gone:nth=700", "some"),
    ],
    ids=["no-fault", "dma-error", "gone"],
)
def test_own_tests_of_wolfcrypt_pass(wolfssl: WolfsslWorkshop, faults: str, works: str) -> None:
    device = "model:hash=on" + (f",faults={faults}" if faults else "")
    wolfssl.run("Testing wolfCrypt", "sh", f"{TESTS}/wolfcrypt.sh", device, works)
