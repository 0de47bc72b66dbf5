# SPDX-License-Identifier: Apache-2.0
"""The check of layers finds what points up, and only that."""

import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts/c_layers.py"

Check = Callable[[Path, dict[str, str]], tuple[int, list[str]]]

GOOD = {
    "layers.txt": "# the top\nmain\njob queue-*  # neighbours\n\nbase/list\n",
    "main.c": '#include "queue-fast.h"\nint main(void)\n{\n\treturn job_run();\n}\n',
    "queue-fast.h": '#include "base/list.h"\nint queue_add(void);\nint job_run(void);\n',
    "queue-fast.c": '#include "queue-fast.h"\nint queue_add(void)\n{\n\treturn list_add();\n}\n',
    "job.c": "int job_run(void)\n{\n\treturn 0;\n}\n",
    "base/list.h": "int list_add(void);\nextern const int list_sizes[2];\n",
    "base/list.c": "const int list_sizes[2] = { 1, 2 };\nint list_add(void)\n{\n\treturn 0;\n}\n",
    "tests/test-list.c": '#include "../main.h"\nint x(void)\n{\n\treturn main();\n}\n',
}
"""A part in order: path → text.  job.c's function is declared in a header of another stem."""


@pytest.fixture
def check(capsys: pytest.CaptureFixture[str]) -> Check:
    """The check's status, and what it says of a part with these files, without the part's name."""

    def run(folder: Path, files: dict[str, str]) -> tuple[int, list[str]]:
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        status = runpy.run_path(str(SCRIPT))["main"]([str(folder)])
        return status, capsys.readouterr().out.replace(f"{folder}: ", "").splitlines()

    return run


def test_a_part_in_order_passes(check: Check, tmp_path: Path) -> None:
    assert check(tmp_path, GOOD) == (0, ["clean"])


def test_an_interface_may_call_what_it_declares(check: Check, tmp_path: Path) -> None:
    interface = "int job_run(void);\nstatic inline int run(void)\n{\n\treturn job_run();\n}\n"
    files = {
        **GOOD,
        "include/part.h": interface,
        "layers.txt": f"{GOOD['layers.txt']}include/part\n",
    }
    assert check(tmp_path, files) == (0, ["clean"])
    files = {**GOOD, "base/list.h": interface}
    assert check(tmp_path, files)[0] == 1


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        (
            "base/list.c",
            '#include "../queue-fast.h"\n',
            "base/list -> queue-fast (includes ../queue-fast.h): points up",
        ),
        (
            "base/list.h",
            '#include "queue-fast.h"\n',
            "base/list -> queue-fast (includes queue-fast.h): points up",
        ),
        (
            "job.c",
            '#include "queue-fast.h"\nint job_run(void)\n{\n\treturn 0;\n}\n',
            "job -> queue-fast (includes queue-fast.h): stays on its line",
        ),
        (
            "base/list.c",
            "int list_add(void)\n{\n\treturn job_run();\n}\n",
            "base/list -> job (calls job_run()): points up",
        ),
        (
            "base/list.h",
            "static inline int list_job(void)\n{\n\treturn job_run();\n}\n",
            "base/list -> job (calls job_run()): points up",
        ),
        (
            "base/list.c",
            "int (*list_hook(void))(void)\n{\n\tcallback = job_run;\n}\n",
            "base/list -> job (calls job_run()): points up",
        ),
    ],
)
def test_what_does_not_point_down_is_found(
    check: Check, tmp_path: Path, name: str, text: str, complaint: str
) -> None:
    assert check(tmp_path, GOOD | {name: text}) == (1, [complaint])


def test_objects_are_found_too(check: Check, tmp_path: Path) -> None:
    changed = {
        "job.c": "const struct job_kind {\n\tint size;\n} job_kinds[] = {\n\t{ 1 },\n};\n",
        "base/list.c": "int list_add(void)\n{\n\treturn job_kinds[0].size;\n}\n",
    }
    assert check(tmp_path, GOOD | changed) == (
        1,
        ["base/list -> job (uses job_kinds): points up"],
    )


def test_alternatives_do_not_depend_on_each_other(check: Check, tmp_path: Path) -> None:
    alternatives = {
        "layers.txt": GOOD["layers.txt"].replace("job", "job no-job"),
        "no-job.c": GOOD["job.c"],
    }
    assert check(tmp_path, GOOD | alternatives) == (0, ["clean"])


@pytest.mark.parametrize(
    "text",
    [
        "/* job_run() */\n",
        'const char *list_name = "job_run()"; // job_run()\n',
        "static int job_run(void)\n{\n}\nint list_add(void)\n{\n\treturn job_run();\n}\n",
        "struct job_run {\n\tint size;\n};\n",
        "int list_add(struct job_run *job)\n{\n\treturn job->job_run + (*job).job_run;\n}\n",
        "#include <main.h>\n#include <queue-fast.h>\n",
    ],
    ids=["comment", "string", "static", "type", "member", "system"],
)
def test_a_name_alone_is_no_dependency(check: Check, tmp_path: Path, text: str) -> None:
    assert check(tmp_path, GOOD | {"base/list.c": text}) == (0, ["clean"])


def test_files_outside_of_the_part_are_not_taken_for_its_own(check: Check, tmp_path: Path) -> None:
    """The same name beside the part's folder, as silex/message.h and lib/message.h have."""
    silex = tmp_path / "silex/queue-fast.h"
    silex.parent.mkdir()
    silex.touch()
    text = '#include "silex/queue-fast.h"\n#include "../../silex/queue-fast.h"\n'
    assert check(tmp_path / "part", GOOD | {"base/list.c": text}) == (0, ["clean"])


@pytest.mark.parametrize(
    ("layers", "sentence"),
    [
        ("main\njob queue-*\n", "layers.txt: no line names base/list, but exactly one must"),
        (
            "main\njob queue-*\nbase/* job\n",
            "layers.txt: more than one line names job, but exactly one must",
        ),
        ("main\njob queue-* pipe\nbase/list\n", "layers.txt: pipe names no file"),
    ],
)
def test_each_file_has_one_layer(check: Check, tmp_path: Path, layers: str, sentence: str) -> None:
    status, lines = check(tmp_path, GOOD | {"layers.txt": layers})
    assert status == 1
    assert [line.removeprefix(f"{tmp_path}/") for line in lines] == [sentence]


def test_a_part_without_layers_is_an_error(check: Check, tmp_path: Path) -> None:
    status, lines = check(tmp_path, {"main.c": ""})
    assert status == 1
    assert "layers.txt" in lines[0]
