# SPDX-License-Identifier: Apache-2.0
"""How faults are put into the lab."""

from pathlib import Path

import pytest
from mutations.mutate import Fault, FaultError, faults

from firesteel.base.checkout import CHECKOUT

PATCH = """\
A ratio is inverted: a user sees losses as gains.

Tests: judge/test_one.py
--- a/lab/src/firesteel/one.py
+++ b/lab/src/firesteel/one.py
@@ -1,3 +1,3 @@
 def ratio(one, other):
-    return one / other
+    return other / one

"""


@pytest.fixture
def fault(tmp_path: Path) -> Fault:
    path = tmp_path / "inverted.patch"
    path.write_text(PATCH, encoding="utf-8")
    return Fault.read(path)


def tree(top: Path, **files: str) -> Path:
    for name, text in files.items():
        file = top / "lab" / "src" / "firesteel" / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return top


def test_is_put_where_its_patch_says(fault: Fault, tmp_path: Path) -> None:
    text = "def ratio(one, other):\n    return one / other\n\nx = 1\n"
    where = tree(tmp_path, one=text, two=text)
    file, faulty = fault.put_into(where)
    assert file.stem == "one"
    assert faulty == "def ratio(one, other):\n    return other / one\n\nx = 1\n"


def test_follows_its_text_into_another_file(fault: Fault, tmp_path: Path) -> None:
    moved = "def gain(one, other):\n    return one / other\n"
    file, faulty = fault.put_into(tree(tmp_path, one="x = 1\n", two=moved))
    assert file.stem == "two"
    assert faulty == "def gain(one, other):\n    return other / one\n"


def test_needs_its_text(fault: Fault, tmp_path: Path) -> None:
    with pytest.raises(FaultError, match="nowhere in the lab"):
        fault.put_into(tree(tmp_path, one="x = 1\n"))


def test_needs_one_place(fault: Fault, tmp_path: Path) -> None:
    twice = "def a():\n    return one / other\ndef b():\n    return one / other\n"
    with pytest.raises(FaultError, match="fits 2 places"):
        fault.put_into(tree(tmp_path, one=twice))


def test_a_patch_without_tests_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "inverted.patch"
    path.write_text(PATCH.replace("Tests: judge/test_one.py\n", ""), encoding="utf-8")
    with pytest.raises(FaultError, match="one line `Tests:`"):
        Fault.read(path)


def test_every_patch_fits_the_lab_of_today() -> None:
    for fault in faults():
        fault.put_into(CHECKOUT)


def test_every_patch_says_what_a_user_sees() -> None:
    for fault in faults():
        assert ": " in fault.says, fault.name
        assert fault.says.endswith("."), fault.name
        assert any(line.startswith(("-", "+")) for line in fault.hunk), fault.name
