# SPDX-License-Identifier: Apache-2.0
"""Instructions per byte of the code that `openssl speed` spent most on, from profiles of runs."""

from collections.abc import Iterable, Iterator

from firesteel.base.errors import FiresteelError
from firesteel.model.parameter import Parameter
from firesteel.profiling.document import Profile
from firesteel.report.code import code_that_ran
from firesteel.report.profiles import load_profiles
from firesteel.store.libcrypto import libcrypto_of
from firesteel.store.record import Record
from firesteel.store.store import Store
from firesteel.workloads.openssl_speed import SpeedPlan
from tools.markdown import table


def per_byte(store: Store, runs: Iterable[str]) -> str:
    """A table: for each software profile of `openssl speed` a row for each piece of code that took
    a hundredth of the instructions or more, and one for all code.
    """
    rows = [row for run in runs for row in _rows(store, run)]
    if not rows:
        raise FiresteelError(f"`per-byte: {' '.join(runs)}`: the runs have no such profiles.")
    return table(("cell", "libcrypto", "code", "instructions per byte"), rows)


def _rows(store: Store, run: str) -> Iterator[tuple[str, ...]]:
    profiles = load_profiles(store.runs / run / "profiles")
    for profile in (each for each in profiles if each.implementation == "software"):
        record = store.get(profile.key)
        if record is None or record.inputs.cell.plan(SpeedPlan) is None:
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
