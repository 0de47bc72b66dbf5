# SPDX-License-Identifier: Apache-2.0
"""The command line as a process: sentences instead of tracebacks, and a clean end on signals."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from processes import FAKE, environment, firesteel, signalled

from firesteel import __version__
from firesteel.base.checkout import RECORDED
from firesteel.store.store import Store


def test_the_version(tmp_path: Path) -> None:
    assert firesteel(tmp_path, "--version").stdout == f"firesteel {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["show"], "no runs in"),
        (["run", "nonesuch"], "no experiment `nonesuch`"),
        (["run", "missing.toml"], "missing.toml: "),
        (["run", "quickstart", "--only", "mac"], "--only mac: allowed is KEY=VALUE"),
        (["report", "latest"], "no runs in"),
    ],
)
def test_an_error_is_one_sentence_on_standard_error(
    tmp_path: Path, arguments: list[str], said: str
) -> None:
    done = firesteel(tmp_path, *arguments)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("firesteel: ")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "x", "--seeds", "0"], "--seeds 0: allowed is 1 to 100."),
        (["run", "x", "--jobs", "0"], "--jobs 0: allowed is a whole number from 1 on."),
        (["run", "x", "--jobs", "two"], "--jobs two: allowed is a whole number from 1 on."),
        (["provider", "x"], "PID x: allowed is a whole number."),
        (["show", "--format", "xml"], "--format xml: allowed are table, csv, json, parquet."),
    ],
)
def test_a_wrong_value_is_answered_with_what_is_allowed(
    tmp_path: Path, arguments: list[str], said: str
) -> None:
    done = firesteel(tmp_path, *arguments)
    assert (done.returncode, done.stderr) == (2, f"firesteel: {said}\n")


@pytest.mark.parametrize(
    ("command", "usage", "more"),
    [
        (
            "profile",
            "RUN [CELL...]",
            ["  RUN      A run's name", "  CELL...  A cell's", "--top N  "],
        ),
        ("run", "EXPERIMENT", ["  EXPERIMENT  An experiment's name", "--jobs N  "]),
        ("show", "[RUN]", ["  RUN  A run's name", "--format <table|csv|json|parquet>"]),
        ("machines", "[ADDRESS]", ["  ADDRESS  Work for the Dask scheduler", "--port PORT  "]),
    ],
)
def test_help_names_no_type_of_python(
    tmp_path: Path, command: str, usage: str, more: list[str]
) -> None:
    done = firesteel(tmp_path, command, "--help")
    assert done.stdout.startswith(f"Usage: firesteel {command} [OPTIONS] {usage}\n")
    assert all(text in done.stdout for text in more)
    assert not any(text in done.stdout for text in ("str>", "<int", "{", "[["))


@pytest.mark.parametrize(
    "arguments",
    [
        ["show", "LONG"],
        ["advise", "--protocol", "ipsec", "--suite", "LONG"],
        ["advise", "--protocol=LONG", "--suite", "aes-256-gcm"],
        ["advise", "--protocol", "ipsec", "--suite", "aes-256-gcm", "--board", "LONG"],
        ["provider", "--directory", "LONG"],
        ["run", "quickstart", "--only", "protocol=LONG"],
        ["show", "thesis", "--output", "LONG"],
    ],
)
def test_a_long_word_is_quoted_in_short(tmp_path: Path, arguments: list[str]) -> None:
    words = [word.replace("LONG", "x" * 5000) for word in arguments]
    if arguments[0] == "show":
        words += ["--store", str(RECORDED)]
    done = firesteel(tmp_path, *words)
    assert done.returncode in (1, 2)
    assert done.stderr.startswith("firesteel: ")
    assert "xxx…" in done.stderr
    assert len(done.stderr) < 1000


@pytest.mark.parametrize(
    "arguments",
    [["fly"], ["show", "--format", "xml"], ["run", "quickstart", "--jobs", "0"], ["run"]],
)
def test_a_wrong_command_line_is_status_2_without_traceback(
    tmp_path: Path, arguments: list[str]
) -> None:
    done = firesteel(tmp_path, *arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_a_run_and_says_how_to_go_on(tmp_path: Path, number: int) -> None:
    arguments = ["run", "quickstart", "--quick", "--jobs", "1"]
    errors = signalled(tmp_path, "third cell", number, *arguments)
    journal = Store(tmp_path / "store").journal()
    assert "2 of 9 cells" in errors
    assert f"`firesteel show {journal.name}`" in errors.splitlines()[-1]
    assert journal.count("done") == 2
    told = firesteel(tmp_path, "list").stdout.splitlines()
    (row,) = [line for line in told if line.startswith(journal.name)]
    assert row.rstrip().endswith("not finished")
    again = subprocess.run(
        [sys.executable, "-P", "-c", FAKE, "fast", *arguments],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert again.returncode == 0
    assert again.stderr.count("from the store") == 2
    assert again.stderr.count("measured in") == 7


def test_a_signal_while_things_are_built_is_told_in_a_sentence(tmp_path: Path) -> None:
    errors = signalled(tmp_path, "building", signal.SIGINT, "run", "quickstart", "--fresh")
    assert errors.startswith("firesteel: stopped")
    assert errors.count("\n") == 1
    assert Store(tmp_path / "store").run_names() == []


def fake(cache: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command where figures are made up."""
    return subprocess.run(
        [sys.executable, "-P", "-c", FAKE, "fast", *arguments],
        env=environment(cache),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_what_makes_no_sense_to_compare_is_status_2_and_one_sentence(tmp_path: Path) -> None:
    for part in ("protocol=none", "mac=gcm"):
        fake(tmp_path, "run", "quickstart", "--quick", "--only", part).check_returncode()
    store = Store(tmp_path / "store")
    first, second = store.run_names()
    for arguments, status, said in (
        ((first, second), 2, f"{first} and {second}"),
        ((first, first, "--fail-if", "worse"), 2, "--fail-if worse: "),
        ((first, first, "--noise", "much"), 2, "--noise much: "),
        ((first, "--fail-if", "worse:5%"), 2, "--fail-if is for two runs; name the second"),
        ((first, "nonesuch"), 1, "no run `nonesuch`"),
    ):
        done = fake(tmp_path, "compare", *arguments)
        assert (done.returncode, done.stdout) == (status, "")
        assert done.stderr.startswith("firesteel: ")
        assert said in done.stderr
        assert done.stderr.count("\n") == 1
    fake(tmp_path, "compare", first, first, "--fail-if", "changed:0%").check_returncode()
    done = fake(tmp_path, "show", "nonesuch", "--part", "samples")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["--on", "head"],
            "`tcp://head` is no address of a Dask scheduler; allowed are HOST:PORT,",
        ),
        (
            ["--on", "head:1", "--jobs", "2"],
            "--jobs is for this machine; with --on each worker has",
        ),
        (["--on", "head:1", "--tls-ca", "ca"], "TLS needs --tls-ca, --tls-cert, --tls-key; missin"),
    ],
)
def test_other_machines_are_asked_for_rightly(
    tmp_path: Path, arguments: list[str], said: str
) -> None:
    done = firesteel(tmp_path, "run", "quickstart", "--quick", *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(f"firesteel: {said}")
    assert len(done.stderr.splitlines()) == 1


def test_files_for_tls_that_are_not_there_are_named(tmp_path: Path) -> None:
    options = [word for name in ("ca", "cert", "key") for word in (f"--tls-{name}", "none.pem")]
    done = firesteel(tmp_path, "machines", "head:1", *options)
    assert done.returncode == 1
    assert done.stderr.startswith("firesteel: --tls-ca none.pem --tls-cert none.pem ")
    assert done.stderr.endswith(": No such file or directory; each is a file in PEM.\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "quickstart"),
        ("sensitivity", "openvpn"),
        (
            *("design", "openvpn", "--require", "throughput >= 1 MB/s"),
            *("--smallest", "cores.*.timing.clock_hz=25..50MHz"),
        ),
    ],
)
def test_a_dry_run_builds_nothing(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = firesteel(tmp_path, *arguments, "--quick", "--dry-run")
    assert (done.returncode, done.stdout) == (0, "")
    assert re.match(r"\d+ cells.*, at most \d+ new; time: about ", done.stderr)
    assert done.stderr.endswith("is not built yet; `firesteel build` builds it.\n")
    assert done.stderr.count("\n") == 1
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_misspelt_name_is_answered_with_the_nearest_one(tmp_path: Path) -> None:
    assert (
        "`quickstrat` (did you mean `quickstart`?)"
        in firesteel(tmp_path, "run", "quickstrat").stderr
    )
    assert (
        "(did you mean `socrates`?)"
        in firesteel(tmp_path, "run", "quickstart", "--board", "socrate").stderr
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("--part", "answer", "--format", "csv"),
        ("--part", "samples", "--format", "table"),
        ("--part", "samples", "--format", "parquet"),
        ("--part", "cost"),
        ("--part", "figures", "--cost", "socrates=1"),
        ("--follow", "--part", "limits"),
    ],
)
def test_what_does_not_go_together_is_status_2(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = firesteel(tmp_path, "show", *arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (("build", "qemu", "--to", "x"), "--to"),
        (("build", "--check", "--no-sources"), "--no-sources"),
        (("machines", "--jobs", "2"), "--jobs"),
        (("machines", "head:1", "--port", "0"), "--port"),
        (("compare", "--study", "miltchev2002", "--part", "ratios"), "--study"),
        (("compare", "latest", "latest", "--part", "ratios"), "--part"),
    ],
)
def test_options_of_another_use_are_refused(
    tmp_path: Path, arguments: tuple[str, ...], option: str
) -> None:
    words = [*arguments, *(("--store", str(RECORDED)) if arguments[0] == "compare" else ())]
    done = firesteel(tmp_path, *words)
    assert (done.returncode, done.stderr.startswith(f"firesteel: {option} ")) == (2, True)
