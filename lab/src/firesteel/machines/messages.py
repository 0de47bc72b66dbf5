# SPDX-License-Identifier: Apache-2.0
"""What workers tell clients on the way, as Dask events of one topic.

Each is a mapping: `what` is one of the words below, the other keys are beside them.
"""

TOPIC = "firesteel"

BEGAN = "began"
"""`machine`, whose worker has the Dask address `worker`, runs the task `key` now."""

LACKS = "lacks"
"""A machine waits for the file of that `digest`; who has it offers it by `variable_of`."""

LEAVES = "leaves"
"""`machine` takes no more tasks; `why` is a sentence without its full stop."""


def variable_of(digest: str) -> str:
    """The Dask variable through which a file is offered."""
    return f"firesteel-{digest}"
