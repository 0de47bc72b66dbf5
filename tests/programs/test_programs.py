# SPDX-License-Identifier: Apache-2.0
"""Unmodified programs with the provider speak with those of the system's OpenSSL.

What each scene does is in `scenes/`; a scene fails with any of its cells.
"""

from pathlib import Path

import pytest
from program_roots import SUITES, program_provider, program_root
from programs_workshop import ProgramsWorkshop

from firesteel.build.products import Products

pytestmark = pytest.mark.thorough

SCENES = (
    *("openssl", "groups", "nginx", "haproxy", "openssh", "openvpn", "strongswan"),
    *("node", "stunnel", "command"),
)
TUNNELS = ("openvpn", "strongswan")
TUN = Path("/dev/net/tun")


@pytest.fixture(scope="module", params=SUITES)
def programs(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> ProgramsWorkshop:
    """The programs of a Debian release, with the provider built for its OpenSSL."""
    return _workshop(request.param, tmp_path_factory)


def _workshop(suite: str, tmp_path_factory: pytest.TempPathFactory) -> ProgramsWorkshop:
    products = Products()
    root = program_root(products, suite)
    provider = program_provider(products, root)
    return ProgramsWorkshop(suite, root, provider, tmp_path_factory.mktemp(suite))


@pytest.mark.parametrize("scene", SCENES)
def test_scene(programs: ProgramsWorkshop, scene: str) -> None:
    if scene in TUNNELS and not TUN.exists():
        pytest.skip(f"this machine has no {TUN}, which tunnels need")
    programs.play(scene)
