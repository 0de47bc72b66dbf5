# SPDX-License-Identifier: Apache-2.0
"""A profile says whether DMA is coherent, and the boards that are compared differ in that alone;
what is not modelled is refused.
"""

import re
from pathlib import Path

import pytest

from firesteel.base.errors import FiresteelError
from firesteel.board.profile import PROFILES, Profile, load_profile, read_profile

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


def test_dma_is_coherent_unless_the_profile_says_otherwise(tmp_path: Path) -> None:
    assert load_profile("socrates").memory.dma == "coherent"
    for dma in ("coherent", "non-coherent"):
        assert read(tmp_path, dma).memory.dma == dma


def test_another_word_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FiresteelError, match=r"memory\.dma.*'coherent' or 'non-coherent'"):
        read(tmp_path, "sometimes")


def test_a_driver_that_takes_all_dma_for_coherent_is_refused(tmp_path: Path) -> None:
    assert read(tmp_path, "coherent", "virtio_crypto = true").virtio_crypto
    with pytest.raises(FiresteelError, match="virtio_crypto is true and memory.dma is"):
        read(tmp_path, "non-coherent", "virtio_crypto = true")


def test_the_boards_that_are_compared_differ_in_nothing_else() -> None:
    coherent = load_profile("socrates")
    memory = coherent.memory.model_copy(update={"dma": "non-coherent"})
    assert load_profile("socrates-noncoherent") == coherent.model_copy(update={"memory": memory})


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('model = "cortex-a53"', "`cpu.model` is \"cortex-a53\"; allowed is 'cortex-a7' or"),
        ('processor = "cortex-a53"', "There is no processor `cortex-a53` in"),
        ('processor = "cortex-a7"', "There is no processor `cortex-a7` in"),
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
    assert str(refused.value).endswith("its figures must not stand for another processor.")
    assert "one Cortex-A9" in str(refused.value)


@pytest.mark.parametrize("key", ["cores", "cpus", "smp"])
def test_several_cpus_are_not_modelled(tmp_path: Path, key: str) -> None:
    path = tmp_path / "mine.toml"
    text = (PROFILES / "socrates.toml").read_text()
    path.write_text(text.replace("[cpu]\n", f"[cpu]\n{key} = 4\n"))
    with pytest.raises(FiresteelError, match=f"`{key}` is not known: .* must not stand for sever"):
        read_profile(path)
