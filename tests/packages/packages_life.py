# SPDX-License-Identifier: Apache-2.0
"""What packages go through on a machine of a release; a test file has each release, as the shares
of tests are dealt by file.
"""

import subprocess
from pathlib import Path
from typing import ClassVar

import pytest
from packages_machine import Machine, machine

from firesteel import __version__
from firesteel.base.checkout import CHECKOUT
from firesteel.build.products import Products
from tools import packages

OLD = "0.0.9"
"""A version that is upgraded."""


@pytest.mark.thorough
class Life:
    """Packages are installed, used, upgraded and purged, and Debian's own tests pass."""

    suite: ClassVar[str]

    @pytest.fixture
    def debian(self) -> Machine:
        return machine(self.suite)

    def test_packages_come_and_go_without_a_trace(self, debian: Machine, tmp_path: Path) -> None:
        checkout = tmp_path / "checkout"
        checkout.mkdir()
        for path in ("VERSION", "lib/tests/test-bare.c"):
            (checkout / Path(path).name).write_bytes((CHECKOUT / path).read_bytes())
        old, new = (
            packages.packages(debian.products, self.suite, "amd64", version)
            for version in (OLD, __version__)
        )
        seen = {"old": old, "new": new, "checkout": checkout}
        debian.play("life", OLD, __version__, seen=seen)

    def test_the_tests_of_the_source_package_pass(self, debian: Machine) -> None:
        source = packages.source_package(debian.products, self.suite)
        new = packages.packages(debian.products, self.suite, "amd64")
        debian.play("debian", seen={"source": source, "new": new})

    def test_the_lab_of_the_package_answers_as_a_checkouts(self, tmp_path: Path) -> None:
        built = packages.packages(Products(), self.suite, "amd64")
        (package,) = built.glob("firesteel_*_all.deb")
        subprocess.run(["dpkg-deb", "--extract", str(package), str(tmp_path)], check=True)
        question = ["advise", "--protocol", "openvpn", "--suite", "aes-256-cbc:sha256"]
        question += ["--run", "thesis", "--store", "recorded"]
        answers = [
            subprocess.run(
                ["./firesteel", *question], cwd=top, check=True, capture_output=True, text=True
            ).stdout
            for top in (CHECKOUT, tmp_path / "usr/share/firesteel/lab")
        ]
        assert answers[0] == answers[1]
        assert "Other software of equal protection" in answers[0]


@pytest.mark.thorough
class Build:
    """Packages of all architectures are clean, and the same when they are built again."""

    suite: ClassVar[str]

    def test_lintian_has_nothing_to_say(self) -> None:
        packages.lint(Products(), self.suite)

    @pytest.mark.parametrize("architecture", packages.ARCHITECTURES)
    def test_a_second_build_gives_the_same_bytes(self, architecture: str, tmp_path: Path) -> None:
        products = Products()
        once = packages.packages(products, self.suite, architecture)
        again = packages.build_otherwise(products, self.suite, architecture, tmp_path)
        files, others = (
            {path.name: path.read_bytes() for path in each.glob("*.deb")} for each in (once, again)
        )
        assert files.keys() == others.keys()
        assert [name for name in files if files[name] != others[name]] == []
