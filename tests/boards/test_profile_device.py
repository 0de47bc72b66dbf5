# SPDX-License-Identifier: Apache-2.0
"""The probe device counts only if it knows the guest's kernel; tests/cells/test_profile.py has the
rest."""

import subprocess
from pathlib import Path

import pytest

from firesteel.boards.command import BoardProducts


@pytest.mark.parametrize(
    "given", ["", ",profile-window=transfer,task-preempt-count=4,task-pid=8,task-comm=12"]
)
def test_a_profile_without_the_kernels_layout_is_refused(
    boards: BoardProducts, tmp_path: Path, given: str
) -> None:
    machine = ("-M", "virt,highmem=off", "-cpu", "cortex-a15", "-nodefaults", "-display", "none")
    probe = f"firesteel-probe,log={tmp_path}/log,profile={tmp_path}/profile{given}"
    done = subprocess.run(
        [boards.qemu, *machine, "-icount", "rate=600000000,sleep=off", "-device", probe],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "profile-window" in done.stderr
    assert list(tmp_path.iterdir()) == []
