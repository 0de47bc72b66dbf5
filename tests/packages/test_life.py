# SPDX-License-Identifier: Apache-2.0
"""Packages are built, read by lintian, installed, used, upgraded and purged, for each release."""

import subprocess
from pathlib import Path

import pytest
from packages_machine import Machine

from firesteel import __version__
from firesteel.base.checkout import CHECKOUT
from tools import packages

OLD = "0.0.9"
"""A version that is upgraded."""

pytestmark = pytest.mark.thorough


def test_packages_come_and_go_without_a_trace(debian: Machine, tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    for path in ("VERSION", "lib/tests/test-bare.c"):
        (checkout / Path(path).name).write_bytes((CHECKOUT / path).read_bytes())
    old, new = (
        packages.packages(debian.products, debian.suite, "amd64", version)
        for version in (OLD, __version__)
    )
    seen = {"old": old, "new": new, "checkout": checkout}
    debian.play("life", OLD, __version__, seen=seen)


def test_the_tests_of_the_source_package_pass(debian: Machine) -> None:
    source = packages.source_package(debian.products, debian.suite)
    new = packages.packages(debian.products, debian.suite, "amd64")
    debian.play("debian", seen={"source": source, "new": new})


def test_lintian_has_nothing_to_say(debian: Machine) -> None:
    packages.lint(debian.products, debian.suite)


@pytest.mark.parametrize("architecture", packages.ARCHITECTURES)
def test_a_second_build_gives_the_same_bytes(
    debian: Machine, architecture: str, tmp_path: Path
) -> None:
    once = packages.packages(debian.products, debian.suite, architecture)
    again = packages.build_otherwise(debian.products, debian.suite, architecture, tmp_path)
    files = sorted(path.name for path in once.glob("*.deb"))
    assert files == sorted(path.name for path in again.glob("*.deb"))
    assert [
        name for name in files if (once / name).read_bytes() != (again / name).read_bytes()
    ] == []


def test_the_lab_of_the_package_answers_as_a_checkouts(debian: Machine, tmp_path: Path) -> None:
    (package,) = packages.packages(debian.products, debian.suite, "amd64").glob(
        "firesteel_*_all.deb"
    )
    subprocess.run(["dpkg-deb", "--extract", str(package), str(tmp_path)], check=True)
    question = ("advise", "--protocol", "openvpn", "--run", "thesis", "--store", "recorded")
    answers = [
        subprocess.run(
            ["./firesteel", *question], cwd=top, check=True, capture_output=True, text=True
        ).stdout
        for top in (CHECKOUT, tmp_path / "usr/share/firesteel/lab")
    ]
    assert answers[0] == answers[1]
    assert "Other software of equal protection" in answers[0]
