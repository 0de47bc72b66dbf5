# SPDX-License-Identifier: Apache-2.0
"""Tables of what profiles of runs say: which code for cryptography ran, and how much of it."""

from collections.abc import Iterable, Iterator

from firesteel.base.errors import FiresteelError
from firesteel.model.figure import Parameter
from firesteel.profiling.document import Profile
from firesteel.report.profiles import code_grid, code_that_ran, load_profiles
from firesteel.store.record import Record, libcrypto_of
from firesteel.store.store import Store
from firesteel.workloads.openssl_speed import SpeedPlan
from tools.markdown import table


def code(store: Store, run: str) -> str:
    """A row for each function of cryptography that took a hundredth of a cell's instructions or
    more, software first.
    """
    profiles = sorted(_profiles(store, run), key=lambda each: each.implementation != "software")
    grid = code_grid(profiles)
    if grid is None:
        raise FiresteelError(f"the run `{run}` has no profiles.")
    return grid.markdown()


def per_byte(store: Store, runs: Iterable[str]) -> str:
    """Instructions per byte of `openssl speed` in software: for each profile a row for each piece
    of code that took a hundredth of them or more, and one for all code.
    """
    rows = [row for run in runs for row in _rows(store, run)]
    if not rows:
        raise FiresteelError(f"the runs {', '.join(runs)} have no such profiles.")
    return table(("cell", "libcrypto", "code", "instructions per byte"), rows)


def _rows(store: Store, run: str) -> Iterator[tuple[str, ...]]:
    for profile in _profiles(store, run):
        record = store.get(profile.key)
        if profile.implementation != "software" or not record:
            continue
        if record.inputs.cell.plan(SpeedPlan) is None:
            continue
        processed = _bytes(record, profile)
        of = profile.cell, libcrypto_of([record]) or "Debian's"
        for code in code_that_ran([profile]):
            count = code.share * profile.instructions
            yield *of, code.function, f"{count / processed:.1f}"
        yield *of, "all", f"{profile.instructions / processed:.1f}"


def _bytes(record: Record, profile: Profile) -> float:
    """What was encrypted in the profile's window."""
    size = Parameter(size_bytes=int(profile.window.removeprefix("speed-")))
    rates = [
        figure.value
        for figure in record.measurement.figures
        if (figure.metric, figure.parameter) == ("throughput", size)
    ]
    speed = record.inputs.cell.plan(SpeedPlan)
    if len(rates) != 1 or speed is None:
        raise FiresteelError(f"The record {profile.key} has no throughput at {size.text}.")
    return rates[0] * 1e6 * speed.seconds


def _profiles(store: Store, run: str) -> list[Profile]:
    return load_profiles(store.runs / run / "profiles")
