# SPDX-License-Identifier: Apache-2.0
"""A second study is a folder: it is compared, reported and fitted to, without code of its own.

`made_studies/somebody2001` has everything that the first study has not: two topologies, each for
some tables, figures instead of tables, statements that compare with what is not software, and a
fit, ratios and a page of its own.
"""

import csv
import json
import shutil
from pathlib import Path

import pytest
from jsonschema import Draft7Validator
from made_runs import page_of, results_of
from typer.testing import CliRunner

from firesteel.analysis.compare import load_published, published_at
from firesteel.analysis.places import beside_published, of_published
from firesteel.analysis.results import Results, load_results
from firesteel.analysis.study import Study, load_studies
from firesteel.base.errors import FiresteelError
from firesteel.base.toml import read_table
from firesteel.board.profile import load_profile
from firesteel.cli import app
from firesteel.model.cell import Place
from firesteel.replication.method import flat_time
from firesteel.replication.ratios import ratios
from firesteel.store.store import Store
from research import fidelity, fit
from tools.fidelity_page import PAGES, fidelity_pages
from tools.figures import rendered
from tools.schemas import SCHEMAS, schemas

_STATEMENTS = ("compare", "--part", "statements")

MADE = Path(__file__).parents[1] / "made_studies" / "somebody2001"


@pytest.fixture
def study(folder: Path) -> Study:
    (found,) = (each for each in load_studies() if each.folder == folder)
    return found


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A store with a run for each of the study's topologies, and one for the first study's.

    Boards count instructions, which the study's fit and its file of cycles are about.
    """
    found = {}
    for experiment in ("gateways", "three-hosts", "ipsec"):
        found[experiment] = tmp_path_factory.mktemp(experiment)
        results = results_of(found[experiment], experiment=experiment, clock="flat")
        Store(found[experiment]).save(results.journal.model_copy(update={"name": experiment}))
    return found


def run_of(stores: dict[str, Path], experiment: str) -> Results:
    return load_results(Store(stores[experiment]), experiment)


def told(stores: dict[str, Path], *arguments: str, experiment: str = "gateways") -> str:
    """What a command of the lab or of research says of a run."""
    command, *options = arguments
    words = [experiment, *options, "--store", str(stores[experiment])]
    own = {"fit": fit.app, "fidelity": fidelity.app}.get(command)
    result = CliRunner().invoke(own or app, words if own else [command, *words])
    if result.exception:
        raise result.exception
    return result.stdout


def test_it_is_compared(study: Study, stores: dict[str, Path]) -> None:
    ours = run_of(stores, "gateways").means
    found = beside_published(ours, load_published())
    beside = [each for each in found if each.beside]
    assert {each.source for each in beside} == {study.name}
    assert {each.metric for each in beside} == {"rtt_mean", "throughput", "cpu"}
    kinds = {(each.kind, each.fitted, round(each.published, 2)) for each in ratios(found)}
    assert kinds == {("bulk", ("software",), 5.25), ("CPU work", ("software",), 0.1)}


@pytest.mark.usefixtures("folder")
def test_each_topology_is_compared_with_its_own_tables(stores: dict[str, Path]) -> None:
    sources = {
        run: {
            (each.source, each.table)
            for each in of_published(run_of(stores, run).means, load_published())
        }
        for run in stores
    }
    assert sources["gateways"] == {("somebody2001", table) for table in ("7", "8")}
    assert sources["three-hosts"] == {("somebody2001", "9")}
    assert {source for source, _ in sources["ipsec"]} == {"delhaye2015"}
    for run, published in (("gateways", "4.20"), ("three-hosts", "0.40"), ("ipsec", "6.47")):
        assert published in told(stores, "compare", "--all", experiment=run)


@pytest.mark.usefixtures("folder")
def test_the_report_has_the_tables_of_the_topology_that_was_measured(
    stores: dict[str, Path],
) -> None:
    page = page_of(run_of(stores, "gateways"))
    assert "Figure 7: Round trips through two gateways, ms" in page
    assert "Figure 8: A file through two gateways" in page
    assert "measured in 2001 on somebody&#39;s gateways" in page
    assert "docs/fidelity-somebody2001.md" in page
    assert "The published gateway stopped at 4.2 MB/s." in page
    assert "bulk" in page
    assert "no experiment sieves" in page
    assert "Table 9" not in page
    for first in ("measured in 2015", "Table 5.", "docs/fidelity.md"):
        assert first not in page, "the first study was measured elsewhere"
    assert "Table 9: A file for one of three hosts" in page_of(run_of(stores, "three-hosts"))


@pytest.mark.usefixtures("folder")
def test_the_first_study_s_report_is_as_without_it(
    stores: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    with_it = page_of(run_of(stores, "ipsec"))
    monkeypatch.undo()
    own = page_of(run_of(stores, "ipsec"))
    statements = "Other statements of the sources"
    assert with_it.partition(statements)[0] == own.partition(statements)[0]
    assert "Somebody" not in own


@pytest.mark.usefixtures("folder")
def test_statements_follow_from_figures(stores: dict[str, Path]) -> None:
    results = run_of(stores, "gateways")
    page = page_of(results)
    figures = {
        (row["protocol"], row["implementation"], row["metric"]): row["value"]
        for row in results.figures.filter(experiment="file-transfer").to_dicts()
    }
    clear, software, hardware = (
        figures[*of, "throughput"]
        for of in (("none", "software"), ("ipsec", "software"), ("ipsec", "hardware"))
    )
    assert f"<td>0.4</td><td>{software / clear:.2f}</td>" in page
    assert "<h2>Statements of Somebody 2001</h2>" in page
    assert "Figure 12: Round trips that were drawn and not told; ours, mean RTT, ms" in page
    assert "A prime costs something" in page
    assert f"<td>{hardware / software:.1f} x</td>" in page
    assert f"<td>{figures['ipsec', 'software', 'cpu_user']:.0f} %</td>" in page


def test_statements_have_a_table_and_rows(stores: dict[str, Path], folder: Path) -> None:
    table = told(stores, *_STATEMENTS)
    assert "Statements of Somebody 2001" in table
    assert "- A prime costs something: nobody knows what." in table
    rows = list(csv.DictReader(told(stores, *_STATEMENTS, "--format", "csv").splitlines()))
    assert [row["study"] for row in rows] == [folder.name] * 16
    assert {row["verdict"] for row in rows} == {"confirmed", "not confirmed", "not measured"}
    asked = json.loads(told(stores, *_STATEMENTS, "--study", "delhaye2015", "--format", "json"))
    assert {row["verdict"] for row in asked} == {"not measured"}, "it was measured elsewhere"
    with pytest.raises(FiresteelError, match="There is no study `x`; there are: delhaye2015"):
        told(stores, *_STATEMENTS, "--study", "x")


@pytest.mark.usefixtures("folder")
def test_a_page_has_the_statements_of_a_study(stores: dict[str, Path]) -> None:
    store = Store(stores["gateways"])
    asked = '<!-- {{ statements("gateways", "somebody2001") }} -->\n<!--/-->'
    page = rendered(asked, store)
    assert "| statement | where | published | ours | verdict | remark |" in page
    assert "| A prime costs something | page 4 | unknown | – | not measured | nobody" in page
    with pytest.raises(FiresteelError, match="no study `x`"):
        rendered(asked.replace("somebody2001", "x"), store)


def test_a_run_about_which_nothing_is_stated_says_so(stores: dict[str, Path]) -> None:
    sentence = "No statement of a study is about figures of the run gateways.\n"
    assert told(stores, *_STATEMENTS) == sentence


@pytest.mark.usefixtures("folder")
def test_a_fit_has_rows_of_its_own(stores: dict[str, Path]) -> None:
    lines = told(stores, "fit").splitlines()
    assert lines[0].startswith("  IPsec AES-256-GCM, 4 MiB, throughput: ")
    assert len(lines) == 2
    assert "cpu.instructions_per_second" in lines[1]
    with pytest.raises(FiresteelError, match="There is no study `x` .*: delhaye2015, somebody2001"):
        told(stores, "fit", "--study", "x")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("place", "tables"),
    [
        (Place("socrates", "host-gateway-gateway-host", "gateway-a"), {"7", "8"}),
        (Place("socrates", "host-gateway-gateway-host", "gateway-b"), set()),
        (Place("socrates-hash", "host-gateway-gateway-host", "gateway-a"), set()),
        (Place("socrates-hash", "host-host", "board"), set()),
        (Place("socrates", "one-board", "board"), set()),
    ],
)
def test_board_topology_and_node_have_to_stand_for_the_study_s(
    place: Place, tables: set[str]
) -> None:
    assert {each.table for each in published_at([place], load_published())} == tables


def test_a_run_of_other_places_stands_beside_nothing(stores: dict[str, Path]) -> None:
    assert "have no published counterpart" in told(stores, "compare")
    rows = csv.DictReader(told(stores, "compare", "--format", "csv").splitlines())
    assert {row["published"] for row in rows} == {""}


@pytest.mark.parametrize("command", ["fit", "fidelity"])
@pytest.mark.parametrize("options", [(), ("--study", "delhaye2015")])
def test_a_study_of_other_places_is_not_asked(
    stores: dict[str, Path], command: str, options: tuple[str, ...]
) -> None:
    sentence = (
        "No figure of this run is compared with those of `delhaye2015`, which stand for socrates "
        "in host-host; `firesteel run thesis --quick` measures these; the run has figures of "
        "socrates in host-gateway-gateway-host."
    )
    with pytest.raises(FiresteelError) as found:
        told(stores, command, *options)
    assert str(found.value) == sentence


@pytest.mark.usefixtures("folder")
def test_its_page_is_its_own(stores: dict[str, Path]) -> None:
    page = told(stores, "fidelity")
    assert "# Fidelity: gateways" in page
    assert "somebody's gateways of 2001" in page
    assert "| lanes of the engine | guessed | small packets in hardware | – | – |" in page
    fitted = page.split("## Fitted rows")[1].split("## Predicted")[0]
    assert "| IPsec AES-256-GCM, 4 MiB | throughput, MB/s | pace |" in fitted
    assert "| IPsec AES-256-GCM, hardware, 56 B | mean RTT, ms | engine |" in fitted
    assert "divided by bulk throughput, in hardware" in page
    assert "The published gateway stopped at 4.2 MB/s." in page
    for first in ("2015", "thesis", "core of two", "handshake", "\n\n\n"):
        assert first not in page
    (path,) = fidelity_pages(Store(stores["gateways"]))
    assert path == PAGES / "fidelity-somebody2001.md"
    assert fidelity_pages(Store(stores["gateways"]))[path] == page


def test_its_page_says_that_nothing_is_known_of_ticks(
    folder: Path, stores: dict[str, Path]
) -> None:
    with (folder / "fidelity.toml").open("a", encoding="utf-8") as file:
        file.write('[ticks]\ntitle = "Clicks"\ntext = "A clock clicked."\n')
    section = told(stores, "fidelity").partition("### Clicks\nA clock clicked.\n")[2]
    assert section.startswith("Not known for this page: no figure of this run has its ticks.\n")
    assert "by ticks" not in section


@pytest.mark.usefixtures("folder")
def test_its_processor_is_told_of_its_board() -> None:
    peer, socrates = (load_profile(name).cpu.on_clock("flat") for name in ("peer", "socrates"))
    own = flat_time([("peer", peer)])
    assert "Elbow-B1" in own
    assert "Cortex-A9" not in own
    both = flat_time([("socrates", socrates), ("peer", peer)])
    assert "Elbow-B1" in both
    assert "Cortex-A9" in both


def test_its_files_fit_their_schemas() -> None:
    known = {path.stem: text for path, text in schemas().items() if path.parent == SCHEMAS}
    for path in sorted(MADE.glob("*.toml")):
        errors = Draft7Validator(json.loads(known[path.stem])).iter_errors(read_table(path))
        assert not [error.message for error in errors], path


@pytest.mark.parametrize(
    ("command", "file"),
    [
        ("compare", "study.toml"),
        ("compare", "figures.csv"),
        ("report", "causes.toml"),
        ("report", "cycles.toml"),
        ("fit", "fit.toml"),
        ("fidelity", "fidelity.toml"),
    ],
)
def test_commands_say_it(folder: Path, stores: dict[str, Path], command: str, file: str) -> None:
    (folder / file).write_bytes(b"\xff")
    with pytest.raises(FiresteelError, match=file):
        told(stores, command)


def test_a_table_with_two_figures_in_one_place_is_named(
    folder: Path, stores: dict[str, Path]
) -> None:
    file = folder / "study.toml"
    file.write_text(file.read_text().replace('columns = "metrics"', 'columns = "parameters"', 1))
    message = "table `8` has two figures of IPsec AES-256-GCM, software in the column 64 MiB"
    with pytest.raises(FiresteelError, match=message):
        page_of(run_of(stores, "gateways"))


@pytest.mark.usefixtures("folder")
def test_two_studies_have_not_the_same_page(folder: Path, stores: dict[str, Path]) -> None:
    shutil.copytree(folder, folder.parent / "somebody2002")
    with pytest.raises(FiresteelError, match=r"somebody2002.*`fidelity-somebody2001\.md`"):
        fidelity_pages(Store(stores["gateways"]))
