# SPDX-License-Identifier: Apache-2.0
"""Tables of a run's figures in Markdown."""

from collections.abc import Sequence

from firesteel.analysis.places import Places
from firesteel.analysis.rows import Result, grouped
from firesteel.analysis.sheet import MISSING, ratio
from firesteel.model import names
from firesteel.model.identity import Identity
from firesteel.workloads import titles
from tools.markdown import table


def side_by_side(figures: Sequence[Result], metrics: Sequence[str]) -> str:
    """A row a configuration and parameter; of each metric software, hardware, ratio."""
    found: dict[tuple[Identity, str], dict[tuple[str, str], Result]] = {}
    for each in figures:
        if each.identity.is_usual:
            how = each.identity.implementation
            side = "hardware" if how == "hardware" else "software"
            other = "" if how in ("software", "hardware") else how
            row = found.setdefault((each.identity.in_software, other), {})
            row[each.metric, side] = each
    several = len({each.at for each in figures}) > 1
    where = Places.of(figures).told
    head = ["configuration", *(["at"] if several else []), *where]
    for metric in metrics:
        head += [f"{names.quantity(metric)}: software", "hardware", "ratio"]
    rows = []
    for (of, other), cells in found.items():
        line = [titles.measured(of.workload, of.protocol, of.cipher, of.mac, other or "software")]
        line += [of.parameter.text] if several else []
        line += [f"`{of.where[part]}`" if of.where[part] else MISSING for part in where]
        for metric in metrics:
            line += _three(cells.get((metric, "software")), cells.get((metric, "hardware")))
        rows.append(line)
    return table(head, rows)


def by_parameter(figures: Sequence[Result]) -> str:
    """A table for each metric, with a column a parameter: sizes by their order, others as found."""
    each = grouped(figures, lambda figure: figure.metric)
    return "\n\n".join(map(_by_parameter, each.values()))


def _by_parameter(figures: Sequence[Result]) -> str:
    """The table of one metric: a row a configuration."""
    sizes = {each.at: each.identity.parameter.size_bytes or 0 for each in figures}
    parameters, places = sorted(sizes, key=lambda at: sizes[at]), Places.of(figures)
    rows = []
    for part in grouped(figures, lambda each: (each.identity.side, each.identity.place)).values():
        by = {each.at: each for each in part}
        of = part[0].identity
        how = (of.implementation, of.completion)
        label = titles.measured(of.workload, of.protocol, of.cipher, of.mac, *how)
        rows.append(
            [places.label(label, of.place), *(_text(by.get(parameter)) for parameter in parameters)]
        )
    return table([names.quantity(figures[0].metric), *parameters], rows)


def _three(one: Result | None, other: Result | None) -> list[str]:
    texts = [_text(one), _text(other)]
    if not one or not other or not one.value:
        return [*texts, MISSING]
    before = names.mark(converged=one.converged and other.converged)
    return [*texts, f"{before}{ratio(other.value / one.value)}\N{MULTIPLICATION SIGN}"]


def _text(result: Result | None) -> str:
    return result.text if result else MISSING
