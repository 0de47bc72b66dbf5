# SPDX-License-Identifier: Apache-2.0
"""A profile says whether DMA is coherent, and the boards that are compared differ in that alone."""

from pathlib import Path

import pytest

from firesteel.base.errors import FiresteelError
from firesteel.board.profile import Profile, load_profile

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
