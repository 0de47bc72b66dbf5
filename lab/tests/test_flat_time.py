# SPDX-License-Identifier: Apache-2.0
"""What flat time does to figures is told with numbers that are worked out, wherever figures are."""

from pathlib import Path

import pytest

from firesteel.board.profile import load_profile
from firesteel.errors import FiresteelError
from firesteel.flat_time import CYCLES, flat_time, load_cycles
from firesteel.method import method


def test_cycles_are_instructions_at_the_board_s_rate() -> None:
    cycles = load_cycles()
    rate = load_profile(cycles.board.profile).cpu.instructions_per_second
    for algorithm in cycles.algorithms:
        bytes_per_second = rate / algorithm.instructions_per_byte
        charged = cycles.charged(algorithm)
        assert charged * bytes_per_second == pytest.approx(cycles.board.clock_hz)
        assert f"{charged:.0f} for {algorithm.name}, where" in flat_time()
        speed = algorithm.published
        assert speed.cycles * speed.bytes_per_second == pytest.approx(speed.clock_hz)
        assert f"where {speed.cycles:.0f} are published" in flat_time()
        assert charged / speed.cycles <= cycles.most
    assert f"up to {cycles.most:.1f} times too high" in flat_time()


def test_the_method_says_it() -> None:
    assert method().startswith("Virtual time counts instructions")
    assert method().endswith(flat_time())


def test_a_mistake_in_the_file_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "cycles.toml"
    path.write_text(CYCLES.read_text().replace("clock_hz = 800", "clock_hz = -800"))
    with pytest.raises(FiresteelError, match=r"key `board.clock_hz` is -800000000; allowed is"):
        load_cycles(path)
