# SPDX-License-Identifier: Apache-2.0
"""Processors: files of the checkout, what the emulator is told of them, mistakes in files."""

import re
from pathlib import Path

import pytest

from firesteel.base.checkout import BOARD
from firesteel.base.errors import FiresteelError
from firesteel.boards.profile import (
    CACHES,
    EVENTS,
    INSTRUCTIONS,
    INSTRUCTIONS_64,
    LINE_BYTES,
    SHARING,
    UNITS,
    Cache,
    Cost,
    load_processor,
    processor_names,
    table_of,
)

DEVICES = BOARD / "qemu" / "devices"


def names_in(macro: str) -> tuple[str, ...]:
    """The names that a list of the emulator's has, in its order."""
    header = (DEVICES / "cycles-classes.h").read_text()
    (body,) = re.findall(rf"^#define {macro}\(X\)((?:.*\\\n)*.*)$", header, re.MULTILINE)
    return tuple(re.findall(r'X\(\w+,\s*"([\w-]+)"\)', body))


def test_classes_and_events_are_those_of_the_emulator() -> None:
    assert names_in("CYCLES_INSTRUCTIONS") == INSTRUCTIONS
    assert names_in("CYCLES_EVENTS") == EVENTS
    assert names_in("CYCLES_SHARING") == SHARING
    assert names_in("CYCLES_A64") == INSTRUCTIONS_64


def test_caches_are_those_of_the_emulator() -> None:
    text = (DEVICES / "cycles-cache.c").read_text()
    names = re.findall(r'static Cache \w+ = { \.name = "([\w-]+)"', text)
    assert tuple(names) == CACHES


def test_an_eighth_of_a_cycle_is_the_emulators_unit() -> None:
    assert f"#define CYCLES_UNITS {UNITS} " in (DEVICES / "cycles.h").read_text()


@pytest.mark.parametrize(
    ("cycles", "nanoseconds", "hertz", "units"),
    [
        (0.5, 0, 800_000_000, 4),
        (20, 80, 1_000_000_000, 8 * 100),
        (20, 80, 800_000_000, 8 * (20 + 64)),
        (0, 0.4, 1_000_000_000, 3),
        (0, 0, 1_000_000_000, 0),
    ],
)
def test_a_cost_is_its_cycles_and_its_time_at_the_frequency(
    cycles: float, nanoseconds: float, hertz: int, units: int
) -> None:
    assert Cost(cycles=cycles, nanoseconds=nanoseconds, source="made").units(hertz) == units


@pytest.mark.parametrize("name", processor_names())
def test_the_table_has_every_name_once_in_the_emulators_order(name: str) -> None:
    processor = load_processor(name)
    table = [entry.split(":") for entry in processor.table(800_000_000).split("/")]
    shapes = [f"{cache}-{part}" for cache in CACHES for part in ("sets", "ways")]
    wide = INSTRUCTIONS_64 if processor.architecture == "arm64" else ()
    lines = ["line-bytes"] if processor.line_bytes != LINE_BYTES else []
    lines += ["stride-lines"] if processor.stride_lines else []
    told = [*INSTRUCTIONS, *EVENTS, *wide, *shapes, *lines]
    assert [entry[0] for entry in table] == told
    assert all(int(value) >= 0 for _, value in table)


def test_a_board_may_have_another_cache_than_the_processors_file() -> None:
    processor = load_processor("cortex-a9")
    usual = processor.table(1_000_000_000)
    other = processor.table(1_000_000_000, {"level-2": Cache(sets=64, ways=2)})
    assert "level-2-sets:2048/level-2-ways:8" in usual
    assert other == usual.replace(
        "level-2-sets:2048/level-2-ways:8", "level-2-sets:64/level-2-ways:2"
    )


def test_costs_of_sharing_are_those_of_several_cpus(tmp_path: Path) -> None:
    assert table_of(load_processor("cortex-a9").table(1, cpus=2)).keys() >= {*EVENTS, *SHARING}
    text = made(tmp_path).joinpath("made.toml").read_text()
    (tmp_path / "made.toml").write_text(text.partition("[sharing]")[0])
    alone = load_processor("made", tmp_path)
    assert "load-other" not in alone.table(1)
    with pytest.raises(FiresteelError, match=r"has 2 CPUs.* no \[sharing\]: .*load-other"):
        alone.table(1, cpus=2)


def made(tmp_path: Path, old: str = "", new: str = "") -> Path:
    """The processor of the checkout in a folder of its own, changed."""
    text = (BOARD / "processors" / "cortex-a9.toml").read_text()
    assert old in text
    (tmp_path / "made.toml").write_text(text.replace(old, new, 1) if old else text)
    return tmp_path


def line_of(name: str) -> str:
    text = (BOARD / "processors" / "cortex-a9.toml").read_text()
    (line,) = re.findall(rf"^{name} = .*$", text, re.MULTILINE)
    return str(line)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (line_of("branch"), "", r"`branch` is missing in \[instructions\]"),
        (line_of("store-shared"), "", r"`store-shared` is missing in \[sharing\]"),
        (
            line_of("branch"),
            line_of("branch") + '\njump = { cycles = 1, source = "made" }',
            r"`jump` in \[instructions\] is unknown; there are: integer, .*",
        ),
        (
            line_of("branch"),
            'branch = { cycles = 1.3, source = "made" }',
            r"key `instructions.branch.cycles` is 1.3; allowed is a multiple of 0.125",
        ),
        (line_of("branch"), 'branch = { cycles = 4000, source = "made" }', "than or equal to 2047"),
        (
            line_of("level-2"),
            "level-2 = { sets = 3, ways = 8 }",
            "sets is 3; allowed are powers",
        ),
    ],
)
def test_a_mistake_in_a_file_is_told(tmp_path: Path, old: str, new: str, told: str) -> None:
    with pytest.raises(FiresteelError, match=told) as caught:
        load_processor("made", made(tmp_path, old, new))
    assert "made.toml" in str(caught.value)
