# SPDX-License-Identifier: Apache-2.0
"""The provider's own tests, written in C, as it is used and with sanitizers."""

import re
import subprocess
from pathlib import Path

import provider_workshop
import pytest
from program_roots import OPENSSL, SUITES
from workshop import Workshop

from firesteel.base.checkout import CHECKOUT
from firesteel.build.debian import SUITE
from firesteel.protocols.provider_statistics import Statistics


@pytest.mark.matrix
@pytest.mark.parametrize("build", ["plain", "checked"])
def test_the_provider_does_what_it_says(provider: Workshop, build: str) -> None:
    provider_workshop.run_tests(provider, build)


@pytest.mark.parametrize("kind", ["rsa", "curves"])
def test_answers_are_the_published_ones(provider: Workshop, kind: str) -> None:
    provider_workshop.run_answers(provider, "checked", kind)


def test_threads_do_not_race(provider: Workshop) -> None:
    # libcrypto has no instruments: what it does without a lock cannot be judged.  A child of a
    # process with threads starts one of its own.
    options = "ignore_noninstrumented_modules=1:die_after_fork=0"
    environment = ("env", f"TSAN_OPTIONS={options}")
    command = ("nice", "meson", "test", "-C", "/firesteel/work/threads", "--no-rebuild")
    tests = ("--print-errorlogs", "-t", "8", "threads", "async", "async-tls", "policy")
    provider.run("Looking for races", *environment, *command, *tests)


@pytest.mark.parametrize("build", ["plain", "checked"])
def test_nobody_else_can_end_a_process_by_its_statistics(provider: Workshop, build: str) -> None:
    provider_workshop.run_statistics(provider, build)


def test_only_its_beginning_is_exported(provider: Workshop) -> None:
    module = provider.work / "plain" / "provider" / "firesteel.so"
    command = ["nm", "-D", "--defined-only", str(module)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert {line.split()[-1] for line in lines.splitlines()} == {"OSSL_provider_init"}


def test_unmodified_programs_speak_with_others(provider: Workshop) -> None:
    provider_workshop.try_programs(provider)


def test_the_command_says_whether_a_program_uses_the_cores(provider: Workshop) -> None:
    provider_workshop.try_command(provider)


def test_what_is_installed_works_below_its_prefix(provider: Workshop) -> None:
    provider_workshop.try_installed(provider)


def test_the_command_line_reads_what_the_provider_writes(provider: Workshop) -> None:
    (provider.work / "status.cnf").write_text(
        "openssl_conf = all\n[all]\nproviders = providers\nalg_section = algorithms\n"
        "[algorithms]\ndefault_properties = ?firesteel.cores=yes\n"
        "[providers]\ndefault = software\nfiresteel = firesteel\n[software]\nactivate = 1\n"
        "[firesteel]\nmodule = /firesteel/work/plain/provider/firesteel.so\nactivate = 1\n"
        "device = model:hash=on\nthresholds = all=never, digest=100, cbc=auto\n"
        "operations = digest, cbc, xts\nstatistics = /firesteel/work/status\n"
    )
    command = ("openssl", "dgst", "-sha256", "/firesteel/checkout/provider/tests/test-tls.c")
    configuration = "OPENSSL_CONF=/firesteel/work/status.cnf"
    provider.run("Hashing a file", "env", configuration, *command)
    found = Statistics.read(provider.work / "status")
    works = {work.name: work for work in found.works}
    assert (found.device, found.reason) == ("model", "")
    assert works["digest"].hardware > 0
    assert works["digest"].hardware_bytes > 4096
    assert works["digest"].break_even == 100
    assert {works[name].break_even for name in ("xts", "gcm", "cmac")} == {None}
    assert works["cbc"].software == works["cbc"].hardware == 0


def test_manual_and_page_name_every_setting() -> None:
    settings = (CHECKOUT / "provider/base/settings.c").read_text()
    keys = re.findall(r'\] = \{ "(\w+)", "(\w+)" \}', settings)
    header = (CHECKOUT / "provider/base/work.h").read_text()
    names = re.search(r"FSP_WORK_NAMES((?:\s*\\?\s*\"[^\"]*\")+)", header)
    assert len(keys) >= 6
    assert names
    words = {word for pair in keys for word in pair} | set(re.findall(r"\w+", names[1]))
    for page in ("provider/man/firesteel-provider.7", "docs/provider.md"):
        assert words <= set(re.findall(r"\w+", (CHECKOUT / page).read_text())), page


def test_the_page_has_every_openssl_that_is_tested() -> None:
    page = (CHECKOUT / "docs/provider.md").read_text()
    rows = re.findall(r"^\| (\d\.\d+) \| (\w+) \| ([^|]+) \|", page, re.MULTILINE)
    tested = {suite: "provider, programs" if suite in SUITES else "provider" for suite in OPENSSL}
    assert rows == [(OPENSSL[suite], suite, what) for suite, what in tested.items()]
    others = {path.stem for path in Path(__file__).parent.glob("test_on_*.py")}
    assert others == {f"test_on_{suite}" for suite in OPENSSL if suite != SUITE}
