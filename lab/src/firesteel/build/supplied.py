# SPDX-License-Identifier: Apache-2.0
"""What boards are run with here: products that were brought with these files, or else built."""

from firesteel.architectures.architecture import Architecture
from firesteel.architectures.registry import DEFAULT
from firesteel.base.checkout import BROUGHT
from firesteel.base.errors import FiresteelError
from firesteel.build.brought import brought
from firesteel.build.portable import LIST
from firesteel.build.products import Products
from firesteel.build.supply import Supply


def is_bundle() -> bool:
    """Whether products were brought with these files, as in a bundle."""
    return (BROUGHT / LIST).exists()


def supplied(architecture: Architecture = DEFAULT) -> Supply:
    """What boards of an architecture are run with."""
    if not is_bundle():
        return Products(architecture=architecture)
    return brought(BROUGHT, architecture)


def refuse_in_bundle(command: str) -> None:
    """Raises `FiresteelError` in a bundle, where nothing can be built or written."""
    if is_bundle():
        raise FiresteelError(
            f"`firesteel {command}` needs a checkout; this is a bundle, which stays as it is."
        )
