# SPDX-License-Identifier: Apache-2.0
"""A profile: what a board is.  Each is a file in `board/profiles/`."""

from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from firesteel.base import toml
from firesteel.board.cores import Cores

BOARD_FILES = Path(__file__).resolve().parents[4] / "board"
"""The part of this checkout that says what boards are."""

PROFILES = BOARD_FILES / "profiles"
"""Where the profiles of this checkout are."""

LEAST_RATE = 1_000_000
MOST_RATE = 1_000_000_000_000
"""Instructions per second between which the emulator's clock works."""

MOST_INTERRUPT_DELAY_US = 67_107
"""What the emulated controller's 16 bits of 1.024 µs hold."""


class Cpu(BaseModel):
    """The one CPU of a board: which core is emulated, and how fast virtual time lets it run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: Literal["cortex-a7", "cortex-a15"]
    instructions_per_second: int = Field(ge=LEAST_RATE, le=MOST_RATE)


class Memory(BaseModel):
    """Main memory; 3 GiB is all that a machine without high memory addresses."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    mebibytes: int = Field(ge=512, le=3072)


class Ethernet(BaseModel):
    """A board's Ethernet controllers, all alike.

    An interrupt comes `interrupt_delay_us` after the first frame, received or sent, of which it
    tells, and tells of all that came meanwhile.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    interrupt_delay_us: int = Field(ge=1, le=MOST_INTERRUPT_DELAY_US)


class Profile(BaseModel):
    """A board's parts.  Equal profiles make equal boards, whatever they are called.

    Without `ethernet` the controllers' driver chooses when to interrupt: for nearly every frame.
    `virtio_crypto` adds QEMU's own crypto device, which takes no virtual time.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    cpu: Cpu
    memory: Memory
    ethernet: Ethernet | None = None
    cores: tuple[Cores, ...] = ()
    virtio_crypto: bool = False

    @model_validator(mode="after")
    def _names_are_unique(self) -> Self:
        names = [cores.name for cores in self.cores]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"there are {names.count(name)} cores `{name}`; names are unique")
        return self


def profile_names() -> list[str]:
    """The names of all profiles, sorted."""
    return toml.names_in(PROFILES)


def load_profile(name: str, directory: Path = PROFILES) -> Profile:
    """The profile of that name; `FiresteelError` when there is none or its file is wrong."""
    return toml.read_named("profile", name, directory, Profile)
