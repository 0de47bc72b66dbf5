# SPDX-License-Identifier: Apache-2.0
"""Runs every fault of the cores at every rate and writes fault_matrix.csv.

    scripts/fault-matrix.sh [KIND...]

What has been run with the same driver, image and emulator is not run again.  Ends with status 1
when something is wrong with a cell, after all have been run.
"""

import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench import Bench
from fault_cells import Outcome, run_cell
from fault_table import NOTICED_AS, Row, table

from firesteel.base.checkout import BOARD, CHECKOUT
from firesteel.boards.command import BoardProducts
from firesteel.boards.cores import Fault
from firesteel.boards.job import JobFile
from firesteel.build.cache import cache_directory, key_of, tree_digest
from firesteel.build.products import Products

RATES = (10, 100, 1_000, 10_000)
_VERY_LATE = 1_000_000
_RUNNER = CHECKOUT / "lab" / "src" / "firesteel" / "board"
_FILE = Path(__file__).with_suffix(".csv")
_SOURCES = (
    *("fault_cells.py", "fault_table.py", "ipsec_traffic.py"),
    *("driver_run.py", "kernel_reports.py", "bench.py"),
)


def all_faults() -> Iterator[tuple[Fault | None, bool]]:
    """Every cell: its fault, and whether results are verified.

    Those without a fault, with which others are compared, come before these.
    """
    yield None, False
    for kind in NOTICED_AS:
        for rate in RATES:
            yield Fault.model_validate({"kind": kind, "rate": rate}), False
        if kind == "late":
            for rate in RATES:
                yield Fault(kind="late", rate=rate, factor=_VERY_LATE), False
        if kind == "flipped-bit":
            yield None, True
            for rate in RATES:
                yield Fault(kind="flipped-bit", rate=rate), True


class Matrix:
    """The rows that there are, and the means to get others."""

    def __init__(self, products: Products) -> None:
        image, qemu, driver = products.image(), products.emulator(), products.driver()
        here = Path(__file__).parent
        parts = {"image": image.key, "qemu": str(qemu.parent), "driver": str(driver.parent)}
        parts["cells"] = tree_digest(*(here / name for name in _SOURCES))
        parts["boards"] = tree_digest(
            *(BOARD / name for name in ("profiles", "topologies")), _RUNNER
        )
        self._rows = cache_directory() / "fault-matrix" / key_of(parts)
        self._rows.mkdir(parents=True, exist_ok=True)
        self._boards = BoardProducts(qemu, image.kernel, image.initramfs)
        self._driver = JobFile(driver.read_bytes())

    def row(self, fault: Fault | None, verify: bool) -> Row:
        """The row of a cell, which is run if need be."""
        name = str(fault or "none").replace(":", "-") + ("-verify" if verify else "")
        kept = self._rows / f"{name}.json"
        if not kept.exists():
            print(f"{name} ...", file=sys.stderr, flush=True)
            row = Row.of(self._run(fault, verify), verify)
            kept.write_text(row.model_dump_json())
        return Row.model_validate_json(kept.read_text())

    def _run(self, fault: Fault | None, verify: bool) -> Outcome:
        with tempfile.TemporaryDirectory(prefix="firesteel-") as directory:
            bench = Bench(self._boards, lambda: Path(directory), timeout=1800)
            try:
                return run_cell(bench, self._driver, fault, verify)
            finally:
                bench.clean()


def _wanted(kinds: Sequence[str], fault: Fault | None, verify: bool) -> bool:
    if not kinds:
        return True
    if fault is None:
        return not verify or "flipped-bit" in kinds
    return fault.kind in kinds


def main(kinds: Sequence[str]) -> int:
    """Run the cells of `kinds`, or of all; only with all is the file written."""
    matrix = Matrix(Products())
    cells = [(fault, verify) for fault, verify in all_faults() if _wanted(kinds, fault, verify)]
    rows = [matrix.row(fault, verify) for fault, verify in cells]
    without = {row.verify: row for row in rows if row.fault is None}
    text = table(rows, without)
    if kinds:
        print(text)
    else:
        _FILE.write_text(text)
    wrong = [(row, clause) for row in rows for clause in row.wrong(without[row.verify])]
    for row, clause in wrong:
        print(f"{row.fault}: {clause}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("interrupted; what has been run is kept")
