# SPDX-License-Identifier: Apache-2.0
"""`firesteel verify` on boards: a true record verifies in a copied store, a false one does not."""

import shutil
from pathlib import Path

from lab_run import run, try_command

from firesteel.store.record import Record
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
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}


def falsify(store: Store) -> None:
    """Make a ping faster by a µs, and the record's digest fit."""
    (entry,) = store.journal().entries
    (record,) = store.records(store.journal())
    first, *others = record.measurement.figures
    faster = first.model_copy(update={"value": first.value - 0.001})
    measurement = record.measurement.model_copy(update={"figures": (faster, *others)})
    changed = Record(inputs=record.inputs, measurement=measurement, packages=record.packages)
    store.record_path(entry.key).write_text(changed.to_json())


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
    assert "1 of 1 cells (all): 1 same." in good.stdout
    assert contents(copied) == before

    falsify(Store(copied))
    bad = try_command(copied, "verify")
    assert bad.returncode == 1, bad.stdout + bad.stderr
    assert bad.stdout.startswith("different      no tunnel: ping 56 B rtt_mean (ms) is ")
    kept = Path(bad.stdout.splitlines()[-1].rpartition(" are in ")[2])
    shutil.rmtree(kept)
