# SPDX-License-Identifier: Apache-2.0
"""`firesteel verify` on boards: a true record verifies in a copied store, a false one does not."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

from lab_run import run, try_command

from firesteel.store.store import Store

CHEAP = """
title = "Cheap"
topology = "host-host"
measured = "board"

[[configurations]]
protocol = "none"
suite = "none:none"

[ping]
sizes = [56]
count = 5
"""


def contents(root: Path) -> dict[Path, bytes]:
    """All files of a store but its index, which is a cache."""
    files = (path for path in root.rglob("*") if path.is_file() and path.parent != root / "index")
    return {path: path.read_bytes() for path in files}


def falsify(store: Store) -> None:
    """Make pings faster by a µs, and all digests fit."""
    (entry,) = store.journal().entries
    (record,) = store.records(store.journal())
    run = store.observations(entry.key)
    assert run
    board = run.nodes["board"]
    mean = record.figures[0].value
    told = board.data["ping-56"].replace(f"/{mean:.3f}/".encode(), f"/{mean - 0.001:.3f}/".encode())
    assert told != board.data["ping-56"]
    changed = replace(board, data=board.data | {"ping-56": told})
    for kept in ("records", "observations"):
        shutil.rmtree(store.root / kept)
    store.put(record, replace(run, nodes=run.nodes | {"board": changed}), record.packages)


def test_a_true_record_verifies_elsewhere_and_a_false_one_does_not(tmp_path: Path) -> None:
    experiment = tmp_path / "cheap.toml"
    experiment.write_text(CHEAP)
    run(experiment, tmp_path / "store")
    copied = tmp_path / "from another machine"
    shutil.copytree(tmp_path / "store", copied, symlinks=True)
    before = contents(copied)

    good = try_command(copied, "verify")
    assert good.returncode == 0, good.stdout + good.stderr
    assert good.stdout.startswith("same           no tunnel\n")
    assert ": 1 same." in good.stdout
    assert contents(copied) == before

    falsify(Store(copied))
    bad = try_command(copied, "verify")
    assert bad.returncode == 1, bad.stdout + bad.stderr
    assert re.match("different +no tunnel: ping .*rtt_mean", bad.stdout)
    kept = Path(bad.stdout.splitlines()[-1].rpartition(" are in ")[2])
    shutil.rmtree(kept)
