# SPDX-License-Identifier: Apache-2.0
"""What makes a finished run no measurement."""

from firesteel.base.errors import FiresteelError


class CellFailure(FiresteelError):  # noqa: N818 - the cell fails, the program does not err
    """A run whose traffic or data are not what was asked for: it gives no figures."""
