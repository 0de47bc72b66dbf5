# SPDX-License-Identifier: Apache-2.0
"""Long steps say what and how far; a failed command shows the end of its log."""

import io
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from rich.console import Console

from firesteel.base.errors import FiresteelError
from firesteel.build import progress
from firesteel.build.progress import Report, Runner, at_once, read_report

requires_root = pytest.mark.skipif(os.geteuid() != 0, reason="makes namespaces, which needs root")


@pytest.fixture
def output() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def runner(tmp_path: Path, output: io.StringIO) -> Runner:
    return Runner(tmp_path / "logs", Console(file=output))


def test_what_tools_say_about_how_far_they_are() -> None:
    assert read_report("[12/1300] Compiling C object a.c.o\n") == Report(done=12, total=1300)
    assert read_report("I: extracting archives...\n") == Report(phase="extracting archives")
    assert read_report("I: running --customize-hook in shell: sh -c '...'\n") is None
    assert read_report("gcc: warning\n") is None


def test_elsewhere_than_on_a_terminal_lines_are_plain(
    runner: Runner, output: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "_PLAIN_INTERVAL_S", 0.0)
    runner.run("Building it", ["echo", "[3/7] Compiling"])
    assert re.sub(r"\d+ s", "N s", output.getvalue()).splitlines() == [
        "Building it ...",
        "Building it: 3 of 7 after N s",
        "Building it: done in N s",
    ]


def test_on_a_terminal_steps_at_once_have_a_live_line_each(tmp_path: Path) -> None:
    output = io.StringIO()
    runner = Runner(tmp_path, Console(file=output, force_terminal=True))
    with runner.step("Building one"), runner.step("Building the other"):
        time.sleep(0.3)
    shown = output.getvalue()
    assert any("Building one" in frame and "the other" in frame for frame in shown.split("\x1b[2K"))
    assert re.search(r"done in \d s\s*$", shown)


def test_works_at_once_overlap(runner: Runner, tmp_path: Path) -> None:
    meet = "touch {0}; until [ -e {1} ]; do sleep 0.01; done"
    at_once(
        runner,
        *(
            partial(runner.run, f"Part {here}", ["sh", "-c", meet.format(*names)], None, tmp_path)
            for here, names in (("a", ("a", "b")), ("b", ("b", "a")))
        ),
    )


def test_when_one_work_fails_the_others_end_and_its_error_is_told(runner: Runner) -> None:
    begun: list[str] = []

    def long() -> None:
        runner.run("The long one", ["sleep", "600"])
        begun.append("after the long one")

    with pytest.raises(FiresteelError, match="The short one failed with status 3"):
        at_once(runner, long, lambda: runner.run("The short one", ["sh", "-c", "exit 3"]))
    assert begun == []
    with pytest.raises(FiresteelError, match=r"Another was stopped\."):
        runner.run("Another", ["true"])


def test_a_failed_command_shows_the_end_of_its_log(runner: Runner, tmp_path: Path) -> None:
    script = "for n in $(seq 40); do echo line $n; done; echo oh no >&2; exit 3"
    with pytest.raises(FiresteelError) as caught:
        runner.run("Building it", ["sh", "-c", script])
    told = str(caught.value)
    log = tmp_path / "logs/building-it.log"
    assert told.startswith("Building it failed")
    assert "status 3" in told
    assert str(log) in told
    assert told.endswith("    line 40\n    oh no")
    assert "line 20\n" not in told
    assert "line 20\n" in log.read_text()


def test_a_full_disk_is_one_sentence(runner: Runner) -> None:
    script = "echo 'tar: usr: Cannot write: No space left on device'; echo more; exit 2"
    with pytest.raises(FiresteelError) as caught:
        runner.run("Building it", ["sh", "-c", script])
    assert "disk is full" in str(caught.value)
    assert "\n" not in str(caught.value)


INTERRUPTED = """
import sys
from pathlib import Path
from firesteel.build.progress import Runner
runner = Runner(Path(sys.argv[1]))
run = runner.run_apart if sys.argv[2] == "apart" else runner.run
run("Waiting", ["sh", "-c", f"sleep {sys.argv[3]} & sleep {sys.argv[3]}; wait"])
"""


@pytest.mark.parametrize(
    ("how", "number"),
    [
        pytest.param("apart", 2, marks=requires_root),
        pytest.param("apart", 9, marks=requires_root),
        ("together", 2),
    ],
)
def test_an_interrupted_command_leaves_no_process(tmp_path: Path, how: str, number: int) -> None:
    unique = f"60.{os.getpid()}{number}{len(how)}"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    command = [sys.executable, "-c", INTERRUPTED, str(tmp_path), how, unique]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, env=environment)
    assert eventually(lambda: sleepers(unique) == 2)
    process.send_signal(number)
    process.wait(timeout=20)
    assert eventually(lambda: sleepers(unique) == 0)


def eventually(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return False


def sleepers(argument: str) -> int:
    count = 0
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            count += process.read_bytes() == f"sleep\0{argument}\0".encode()
        except OSError:
            continue
    return count
