# SPDX-License-Identifier: Apache-2.0
"""What is to be said of each study where its figures stand beside ours."""

from collections.abc import Iterable
from dataclasses import dataclass

from firesteel.analysis.study import Study
from firesteel.replication.causes import Cause, load_causes
from firesteel.replication.fidelity_file import load_fidelity
from firesteel.replication.fit_file import load_fit


@dataclass(frozen=True)
class Reasons:
    """Of the study `source`: how it is cited, how it was measured, causes of deviations, and the
    page that has the result of their tests, empty where the study has none; and whether boards were
    fitted to it.
    """

    source: str
    causes: tuple[Cause, ...]
    cite: str = ""
    conditions: str = ""
    page: str = ""
    is_fitted: bool = False


def reasons_of(studies: Iterable[Study]) -> list[Reasons]:
    """Those of the studies, in their order."""
    found = []
    for study in studies:
        file = load_fidelity(study)
        found.append(
            Reasons(
                source=study.name,
                causes=load_causes(study),
                cite=study.cite,
                conditions=study.conditions or "",
                page=f"docs/{file.page}" if file else "",
                is_fitted=bool(load_fit(study).predictors),
            )
        )
    return found
