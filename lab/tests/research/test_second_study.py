# SPDX-License-Identifier: Apache-2.0
"""A second study is a folder: it is compared, reported and fitted to, without code of its own.

`made_studies/somebody2001` has everything that the first study has not: two topologies, each for
some tables, figures instead of tables, statements that compare with what is not software, and a
fit, ratios and a page of its own.
"""

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from firesteel.base.errors import FiresteelError
from firesteel.judge.compare import load_published, published_at
from firesteel.judge.places import Places, beside_published
from firesteel.judge.replication.ratios import ratios
from firesteel.judge.results import load_results
from firesteel.judge.study import Study
from firesteel.store.store import Store
from tools.figures import DOCS, fidelity_pages

Told = Callable[..., str]


def test_it_is_compared(study: Study, store: Store) -> None:
    ours = load_results(store, "gateways-flat").means
    found = beside_published(ours, load_published())
    beside = [each for each in found if each.beside]
    assert {each.source for each in beside} == {study.name}
    assert {each.metric for each in beside} == {"rtt_mean", "throughput", "cpu"}
    kinds = {(each.kind, each.fitted, round(each.published, 2)) for each in ratios(found)}
    assert kinds == {("bulk", ("software",), 5.25), ("CPU work", ("software",), 0.1)}


@pytest.mark.usefixtures("folder")
def test_each_topology_is_compared_with_its_own_tables(store: Store, told: Told) -> None:
    sources = {
        run: {
            (each.source, each.table)
            for each in published_at(
                Places.of(load_results(store, f"{run}-flat").means).all, load_published()
            )
        }
        for run in ("gateways", "three-hosts", "ipsec")
    }
    assert sources["gateways"] == {("somebody2001", table) for table in ("7", "8")}
    assert sources["three-hosts"] == {("somebody2001", "9")}
    assert {source for source, _ in sources["ipsec"]} == {"delhaye2015"}
    for run, published in (("gateways", "4.20"), ("three-hosts", "0.40"), ("ipsec", "6.47")):
        assert published in told("compare", f"{run}-flat", "--all")


def test_statements_have_a_table_and_rows(told: Told, folder: Path) -> None:
    part = ("compare", "gateways-flat", "--part", "statements")
    table = told(*part)
    assert "Statements of Somebody 2001" in table
    assert "- A prime costs something: nobody knows what." in table
    rows = list(csv.DictReader(told(*part, "--format", "csv").splitlines()))
    assert [row["study"] for row in rows] == [folder.name] * 16
    assert {row["verdict"] for row in rows} == {"confirmed", "not confirmed", "not measured"}
    asked = json.loads(told(*part, "--study", "delhaye2015", "--format", "json"))
    assert {row["verdict"] for row in asked} == {"not measured"}, "it was measured elsewhere"
    with pytest.raises(FiresteelError, match="There is no study `x`; there are: delhaye2015"):
        told(*part, "--study", "x")


@pytest.mark.usefixtures("folder")
def test_a_fit_has_rows_of_its_own(told: Told) -> None:
    lines = told("fit", "gateways-flat").splitlines()
    assert lines[0].startswith("  IPsec AES-256-GCM, 4 MiB, throughput: ")
    assert len(lines) == 2
    assert "cpu.instructions_per_second" in lines[1]
    with pytest.raises(FiresteelError, match="There is no study `x` .*: delhaye2015, somebody2001"):
        told("fit", "gateways-flat", "--study", "x")


@pytest.mark.parametrize("command", ["fit", "fidelity"])
@pytest.mark.parametrize("options", [(), ("--study", "delhaye2015")])
def test_a_study_of_other_places_is_not_asked(
    told: Told, command: str, options: tuple[str, ...]
) -> None:
    sentence = (
        "No figure of this run is compared with those of `delhaye2015`, which stand for socrates "
        "in host-host, socrates-dual in host-host; `firesteel run thesis --quick` measures these; "
        "the run has figures of socrates in host-gateway-gateway-host."
    )
    with pytest.raises(FiresteelError) as found:
        told(command, "gateways-flat", *options)
    assert str(found.value) == sentence


@pytest.mark.usefixtures("folder")
def test_its_page_is_its_own(told: Told, store: Store) -> None:
    page = told("fidelity", "gateways")
    assert "# Fidelity: gateways" in page
    assert "somebody's gateways of 2001" in page
    assert "| lanes of the engine | guessed | small packets in hardware | – | – |" in page
    fitted = page.split("## Fitted rows")[1].split("## Predicted")[0]
    assert "| IPsec AES-256-GCM, 4 MiB | throughput, MB/s | " in fitted
    assert "| IPsec AES-256-GCM, hardware, 56 B | mean RTT, ms | " in fitted
    assert "CPU use\ndivided by bulk throughput. A ratio" in page
    assert "The published gateway stopped at 4.2 MB/s." in page
    for first in ("2015", "thesis", "core of two", "handshake", "\n\n\n"):
        assert first not in page
    (path,) = fidelity_pages(store)
    assert path == DOCS / "fidelity-somebody2001.md"
    assert fidelity_pages(store)[path] == page
