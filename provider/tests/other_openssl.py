# SPDX-License-Identifier: Apache-2.0
"""The provider's tests on the OpenSSL of another Debian suite.

A subclass for each suite, in a file of its own: a share of the tests takes whole files.
"""

import re
from collections.abc import Iterator
from typing import ClassVar

import provider_workshop
import pytest
from program_roots import OPENSSL, program_root
from workshop import Workshop

from firesteel.build.buildroot import BuildRoot
from firesteel.build.products import Products


class OtherOpenssl:
    """All test programs and scripts, as they are built and run on the build root's OpenSSL."""

    suite: ClassVar[str]

    @pytest.fixture(scope="class")
    @classmethod
    def root(cls) -> BuildRoot:
        return program_root(Products(), cls.suite)

    @pytest.fixture(scope="class")
    @classmethod
    def provider(cls, root: BuildRoot) -> Iterator[Workshop]:
        with provider_workshop.open_provider(root) as opened:
            yield opened

    def test_the_suite_has_the_release_that_the_page_names(self, root: BuildRoot) -> None:
        packages = (root.directory / "packages.list").read_text()
        found = re.search(r"^libssl-dev (\d+\.\d+)\.", packages, re.MULTILINE)
        assert found
        assert found[1] == OPENSSL[self.suite]

    def test_the_provider_does_what_it_says(self, provider: Workshop) -> None:
        provider_workshop.run_tests(provider, "plain")

    @pytest.mark.parametrize("kind", ["rsa", "curves"])
    def test_answers_are_the_published_ones(self, provider: Workshop, kind: str) -> None:
        provider_workshop.run_answers(provider, "plain", kind)

    def test_nobody_else_can_end_a_process_by_its_statistics(self, provider: Workshop) -> None:
        provider_workshop.run_statistics(provider, "plain")

    def test_unmodified_programs_speak_with_others(self, provider: Workshop) -> None:
        provider_workshop.try_programs(provider)

    def test_the_command_says_whether_a_program_uses_the_cores(self, provider: Workshop) -> None:
        provider_workshop.try_command(provider)

    def test_what_is_installed_works_below_its_prefix(self, provider: Workshop) -> None:
        provider_workshop.try_installed(provider)
