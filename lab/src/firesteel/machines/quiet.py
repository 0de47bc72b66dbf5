# SPDX-License-Identifier: Apache-2.0
"""Dask's own log, which tells developers of Dask what our sentences tell users of ours."""

import logging
import warnings

_THEIRS = ("distributed", "tornado", "asyncio", "dask")


def quiet() -> None:
    """Keeps Dask's messages and warnings from standard error, in this whole process."""
    import distributed  # noqa: F401 - sets levels of its loggers when it is loaded

    for name in [*_THEIRS, *logging.root.manager.loggerDict]:
        if name.split(".")[0] in _THEIRS:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    for name in _THEIRS:
        warnings.filterwarnings("ignore", module=name)
