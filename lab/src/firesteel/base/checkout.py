# SPDX-License-Identifier: Apache-2.0
"""Where the parts of the checkout are, or of a bundle, which has those that are used to measure."""

from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[4]
"""The root of the checkout."""

BROUGHT = CHECKOUT / "products"
"""Where products are that were brought with these files, in a bundle; a checkout builds its own."""

BOARD = CHECKOUT / "board"
"""Recipes, profiles and topologies of boards."""

EXPERIMENTS = CHECKOUT / "experiments"
"""What can be measured, a file each."""

MODULE_SCRIPT = BOARD / "buildroot" / "module.sh"
"""What builds a kernel module inside the build root."""

PROBE_HEADER = BOARD / "probe.h"
"""The probe's registers, for the device and for the guest's program."""

DRIVER = CHECKOUT / "driver"
"""The Linux driver."""

SILEX = CHECKOUT / "silex"
"""The cores' registers."""

MODEL = CHECKOUT / "model"
"""The cores as a library; its own tests lie in folders below."""

PROGRAMS = CHECKOUT / "tests/programs"
"""The tests of the provider under real programs, and what they need."""

LIBRARY = CHECKOUT / "lib"
"""libfiresteel; its tests and its fuzzer lie in folders below."""

PROVIDER = CHECKOUT / "provider"
"""The OpenSSL provider; its tests lie in a folder below."""

FRONT_ENDS = CHECKOUT / "frontends"
"""The cores under other libraries than OpenSSL, a folder each."""

RECORDED = CHECKOUT / "recorded"
"""A store with the records that every figure in the documentation comes from."""


def unreleased() -> str:
    """What the changelog says of changes after the version; nothing where there is no changelog, as
    in a bundle.
    """
    path = CHECKOUT / "CHANGELOG.md"
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    _, _, rest = text.partition("\n## Unreleased\n")
    return rest.partition("\n## ")[0].strip()
