# SPDX-License-Identifier: Apache-2.0
"""The command line as a whole: sentences instead of tracebacks, and a clean end on signals."""

import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from processes import FAKE, environment, firesteel, signalled

from firesteel import __version__
from firesteel.base import checkout, interrupts
from firesteel.base.checkout import RECORDED
from firesteel.build import artifacts
from firesteel.build.artifacts import LIST
from firesteel.cli import build, main
from firesteel.store.store import Store

Said = tuple[int, str, str]
"""Status, standard output and standard error."""


@pytest.fixture
def say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[str], Said]:
    """What a command line ends with, in this process and an empty cache."""
    monkeypatch.setenv("FIRESTEEL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(interrupts, "listen", lambda: None)

    def run(line: str) -> Said:
        monkeypatch.setattr(sys, "argv", ["firesteel", *shlex.split(line)])
        with pytest.raises(SystemExit) as ended:
            main()
        status = ended.value.code or 0
        assert isinstance(status, int)
        return status, *capsys.readouterr()

    return run


def test_it_is_a_program(tmp_path: Path) -> None:
    assert firesteel(tmp_path, "--version").stdout.startswith(f"firesteel {__version__}")
    done = firesteel(tmp_path, "run", "x", "--seeds", "0")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "firesteel: --seeds 0 should be greater than or equal to 1.\n"


@pytest.mark.parametrize(
    ("output", "problem"),
    [
        ("> /dev/full", "standard output cannot be written: No space left on device."),
        (">&-", "standard output is closed; results go there."),
        ("| true", ""),
    ],
)
def test_an_output_that_takes_nothing_is_told_in_a_sentence(
    tmp_path: Path, output: str, problem: str
) -> None:
    command = f"{shlex.quote(sys.executable)} -P -m firesteel list --store {tmp_path} {output}"
    done = subprocess.run(
        ["sh", "-c", command],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.stderr == (f"firesteel: {problem}\n" if problem else "")
    assert done.returncode == (1 if problem else 0)


@pytest.mark.parametrize(
    ("changelog", "after"),
    [
        (
            "## Unreleased\n\n- One\n\n## 0.1.0 — 2030-01-02\n",
            " with unreleased changes (CHANGELOG.md)",
        ),
        ("## Unreleased\n\n## 0.1.0 — 2030-01-02\n\n- One\n", ""),
        (None, ""),
    ],
)
def test_the_version_says_whether_there_are_changes_after_it(
    say: Callable[[str], Said],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    changelog: str | None,
    after: str,
) -> None:
    monkeypatch.setattr(checkout, "CHECKOUT", tmp_path)
    if changelog is not None:
        (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n{changelog}", encoding="utf-8")
    assert say("--version") == (0, f"firesteel {__version__}{after}\n", "")


WRONG = {
    "show": (1, "no runs in"),
    "report latest": (1, "no runs in"),
    "run nonesuch": (1, "no experiment `nonesuch`"),
    "run missing.toml": (1, "missing.toml: "),
    "run quickstrat": (1, "`quickstrat` (did you mean `quickstart`?)"),
    "run quickstart --board socrate": (1, "(did you mean `socrates`?)"),
    "run quickstart --only mac": (1, "--only mac: allowed is KEY=VALUE"),
    "run x --jobs 0": (2, "--jobs 0 should be greater than or equal to 1."),
    "run x --jobs two": (2, "--jobs two should be a valid integer"),
    "provider x": (2, "PID x should be a valid integer"),
    "show --part lmits": (2, "--part lmits (did you mean `limits`?): allowed are answer, "),
    "build provder": (2, "WHAT provder (did you mean `provider`?): allowed are all, "),
    "advise --protocol opnvpn --suite aes-256-gcm": (
        2,
        "--protocol opnvpn (did you mean `openvpn`?): allowed are openvpn, ",
    ),
    "advise --protocol Strongwan --suite aes-256-gcm": (2, "(did you mean `strongswan`?)"),
    "show --format xml": (2, "--format xml: allowed are table, csv, json, parquet, flent."),
    "show --part answer --format csv": (2, "--format csv: allowed for --part answer: table."),
    "show --part samples --format table": (2, "--format table: allowed for --part samples"),
    "show --part samples --format parquet": (2, "add --output FILE"),
    "show --part cost": (2, "--cost OF=COST and `--part cost` go together"),
    "show --part figures --cost socrates=1": (2, "go together"),
    "show --follow --part limits": (2, "--part shows what a run measured; leave out --follow"),
    "run quickstart --on head": (2, "`tcp://head` is not an address of a Dask scheduler; allowed"),
    "run quickstart --on head:1 --jobs 2": (2, "--jobs applies to this machine; with --on each"),
    "run quickstart --on head:1 --tls-ca ca": (2, "TLS needs --tls-ca, --tls-cert, --tls-key; m"),
    "machines head:1 --tls-ca none --tls-cert none --tls-key none": (
        1,
        "--tls-key none: No such file or directory; each is a file in PEM.",
    ),
    "machines --jobs 2": (2, "--jobs is for a machine that works for a scheduler"),
    "machines head:1 --port 0": (2, "--port is for the scheduler; leave out ADDRESS"),
    "build qemu --to x": (2, "--to is for `firesteel build bundle`"),
    "build --check --no-sources": (2, "--no-sources is for `firesteel build bundle`"),
    "build --relock": (2, "--relock is for `firesteel build image`"),
    "build everything": (2, "WHAT everything: allowed are all, root, qemu"),
    "build bundle --python 3.13 --python three": (1, "Python three: allowed are 3.11, 3.12, 3.13."),
    "build bundle --without libcrypto --without image": (
        1,
        "--without image: allowed are openssh,",
    ),
    "build bundle --to /dev/null": (1, "/dev/null: a file cannot be written: File exists."),
}
"""Wrong command lines: the status, and what is said."""


@pytest.mark.parametrize("line", WRONG)
def test_a_wrong_command_line_is_one_sentence(
    say: Callable[[str], Said], tmp_path: Path, line: str
) -> None:
    status, said = WRONG[line]
    ended, output, errors = say(line)
    assert (ended, output) == (status, "")
    assert errors.startswith("firesteel: ")
    assert said in errors
    assert errors.count("\n") == 1
    assert not (tmp_path / "cache").exists()


def test_no_command_or_an_unknown_one(say: Callable[[str], Said]) -> None:
    for line in ("fly", "run"):
        status, _, errors = say(line)
        assert status == 2
        assert "Traceback" not in errors


HELP = {
    "profile": ("RUN [CELL...]", ["  RUN      A run's name", "  CELL...  A cell's", "--top N  "]),
    "run": ("EXPERIMENT", ["  EXPERIMENT  An experiment's name", "--jobs N  "]),
    "show": ("[RUN]", ["  RUN  A run's name", "--format <table|csv|json|parquet|flent>"]),
    "machines": ("[ADDRESS]", ["  ADDRESS  Work for the Dask scheduler", "--port PORT  "]),
}


@pytest.mark.parametrize("command", HELP)
def test_help_names_no_type_of_python(say: Callable[[str], Said], command: str) -> None:
    usage, more = HELP[command]
    _, told, _ = say(f"{command} --help")
    assert told.startswith(f"Usage: firesteel {command} [OPTIONS] {usage}\n")
    assert all(text in told for text in more)
    assert not any(text in told for text in ("str>", "<int", "{", "[["))


def test_help_says_which_dry_runs_list_cells(say: Callable[[str], Said]) -> None:
    lists = {name: "Up to 20 cells" in say(f"{name} --help")[1] for name in ("run", "design")}
    assert lists == {"run": True, "design": False}


@pytest.mark.parametrize(
    "line",
    [
        f"show LONG --store {RECORDED}",
        "advise --protocol ipsec --suite LONG",
        "advise --protocol=LONG --suite aes-256-gcm",
        "advise --protocol ipsec --suite aes-256-gcm --board LONG",
        "provider --directory LONG",
        "run quickstart --only protocol=LONG",
        f"show thesis --store {RECORDED} --output LONG",
    ],
)
def test_a_long_word_is_quoted_in_short(say: Callable[[str], Said], line: str) -> None:
    status, _, errors = say(line.replace("LONG", "x" * 5000))
    assert status in (1, 2)
    assert errors.startswith("firesteel: ")
    assert "xxx…" in errors
    assert len(errors) < 1000


def test_what_is_no_comparison(say: Callable[[str], Said]) -> None:
    for words, status, said in (
        ("thesis gcm", 2, "thesis and gcm"),
        ("thesis thesis --fail-if worse", 2, "--fail-if worse: "),
        ("thesis thesis --noise much", 2, "--noise much: "),
        ("thesis thesis --part ratios", 2, "--part is for one run; leave out RUN_B"),
        ("thesis --fail-if worse:5%", 2, "--fail-if is for two runs; name the second"),
        ("thesis --study miltchev2002 --part ratios", 2, "--study goes with `--part statements`"),
        ("thesis --part statements --study nobody1999", 1, "no study `nobody1999`; there are: "),
        ("thesis nonesuch", 2, "no run `nonesuch`"),
        ("nonesuch thesis --fail-if worse:5%", 2, "no run `nonesuch`"),
        ("thesis thesis --baseline /nowhere", 2, "no runs in /nowhere"),
        ("thesis thesis --only protocol=tor", 2, "--only protocol=tor: no cell has that"),
    ):
        ended, output, errors = say(f"compare {words} --store {RECORDED}")
        assert (ended, output) == (status, "")
        assert said in errors
        assert errors.count("\n") == 1
    assert say(f"compare thesis thesis --fail-if changed:0% --store {RECORDED}")[0] == 0


def test_in_a_bundle(
    say: Callable[[str], Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / LIST).write_text("{}")
    monkeypatch.setattr(artifacts, "BROUGHT", tmp_path)
    assert "`firesteel build` needs a checkout" in say("build bundle")[2]
    monkeypatch.setattr(build, "IN_A_BUNDLE", ())
    assert say("build --check")[0] == 0


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
    assert (done.returncode, done.stderr) == (0, "")
    assert re.match(r"\d+ cells.*, at most \d+ new; time: about ", done.stdout)
    assert done.stdout.endswith("is not built yet; `firesteel build` builds it.\n")
    assert done.stdout.count("\n") == 1
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


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
