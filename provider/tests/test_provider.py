# SPDX-License-Identifier: Apache-2.0
"""The provider's own tests, written in C, as it is used and with sanitizers."""

import re
import subprocess

import pytest
import vectors_curves
import vectors_rsa
from records import write_lines
from workshop import Workshop

from firesteel.base.checkout import CHECKOUT
from firesteel.protocols.provider_statistics import Statistics


@pytest.mark.parametrize("build", ["plain", "checked"])
def test_the_provider_does_what_it_says(provider: Workshop, build: str) -> None:
    directory = f"/firesteel/work/{build}"
    command = ("nice", "meson", "test", "-C", directory, "--no-rebuild", "--num-processes", "1")
    provider.run(f"Testing the provider, {build}", *command, "--print-errorlogs", "-t", "8")


def test_rsa_answers_are_the_published_ones(provider: Workshop) -> None:
    write_lines(provider.work / "rsa.txt", vectors_rsa.lines())
    directory = "/firesteel/work/checked/provider"
    command = ("env", f"PROVIDER_DIRECTORY={directory}", "nice", f"{directory}/answers-rsa")
    provider.run("Running the vectors of RSA", *command, "/firesteel/work/rsa.txt")


def test_answers_of_curves_are_the_published_ones(provider: Workshop) -> None:
    write_lines(provider.work / "curves.txt", vectors_curves.lines())
    directory = "/firesteel/work/checked/provider"
    command = ("env", f"PROVIDER_DIRECTORY={directory}", "nice", f"{directory}/answers-curves")
    provider.run("Running the vectors of curves", *command, "/firesteel/work/curves.txt")


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
    directory = f"/firesteel/work/{build}/provider"
    command = ("env", f"PROVIDER_DIRECTORY={directory}", f"{directory}/test-statistics")
    provider.run(f"Sharing a directory, {build}", *command, user="0:0")


def test_only_its_beginning_is_exported(provider: Workshop) -> None:
    module = provider.work / "plain" / "provider" / "firesteel.so"
    command = ["nm", "-D", "--defined-only", str(module)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert {line.split()[-1] for line in lines.splitlines()} == {"OSSL_provider_init"}


def test_unmodified_programs_speak_with_others(provider: Workshop) -> None:
    script = "/firesteel/checkout/provider/tests/programs.sh"
    module = "/firesteel/work/plain/provider/firesteel.so"
    provider.run("Trying the openssl program", "sh", script, module)


def test_the_command_says_whether_a_program_uses_the_cores(provider: Workshop) -> None:
    script = "/firesteel/checkout/provider/tests/check.sh"
    provider.run("Checking programs", "sh", script, "/firesteel/work/plain/provider")


def test_what_is_installed_works_below_its_prefix(provider: Workshop) -> None:
    provider.run("Installing", "sh", "/firesteel/checkout/provider/tests/installed.sh")


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
