# SPDX-License-Identifier: Apache-2.0
"""Figures beside those of the thesis, made up from these."""

from dataclasses import replace

from made_results import exact

from firesteel.judge.compare import compare, load_published
from firesteel.judge.replication.fit_file import load_fit
from firesteel.judge.rows import Result
from firesteel.judge.study import load_studies
from firesteel.model.metrics import METRICS

(STUDY,) = (study for study in load_studies() if study.name == "delhaye2015")
FIT_FILE = load_fit(STUDY)


def comparison(faster: float = 1.0, later: float = 0.0) -> list[Result]:
    """All rows, so many times as fast as published, or so many ms later."""
    figures = []
    for published in load_published():
        each = published.result
        if each.identity.workload == "ping":
            value = each.value + later
        elif each.metric == "throughput":
            value = each.value * faster
        else:
            value = each.value / faster
        if published.source == STUDY.name and each.metric in METRICS:
            how = each.identity.implementation or "software"
            identity = replace(each.identity, implementation=how)
            figures.append(replace(exact(each, value), identity=identity))
    return compare(figures)
