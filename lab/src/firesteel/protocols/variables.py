# SPDX-License-Identifier: Apache-2.0
"""Shell variables: how a job's scripts get the settings of their cell."""

import shlex
from collections.abc import Mapping

from firesteel.board.job import JobFile


def settings_file(variables: Mapping[str, str]) -> JobFile:
    """`/job/settings`, which the scripts read with `.`; values may have any characters."""
    lines = (f"{name}={shlex.quote(value)}\n" for name, value in variables.items())
    return JobFile("".join(lines).encode())
