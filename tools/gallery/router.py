# SPDX-License-Identifier: Apache-2.0
"""A home router: whether the cores help its tunnels, and what they free."""

from collections.abc import Sequence

from firesteel.analysis.offload import Offload
from firesteel.analysis.over_links import transfers
from firesteel.analysis.verdict import BUSY, RATE, USE
from firesteel.model.names import all_of
from firesteel.report.bars import bars_chart
from firesteel.report.charts import Chart
from firesteel.report.findings import Findings
from firesteel.workloads import titles
from firesteel.workloads.presentation import Bars
from firesteel.workloads.registry import SERIES
from tools.gallery.exhibit import Exhibit, Sentences, needed
from tools.gallery.words import amount, gains, less, limit


def _chart(found: Findings) -> Chart | None:
    series = SERIES[_files(found)[0].identity.workload]
    return bars_chart(Bars(series, RATE, "MB/s"), found.tunnels.get(series.name, ()))


def _sentences(found: Findings) -> Sentences:
    files = _files(found)
    return _verdict(found, files), _figures(files), _limits(files)


def _files(found: Findings) -> Sequence[Offload]:
    return needed(transfers(found.answer.pairs), "files in software and in hardware", found)


def _verdict(found: Findings, files: Sequence[Offload]) -> str:
    helped = [_protocol(pair) for pair in files if pair.verdict == "helps"]
    others = [_protocol(pair) for pair in files if pair.verdict != "helps"]
    through = f"files through {all_of(helped)}" if helped else "no file"
    but = f", not those through {all_of(others)}" if helped and others else ""
    answer = found.answer
    return f"{answer.word}: offload helps {through}{but}; {gains(answer.pairs, ' of the run')}."


def _figures(files: Sequence[Offload]) -> str:
    told: list[str] = []
    for pair in files:
        carries, what = (" carries a file", " CPU time per megabyte") if not told else ("", "")
        rates = f"{amount(pair.hardware)} instead of {amount(pair.software)} MB/s"
        told.append(f"{_protocol(pair)}{carries} at {rates} with {less(pair.work)}{what}")
    return f"{all_of(told, last=', and ')}."


def _limits(files: Sequence[Offload]) -> str:
    told = []
    for pair in files:
        use = pair.pair.other.results.get(USE)
        idle = f", which leaves {100 - use.value:.0f} % of the CPU free" if use else ""
        free = idle if use and use.value < BUSY else ""
        told.append(f"{limit(pair)} limits {_protocol(pair)}{free}")
    return f"With the cores {all_of(told, last=', and ')}."


def _protocol(pair: Offload) -> str:
    return titles.protocol(pair.identity.protocol)


ROUTER = Exhibit("router", "gateways", _chart, _sentences)
