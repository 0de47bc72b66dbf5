# SPDX-License-Identifier: Apache-2.0
"""The driver is compiled against the newest kernel that the mirror has, without a warning."""

import shutil
from pathlib import Path

import pytest

from firesteel.base.checkout import DRIVER
from firesteel.base.errors import FiresteelError
from firesteel.build.mirror import Mirror, find_mirror
from firesteel.build.newest_kernel import SUITE
from firesteel.build.products import Products


@pytest.fixture(scope="module")
def archive() -> Mirror:
    try:
        return find_mirror(SUITE)
    except FiresteelError as error:
        pytest.skip(f"there is no kernel newer than the boards' to build for: {error}")


def test_it_builds(archive: Mirror, tmp_path: Path) -> None:
    release = Products().try_newest_kernel(tmp_path, archive)
    # else it would be the boards' own, against which every build is
    assert tuple(map(int, release.split("-")[0].split("+")[0].split(".")[:2])) > (6, 12)


def test_warnings_end_the_build(archive: Mirror, tmp_path: Path) -> None:
    spoilt = shutil.copytree(DRIVER, tmp_path / "driver")
    (spoilt / "cost.c").write_text(
        (spoilt / "cost.c").read_text() + "\nint firesteel_undeclared(void)\n{\n\treturn 0;\n}\n"
    )
    work = tmp_path / "work"
    work.mkdir()
    with pytest.raises(FiresteelError, match="no previous prototype"):
        Products().try_newest_kernel(work, archive, spoilt)
