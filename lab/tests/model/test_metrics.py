# SPDX-License-Identifier: Apache-2.0
"""The table of metrics has every one that is measured, and no other."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from workloads import recorded_runs as recorded

import firesteel
from firesteel.analysis.published import load_published
from firesteel.model import names
from firesteel.model.figure import CPU_UNIT
from firesteel.model.metrics import METRICS
from firesteel.workloads.cells import cell_figures

_WORKLOADS = Path(firesteel.__file__).parent / "workloads"
_UNITS = {metric.unit for metric in METRICS.values()}
_OF_OTHERS_ALONE = {
    "cpu_ratio", "throughput_ratio_to_clear", "debug_build_slowdown", "offloadable_share",
    "connections_ratio", "throughput_change", "throughput_ratio_to_software", "aggregate_limit",
    "cycles_per_packet_ratio_to_ipv4", "idle_cpu", "best_to_worst_open_source_stack",
}  # fmt: skip
"""Metrics of published rows that we have no figure of."""


def _in_the_code() -> Iterator[tuple[str, str]]:
    """Patterns of metrics, and their units: tuples that are made for `rows()`."""
    for file in sorted(_WORKLOADS.rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Tuple) and len(node.elts) in (3, 4):
                metric, unit = _pattern(node.elts[0]), _unit(node.elts[1])
                if metric and unit:
                    yield metric, unit
            # those of the CPU, which share a unit
            if isinstance(node, ast.Dict):
                for key in node.keys:
                    if isinstance(key, ast.Constant) and str(key.value).startswith("cpu"):
                        yield str(key.value), CPU_UNIT


def _pattern(node: ast.expr) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return re.escape(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(_pattern(part) or r"\d+" for part in node.values)
    return None


def _unit(node: ast.expr) -> str | None:
    if isinstance(node, ast.Name) and node.id == "CPU_UNIT":
        return CPU_UNIT
    if isinstance(node, ast.Constant) and node.value in _UNITS:
        return str(node.value)
    return None


def test_each_metric_is_measured_with_its_unit() -> None:
    in_the_code = set(_in_the_code())
    measured: dict[str, set[str]] = {}
    for pattern, unit in in_the_code:
        fitting = [name for name in METRICS if re.fullmatch(pattern, name)]
        assert fitting, f"{pattern} ({unit}) has no meaning in firesteel.model.metrics"
        for name in fitting:
            measured.setdefault(name, set()).add(unit)
    assert measured == {name: {metric.unit} for name, metric in METRICS.items()}


def test_figures_of_a_run_have_a_meaning() -> None:
    figures = cell_figures(recorded.cell("ipsec"), recorded.run("ipsec"))
    assert figures
    for figure in figures:
        assert METRICS[figure.metric].unit == figure.unit


def test_published_figures_have_the_same_units() -> None:
    published = load_published().select("metric", "unit").unique().rows()
    for metric, unit in published:
        if metric not in _OF_OTHERS_ALONE:
            assert METRICS[metric].unit == unit


def test_names_for_people_are_of_metrics() -> None:
    assert set(names._METRICS) <= set(METRICS)
    assert {metric.unit for metric in METRICS.values()} - set(names._DECIMALS) == {"1"}


def test_meanings_are_sentences() -> None:
    for metric in METRICS.values():
        assert metric.meaning[0].isupper() or metric.meaning[0] in "`9"
        assert metric.meaning.endswith(".")
