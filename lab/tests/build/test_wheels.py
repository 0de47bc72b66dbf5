# SPDX-License-Identifier: Apache-2.0
"""Each version of Python gets the packages that the lock file has for it."""

import re

import pytest

from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.build import wheels

LOCKED = """\
# Made by hand.
always==1.0 \\
    --hash=sha256:aa \\
    --hash=sha256:bb
old==2.0 ; python_full_version < '3.12' \\
    --hash=sha256:cc
old==3.0 ; python_full_version >= '3.12' \\
    --hash=sha256:dd
elsewhere==4.0 ; sys_platform == 'win32' \\
    --hash=sha256:ee
"""


@pytest.mark.parametrize(
    ("python", "version", "digest"), [("3.11", "2.0", "cc"), ("3.12", "3.0", "dd")]
)
def test_lines_that_count(python: str, version: str, digest: str) -> None:
    assert wheels.requirements_for(python, LOCKED) == (
        "always==1.0 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\n"
        f"old=={version} \\\n    --hash=sha256:{digest}\n"
    )


@pytest.mark.parametrize("python", wheels.PYTHONS)
def test_each_package_of_the_lock_file_counts_once(python: str) -> None:
    text = wheels.requirements_for(python, wheels.REQUIREMENTS.read_text())
    names = re.findall(r"^(\S+)==", text, re.MULTILINE)
    assert len(names) == len(set(names))
    assert {"numpy", "polars", "pydantic"} <= set(names)
    assert "colorama" not in names


def test_the_versions_are_those_of_the_environment() -> None:
    script = (CHECKOUT / "scripts/venv.sh").read_text()
    (said,) = re.findall(r"if version not in \((.*)\):", script)
    assert said == ", ".join(f'"{python}"' for python in wheels.PYTHONS)
    for python in wheels.PYTHONS:
        wheels.check_python(python)
    with pytest.raises(FiresteelError, match=r"^Python 3\.9: allowed are 3\.11, 3\.12, 3\.13\.$"):
        wheels.check_python("3.9")
