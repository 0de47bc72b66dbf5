# SPDX-License-Identifier: Apache-2.0
"""The image is made of the packages that its lock names, or of none."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest

from firesteel.architectures import ARCHITECTURES
from firesteel.base.errors import FiresteelError
from firesteel.build.buildroot import read_list
from firesteel.build.debian import Apt
from firesteel.build.image import Lock, check_lock, listed, lock_path, read_lock, renew_lock

OLD, NEW, ALL = ("a" * 64, "b" * 64, "c" * 64)

SIMULATED = """\
Reading package lists...
Inst curl (8.14.1-3 Debian:13.8/stable [armhf]) []
Inst adduser (3.152 Debian:13.8/stable [all])
Conf curl (8.14.1-3 Debian:13.8/stable [armhf])
"""


def paragraph(name: str, version: str, architecture: str, digest: str) -> str:
    return (
        f"Package: {name}\nArchitecture: {architecture}\nVersion: {version}\n"
        f"Depends: other (>= 1)\nSHA256: {digest}\nDescription: a package\n of Debian\n"
    )


class Mirror:
    """Stands in for apt, which knows these packages."""

    def __init__(self, *paragraphs: str) -> None:
        self._shown = "\n".join(paragraphs)

    def show(self, packages: list[str]) -> str:
        assert packages == list(dict.fromkeys(packages))
        return self._shown

    def simulate(self, packages: Sequence[str], architecture: str) -> str:
        assert (packages, architecture) == (["curl"], "armhf")
        return SIMULATED


def apt(*paragraphs: str) -> Apt:
    return cast(Apt, Mirror(*paragraphs))


CURL = paragraph("curl", "8.14.1-3", "armhf", NEW)
ADDUSER = paragraph("adduser", "3.152", "all", ALL)
FOREIGN = paragraph("curl", "8.14.1-3", "amd64", OLD)


def locked(path: Path, *lines: str) -> Lock:
    path.write_text("# a comment\n" + "".join(f"{line}\n" for line in lines))
    return read_lock(path)


def test_a_lock_is_written_of_what_apt_would_install(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    said = renew_lock(path, ["curl"], apt(CURL, ADDUSER, FOREIGN), "armhf")
    assert said == ["adduser 3.152 is new", "curl 8.14.1-3 is new"]
    assert path.read_text().splitlines()[2:] == [f"adduser 3.152 {ALL}", f"curl 8.14.1-3 {NEW}"]
    assert listed(read_lock(path)) == "adduser 3.152\ncurl 8.14.1-3\n"
    assert renew_lock(path, ["curl"], apt(CURL, ADDUSER), "armhf") == []
    assert [each.name for each in tmp_path.iterdir()] == ["lock"]


def test_what_is_another_package_is_said(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    locked(path, f"curl 8.14.1-2 {OLD}", f"adduser 3.152 {OLD}", f"wget 1.25 {OLD}")
    assert renew_lock(path, ["curl"], apt(CURL, ADDUSER), "armhf") == [
        "adduser 3.152 has another file",
        "curl 8.14.1-2 is now 8.14.1-3",
        "wget 1.25 is gone",
    ]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (f"curl 8.14.1-2 {OLD}", r"curl 8\.14\.1-2 \(it has 8\.14\.1-3\)"),
        (f"curl 8.14.1-3 {OLD}", r"curl 8\.14\.1-3 \(it has another file of that version\)"),
        (f"wget 1.25 {OLD}", r"wget 1\.25 \(it has none\)"),
    ],
)
def test_a_mirror_that_has_moved_on_is_told_in_one_sentence(
    tmp_path: Path, line: str, sentence: str
) -> None:
    path = tmp_path / "lock"
    with pytest.raises(FiresteelError, match=rf"{sentence}; .*--relock`, after which .*again\.$"):
        check_lock(path, locked(path, line, f"adduser 3.152 {ALL}"), apt(CURL, ADDUSER), "armhf")


def test_a_mirror_that_has_all_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    whole = locked(path, f"curl 8.14.1-3 {NEW}", f"adduser 3.152 {ALL}")
    check_lock(path, whole, apt(CURL, FOREIGN, ADDUSER), "armhf")


def test_few_of_many_are_named(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    many = locked(path, *(f"p{number} 1 {OLD}" for number in range(9)))
    with pytest.raises(FiresteelError, match=r"p0 .*p2 1 \(it has none\) and 6 more; "):
        check_lock(path, many, apt(CURL), "armhf")


def test_mistakes_in_a_lock(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with pytest.raises(FiresteelError, match=r"No such file.*--relock` writes it\.$"):
        read_lock(path)
    for line in ("curl 8.14.1-3", f"curl {NEW}", f"curl 8.14.1-3 {NEW} more", ""):
        with pytest.raises(
            FiresteelError, match=rf"^{re.escape(str(path))}:2: a line has the form"
        ):
            locked(path, line)


def test_the_locks_of_the_checkout_have_what_is_asked_for() -> None:
    for architecture in ARCHITECTURES.values():
        path = lock_path(architecture)
        names = read_list(path.parent / "packages.txt", architecture)
        assert set(names) <= read_lock(path).keys()
