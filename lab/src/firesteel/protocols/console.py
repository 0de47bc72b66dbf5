# SPDX-License-Identifier: Apache-2.0
"""What an interactive board has besides the image: driver, provider, a login that loads them."""

from firesteel.board.job import JobFile
from firesteel.board.profile import BOARD_FILES, Profile
from firesteel.build.artifacts import Artifact
from firesteel.protocols import user_space

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
        **user_space.provider_files(provider),
        "/root/.profile": JobFile(login),
    }
