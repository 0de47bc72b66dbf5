# SPDX-License-Identifier: Apache-2.0
"""Puts faults into the lab, one at a time, and says which tests catch them.

    python lab/tests/mutations/mutate.py                all faults, with the table renewed
    python lab/tests/mutations/mutate.py NAME ...       those alone; their rows are renewed
    python lab/tests/mutations/mutate.py --check        which faults fit the lab; no test runs

Each `NAME.patch` beside this file is a fault.  Its first line says what is wrong and what a user
sees of it, the line `Tests:` which files or folders of `lab/tests` are run, and below is one hunk
of a unified diff.  The hunk is found by its text, not by its line numbers, and also in another file
than the one that it names, so that a fault outlives moves of code.  A fault whose text is gone
needs a new hunk: put the same fault into what does the work now.

Faults are put into a clone of the last commit, so that the checkout is left alone.  A test that
fails also without the fault catches nothing.
"""

import argparse
import csv
import importlib.util
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parents[2]
TABLE = HERE / "caught.csv"
SOURCES = ("lab/src", "research", "tools")
"""Where code of the lab may lie."""

NOT_CAUGHT, HANGS = "not caught", "a test hangs"
"""What the table says of a fault that no test has noticed, and of one that stops the tests."""

_SECONDS = 600
"""How long the tests of a fault may take; the longest take two minutes."""

_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+\.py.*?)(?: - .*)?$", re.MULTILINE)
"""How pytest names a test, in the summary at its end."""


class FaultError(Exception):
    """A fault that cannot be put into the lab."""


@dataclass(frozen=True)
class Fault:
    """A fault: what is wrong, the tests that may notice it, and what is replaced in which file."""

    name: str
    says: str
    tests: tuple[str, ...]
    file: str
    hunk: tuple[str, ...]

    @staticmethod
    def read(path: Path) -> "Fault":
        """The fault in a patch; `FaultError` where the patch lacks a part."""
        says, *lines = path.read_text(encoding="utf-8").splitlines()
        tests = [line.removeprefix("Tests:").split() for line in lines if line.startswith("Tests:")]
        files = [line.removeprefix("+++ b/") for line in lines if line.startswith("+++ b/")]
        starts = [number for number, line in enumerate(lines) if line.startswith("@@")]
        if len(tests) != 1 or len(files) != 1 or len(starts) != 1:
            raise FaultError(f"{path.name}: needs one line `Tests:`, one file and one hunk")
        return Fault(path.stem, says, tuple(tests[0]), files[0], tuple(lines[starts[0] + 1 :]))

    def replaced(self, text: str) -> list[str]:
        """The text of a file with the fault in it, once for each place that it fits.

        It fits where all lines of the hunk are; or, where they are nowhere, the changed ones.
        """
        for hunk in (self.hunk, _without_context(self.hunk)):
            before, after = _side(hunk, "-"), _side(hunk, "+")
            starts = [found.start() for found in re.finditer(re.escape(before), f"\n{text}")]
            if starts:
                # The newline before the first line is a part of `before`.
                return [_spliced(f"\n{text}", at, before, after)[1:] for at in starts]
        return []

    def put_into(self, tree: Path) -> tuple[Path, str]:
        """The one file that the fault fits, and its text with it; `FaultError` if there is none."""
        named = tree / self.file
        for files in ([named] if named.is_file() else [], _sources(tree)):
            found = [
                (file, text)
                for file in files
                for text in self.replaced(file.read_text(encoding="utf-8"))
            ]
            if len(found) == 1:
                return found[0]
            if found:
                raise FaultError(f"{self.name}: fits {len(found)} places; give it more context")
        raise FaultError(f"{self.name}: its text is nowhere in the lab; it needs a new hunk")


@dataclass(frozen=True)
class Row:
    """A row of the table: which test was the first to catch a fault, after how many seconds, in
    which commit, and when that was.
    """

    fault: str
    caught_by: str
    seconds: int
    commit: str
    date: str


def faults(names: Sequence[str] = ()) -> Iterator[Fault]:
    """All faults, or those of these names, sorted."""
    paths = sorted(HERE.glob("*.patch"))
    if unknown := sorted(set(names) - {path.stem for path in paths}):
        raise FaultError(f"there is no fault {unknown[0]}")
    return (Fault.read(path) for path in paths if not names or path.stem in names)


def tried(fault: Fault, tree: Path) -> tuple[str, int]:
    """The first test that catches a fault, and the seconds until it has."""
    file, text = fault.put_into(tree)
    whole = file.read_text(encoding="utf-8")
    started, without = time.monotonic(), list[str]()
    while True:
        _write(file, text)
        try:
            failed = _first_failure(tree, [f"lab/tests/{test}" for test in fault.tests], without)
        finally:
            _write(file, whole)
        seconds = round(time.monotonic() - started)
        if failed in (None, HANGS):
            return failed or NOT_CAUGHT, seconds
        if failed not in without and _first_failure(tree, [failed]) is None:
            return failed, seconds
        without.append(failed)


def _first_failure(tree: Path, tests: Iterable[str], without: Iterable[str] = ()) -> str | None:
    """The first of these tests that fails or hangs; None where all pass."""
    command = [sys.executable, "-m", "pytest", "-c", "lab/pyproject.toml", "--rootdir=."]
    command += ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", *tests]
    command += [f"--deselect={test}" for test in without]
    with subprocess.Popen(
        command, cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    ) as process:
        try:
            told, _ = process.communicate(timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return HANGS
    if process.returncode == 0:
        return None
    output = told.decode(errors="replace")
    if found := _FAILED.search(output):
        return found[1]
    raise FaultError(f"pytest ended with status {process.returncode}:\n{output[-2000:]}")


def _write(file: Path, text: str) -> None:
    """Writes a source, and forgets its bytecode: its time and size may be those of before."""
    file.write_text(text, encoding="utf-8")
    Path(importlib.util.cache_from_source(str(file))).unlink(missing_ok=True)


def _sources(tree: Path) -> list[Path]:
    return [path for top in SOURCES for path in sorted((tree / top).rglob("*.py"))]


def _without_context(hunk: Sequence[str]) -> tuple[str, ...]:
    """The lines from the first one that changes to the last."""
    changed = [number for number, line in enumerate(hunk) if line[:1] in ("-", "+")]
    return tuple(hunk[changed[0] : changed[-1] + 1])


def _side(hunk: Iterable[str], sign: str) -> str:
    """What is there before or after the change, with a newline before and behind each line."""
    lines = [line[1:] for line in hunk if line[:1] in (" ", "", sign)]
    return "".join(f"\n{line}" for line in lines) + "\n"


def _spliced(text: str, at: int, before: str, after: str) -> str:
    return text[:at] + after + text[at + len(before) :]


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=CHECKOUT, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def _known() -> dict[str, Row]:
    if not TABLE.exists():
        return {}
    with TABLE.open(encoding="utf-8", newline="") as file:
        _, *lines = csv.reader(file)
    return {name: Row(name, by, int(took), *when) for name, by, took, *when in lines}


def _keep(rows: dict[str, Row]) -> None:
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [each.name for each in fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(rows[name]) for name in sorted(rows))


def _check(wanted: Iterable[Fault], tree: Path) -> int:
    """Says which faults do not fit, or name tests that are not there; whether there are any."""
    status = 0
    for fault in wanted:
        try:
            fault.put_into(tree)
            for test in fault.tests:
                if not (tree / "lab" / "tests" / test).exists():
                    raise FaultError(f"{fault.name}: there is no lab/tests/{test}")
        except FaultError as error:
            print(error)
            status = 1
    return status


def main() -> int:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("names", metavar="NAME", nargs="*", help="the faults [default: all]")
    parser.add_argument("--check", action="store_true", help="say which fit the lab; run no test")
    asked = parser.parse_args()
    wanted = list(faults(asked.names))
    if asked.check:
        return _check(wanted, CHECKOUT)
    commit, today = (
        _git("rev-parse", "--short=12", "HEAD"),
        datetime.now().astimezone().date().isoformat(),
    )
    present = {fault.name for fault in faults()}
    rows = {name: row for name, row in _known().items() if name in present}
    with tempfile.TemporaryDirectory(prefix="firesteel-mutations-") as directory:
        tree = Path(directory) / "tree"
        _git("clone", "--quiet", "--shared", str(CHECKOUT), str(tree))
        for fault in wanted:
            caught_by, seconds = tried(fault, tree)
            rows[fault.name] = Row(fault.name, caught_by, seconds, commit, today)
            _keep(rows)
            print(f"{fault.name}: {caught_by} ({seconds} s)", flush=True)
    missed = sum(row.caught_by == NOT_CAUGHT for row in rows.values())
    print(f"{len(rows) - missed} of {len(rows)} faults are caught.")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except FaultError as error:
        sys.exit(f"mutate.py: {error}.")
