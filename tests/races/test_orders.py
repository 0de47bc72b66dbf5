# SPDX-License-Identifier: Apache-2.0
"""Nothing goes wrong in driver, library and provider, in whatever order CPUs run."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from bench import Bench
from orders import LoadFailure, Order
from turns import OPTIONS, Names, last_lines, read_turns

from firesteel.boards.job import JobFile

_AGAIN = 'make test-races TESTS="tests/races/test_orders.py -k {name} --seeds {seed}"'

_SHOWN, _KEPT = 40, 100_000
"""Turns."""


def test_nothing_goes_wrong(
    bench: Bench, files: Mapping[str, JobFile], order: Order, tmp_path: Path
) -> None:
    try:
        order.run(bench, files, tmp_path)
    except LoadFailure as failure:
        pytest.fail(_told(failure, bench, files, order, tmp_path), pytrace=False)


def _told(
    failure: LoadFailure,
    bench: Bench,
    files: Mapping[str, JobFile],
    order: Order,
    directory: Path,
) -> str:
    """The failure, how to see it again, and what ran where before it, by the same run with a
    trace."""
    trace, kept = directory / "trace", directory / "turns"
    with pytest.raises(LoadFailure):
        order.run(bench, files, directory, OPTIONS.format(trace))
    driver = files["/job/firesteel.ko"].content
    names = Names(bench.boards.kernel, "firesteel", driver, failure.text)
    lines = last_lines(read_turns(trace), names, _KEPT)
    trace.unlink()
    kept.write_text("\n".join(lines))
    again = _AGAIN.format(name=order, seed=order.seed)
    return "\n".join(
        [str(failure), "", f"Again: {again}", "", f"All turns: {kept}", *lines[-_SHOWN:]]
    )
