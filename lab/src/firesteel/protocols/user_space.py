# SPDX-License-Identifier: Apache-2.0
"""Cells that reach their hardware from user space.  The measured programs use the OpenSSL provider,
or preload its equivalent for another library, and the driver gives them a CryptoMaster.
"""

from collections.abc import Mapping

from firesteel.boards.job import JobFile
from firesteel.boards.profile import BOARD_FILES, Profile
from firesteel.build.artifacts import Artifact
from firesteel.model.cell import Cell
from firesteel.protocols.kernel import driver_module
from firesteel.protocols.registry import protocol_of

_CONFIGURATION = "/job/openssl.cnf"
_SOURCE = BOARD_FILES / "jobs" / "provider" / "openssl.cnf"
_ENGINE = BOARD_FILES / "jobs" / "provider" / "afalg.cnf"


NONE: Mapping[str, str] = {"DRIVER": "", "PROVIDER": ""}
"""The variables of a node that has no part in it."""


def reached(cell: Cell) -> bool:
    """Whether the cell's programs have the cores in their own processes."""
    return (
        cell.implementation == "hardware"
        and protocol_of(cell).in_user_space
        and not through_kernel(cell)
    )


def through_kernel(cell: Cell) -> bool:
    """Whether the cell's programs ask the kernel's driver, by OpenSSL's engine `afalg`."""
    return "af-alg" in (cell.as_in_2015 or ())


def variables(cell: Cell, profile: Profile) -> dict[str, str]:
    """Variables about the cores for scripts of the measured node: `DRIVER`, and `PROVIDER`, which
    has additions to the environment of a measured program, in the form for `env`.
    """
    if through_kernel(cell):
        # All CryptoMasters stay the kernel's
        return {
            "DRIVER": driver_module(cell, "none"),
            "PROVIDER": f"OPENSSL_CONF={_CONFIGURATION}",
        }
    if not reached(cell):
        return dict(NONE)
    preload = protocol_of(cell).preload
    by = f"LD_PRELOAD={preload}" if preload else f"OPENSSL_CONF={_CONFIGURATION}"
    masters = [window for window in profile.windows if window.aes or window.hash]
    # It is the library that waits for the cores, so the driver's way to wait is left as it is.
    waiting = cell.model_copy(update={"completion": None})
    return {
        "DRIVER": driver_module(waiting, "last" if len(masters) > 1 else "all"),
        "PROVIDER": f"{by} FIRESTEEL_COMPLETION={cell.completion}",
    }


def has_public_key_core(profile: Profile) -> bool:
    """Whether programs on such a board may have one."""
    return any(window.pk for window in profile.cores)


def client_variables(profile: Profile) -> dict[str, str]:
    """`variables()` of a node that takes no part in what is measured, but has the cores if it can.

    Most of the emulator's work would be its own: a long product takes millions of emulated
    instructions, and the model of a core few of the host's.
    """
    if not has_public_key_core(profile):
        return dict(NONE)
    return {"DRIVER": "firesteel", "PROVIDER": f"OPENSSL_CONF={_CONFIGURATION}"}


def engine_files(cell: Cell) -> dict[str, JobFile]:
    """The configuration that turns the engine on where programs ask the kernel."""
    return {_CONFIGURATION: JobFile(_ENGINE.read_bytes())} if through_kernel(cell) else {}


def files(cell: Cell, built: Artifact) -> dict[str, JobFile]:
    """Provider and library, and the configuration that turns them on, by guest path."""
    return provider_files(built, protocol_of(cell).more_configuration)


def provider_files(built: Artifact, more: bytes = b"") -> dict[str, JobFile]:
    """The same for whatever program; `more` is put behind the configuration."""
    return {
        _CONFIGURATION: JobFile(_SOURCE.read_bytes() + more),
        **{place: JobFile(path.read_bytes()) for place, path in built.by_guest_path().items()},
    }


_LOGIN = BOARD_FILES / "jobs" / "console" / "profile.sh"
_VIRTIO = b"modprobe virtio_crypto\n"


def console_files(
    profile: Profile, driver: dict[str, JobFile], provider: Artifact
) -> dict[str, JobFile]:
    """The files of a board of that profile, by guest path; none for one without cores."""
    if not profile.cores:
        return {}
    login = _LOGIN.read_bytes() + (_VIRTIO if profile.virtio_crypto else b"")
    return {
        **driver,
        **provider_files(provider),
        "/root/.profile": JobFile(login),
    }
