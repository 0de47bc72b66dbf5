# SPDX-License-Identifier: Apache-2.0
"""A profile says what a board is: numbers with units, and whether DMA is coherent; what is not
modelled is refused.
"""

import re
from pathlib import Path

import pytest

from firesteel.base.errors import FiresteelError
from firesteel.boards.profile import PROFILES, Profile, load_profile, read_profile

BOARD = """
{virtio}
[cpu]
model = "cortex-a15"
instructions_per_second = 600_000_000
[memory]
mebibytes = 1024
dma = "{dma}"
"""


def read(tmp_path: Path, dma: str, virtio: str = "") -> Profile:
    (tmp_path / "board.toml").write_text(BOARD.format(dma=dma, virtio=virtio))
    return load_profile("board", tmp_path)


def test_a_driver_that_takes_all_dma_for_coherent_is_refused(tmp_path: Path) -> None:
    assert read(tmp_path, "coherent", "virtio_crypto = true").virtio_crypto
    with pytest.raises(FiresteelError, match="virtio_crypto is true and memory.dma is"):
        read(tmp_path, "non-coherent", "virtio_crypto = true")


@pytest.mark.parametrize("name", ["socrates", "gateway-a53"])
def test_the_boards_that_are_compared_differ_in_nothing_else(name: str) -> None:
    coherent = load_profile(name)
    memory = coherent.memory.model_copy(update={"dma": "non-coherent"})
    assert load_profile(f"{name}-noncoherent") == coherent.model_copy(update={"memory": memory})


def test_storage_is_said_only_of_boards_that_have_it() -> None:
    card = load_profile("socrates-sd")
    assert "storage" not in load_profile("socrates").model_dump()
    assert card.storage is not None
    said = {"mebibytes": 512, "read_byte_s": 16_800_000, "write_byte_s": 8_900_000}
    assert card.model_dump()["storage"] == said | {"latency_ns": 514_000, "queue_depth": 1}
    assert card.model_copy(update={"storage": None}) == load_profile("socrates")


def with_numbers(tmp_path: Path, rate: str, memory: str, delay: str) -> Profile:
    text = BOARD.format(dma="coherent", virtio="").replace("600_000_000", rate)
    text = text.replace("1024", memory) + f"[ethernet]\ninterrupt_delay_us = {delay}\n"
    (tmp_path / "board.toml").write_text(text)
    return load_profile("board", tmp_path)


def test_numbers_may_have_units(tmp_path: Path) -> None:
    plain = with_numbers(tmp_path, "1_200_000_000", "2048", "1500")
    assert with_numbers(tmp_path, '"1.2 GIPS"', '"2 GiB"', '"1.5 ms"') == plain
    quantum = '"1.2 GIPS"\nquantum_ns = "3 µs"'
    assert with_numbers(tmp_path, quantum, "2048", "1500").cpu.quantum_ns == 3000


@pytest.mark.parametrize(
    ("rate", "memory", "delay", "problem"),
    [
        ('"600"', "1024", "1", r"_second` is \"600\"; a number in quotes has a unit: MIPS, GIPS"),
        ('"600 MHz"', "1024", "1", '"MHz" is not a unit for this key; allowed: MIPS, GIPS'),
        ("600_000_000", '"1.5 MiB"', "1", "it is 1.5 MiB, which is not a whole number"),
        ("600_000_000", '"1 MiB"', "1", 'is "1 MiB"; allowed are 512 MiB and more'),
    ],
)
def test_a_wrong_unit_is_told(
    tmp_path: Path, rate: str, memory: str, delay: str, problem: str
) -> None:
    with pytest.raises(FiresteelError, match=problem):
        with_numbers(tmp_path, rate, memory, delay)


def test_a_board_needs_the_rate_of_its_own_clock_only(tmp_path: Path) -> None:
    def read_cpu(more: str) -> Profile:
        text = BOARD.format(dma="coherent", virtio="")
        (tmp_path / "board.toml").write_text(
            text.replace("instructions_per_second = 600_000_000", more)
        )
        return load_profile("board", tmp_path)

    with pytest.raises(FiresteelError, match='clock is "flat", which needs instructions_per_sec'):
        read_cpu("")
    cycles = read_cpu('clock = "cycles"\nprocessor = "cortex-a9"\nhertz = "1.2 GHz"')
    assert (cycles.cpu.rate, cycles.cpu.instructions_per_second) == (1_200_000_000, None)
    assert cycles.on_clock("cycles") == cycles
    with pytest.raises(FiresteelError, match="no `instructions_per_second`, which the flat clock"):
        cycles.on_clock("flat")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('model = "cortex-a76"', "`cpu.model` is \"cortex-a76\"; allowed is 'cortex-a7' or"),
        ('processor = "cortex-a76"', '`cpu.processor` is "cortex-a76"; allowed is cortex-a9;'),
    ],
)
def test_what_is_modelled_is_said_to_who_asks_for_another_processor(
    tmp_path: Path, line: str, said: str
) -> None:
    key = line.split()[0]
    text = (PROFILES / "socrates.toml").read_text()
    path = tmp_path / "mine.toml"
    path.write_text(re.sub(rf"(?m)^{key} = .*$", line, text))
    with pytest.raises(FiresteelError, match=re.escape(said)) as refused:
        read_profile(path)
    assert str(refused.value).endswith("their figures must not stand for another processor.")
    assert "a Cortex-A9 and a Cortex-A53" in str(refused.value)


def test_all_mistakes_of_a_board_are_told_at_once_whatever_its_clock(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        """
        [cpu]
        model = "cortex-a15"
        clock = "flat"
        instructions_per_second = "700 MIPS"
        processor = "cortex-a53"
        [[cores]]
        name = "crypto0"
        aes = "yes"
        [cores.timing]
        clock_hz = "1000 GHz"
        """
    )
    with pytest.raises(FiresteelError) as refused:
        read_profile(path)
    told = "\n".join(sorted(str(refused.value).replace(f"{path}: key ", "").splitlines()))
    assert re.fullmatch(
        r"`cores\[1\].aes` is .*\n"
        '`cores\\[1\\].timing.clock_hz` is "1000 GHz"; allowed are 10 GHz and less.\n'
        '`cpu.processor` is "cortex-a53"; allowed is cortex-a9; its costs do not apply to the '
        "instructions of a `cortex-a15`.\n"
        "`memory` is missing .*",
        told,
    ), told


@pytest.mark.parametrize("key", ["cores", "cpus", "smp"])
def test_the_number_of_cpus_has_one_name(tmp_path: Path, key: str) -> None:
    path = tmp_path / "mine.toml"
    text = (PROFILES / "socrates.toml").read_text()
    path.write_text(text.replace("[cpu]\n", f"[cpu]\n{key} = 4\n"))
    with pytest.raises(FiresteelError, match=f"`{key}` is not known: .* is `count`"):
        read_profile(path)
