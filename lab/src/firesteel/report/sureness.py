# SPDX-License-Identifier: Apache-2.0
"""How far verdicts may be trusted: sentences of the answer, and the section on assumptions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from firesteel.analysis.robustness import Robustness
from firesteel.analysis.sensitivity import Sensitivity
from firesteel.analysis.verdict import Offload
from firesteel.report.sensitivity import SensitivityPart, names_of, sensitivity_part


@dataclass(frozen=True)
class Confidence:
    """What the answer says: `firm` by both clocks and all assumptions, then by each of these; and
    the section.
    """

    firm: str
    by_clock: str
    by_assumption: str
    part: SensitivityPart | None


def sureness(firm: Robustness) -> Confidence:
    """All that is known of the verdicts of a run."""
    found = sensitivity_of(firm)
    return Confidence(
        firm=" ".join(filter(None, [firm.sentence, firm.source])),
        by_clock=firm.other.sentence if firm.other else "",
        by_assumption=sensitivity_sentence(found, firm.pairs),
        part=sensitivity_part(found, firm) if found else None,
    )


def sensitivity_of(firm: Robustness) -> Sensitivity | None:
    """What studies say of these verdicts, each called as here; None if that is nothing."""
    studied = {pair.identity: firm.studied(pair) for pair in firm.pairs}
    found = Sensitivity.of_all(filter(None, studied.values()))
    if found is None:
        return None
    called = names_of(firm.pairs)
    rows = (row.model_copy(update={"name": called[row.identity]}) for row in found.rows)
    return replace(found, rows=tuple(rows))


def sensitivity_sentence(found: Sensitivity | None, pairs: Sequence[Offload]) -> str:
    """How many verdicts hold over the whole range of every assumption, and which do not; or that
    nobody looked; nothing where there is no verdict.
    """
    judged = [pair for pair in pairs if not pair.judged.peer_limited]
    if not judged:
        return ""
    if found is None:
        return (
            "How far assumptions about the board may be off before a verdict changes was not "
            "studied (firesteel sensitivity)."
        )
    left = len(judged) - len(found.judged)
    more = f" {left} other verdict{'s were' if left > 1 else ' was'} not studied." if left else ""
    return f"Sensitivity: {found.sentence}{more}"
