# SPDX-License-Identifier: Apache-2.0
"""`python -m firesteel.docs.record`: figures in pages, pictures, pages of the reference, made anew.

measure [NAME…]  measures the runs and studies that `recorded/runs.toml` names, and keeps the
                 records of runs, and what came of studies
write            fills the figures of the records into pages, and draws the pictures
check            says which pages and pictures do not have them; status 1 if there is one
same STORE [OF]  says whether a store has equal figures of the cells that it shares with another,
                 `recorded/` if none is named; status 1 if not
"""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from firesteel.base.checkout import CHECKOUT, RECORDED
from firesteel.base.errors import FiresteelError
from firesteel.build.cache import cache_directory
from firesteel.docs.fidelity_page import fidelity_pages
from firesteel.docs.figures import DOCS, pages, rendered
from firesteel.docs.gallery.page import pictures
from firesteel.docs.pages import PAGES
from firesteel.docs.runs import RUNS, Run, load_runs, load_studies
from firesteel.docs.same import compare_stores
from firesteel.docs.schemas import schemas
from firesteel.sensitivity import study
from firesteel.store.store import Store, write_whole

_USAGE = "measure [NAME…] | write | check | same STORE [OF]"


def main(arguments: Sequence[str]) -> int:
    """Returns the exit status; mistakes are explained in a sentence."""
    try:
        match arguments:
            case ["measure", *names]:
                return _measure(names)
            case ["write"]:
                return _write()
            case ["check"]:
                return _check()
            case ["same", store, *of] if len(of) < 2:
                return _same(Path(of[0]) if of else RECORDED, Path(store))
    except FiresteelError as error:
        print(f"firesteel: {error}", file=sys.stderr)
        return 1
    print(f"usage: python -m firesteel.docs.record {_USAGE}", file=sys.stderr)
    return 2


def _measure(wanted: Sequence[str]) -> int:
    """Measures in the usual store, and takes over what came of it."""
    runs, studies = load_runs(), load_studies()
    known = [run.name for run in (*runs, *studies)]
    for name in wanted:
        if name not in known:
            raise FiresteelError(f"{RUNS} has no run `{name}`; there are: {', '.join(known)}.")
    for command, told, take in (("run", runs, _take), ("sensitivity", studies, _take_study)):
        for run in told:
            if not wanted or run.name in wanted:
                _execute(command, run)
                take(run.name)
    _sweep()
    return 0


def _execute(command: str, run: Run) -> None:
    """It goes on for an hour, so it ends when this is ended."""
    lab = [str(CHECKOUT / "firesteel"), command, run.experiment, *run.options]
    if subprocess.run(["setpriv", "--pdeathsig", "TERM", *lab], check=False).returncode:
        raise FiresteelError(f"The run `{run.name}` failed; nothing of it is kept.")


def _take(name: str) -> None:
    """Copies the latest run, under its name in pages."""
    usual, recorded = Store(cache_directory() / "store"), Store(RECORDED)
    journal = usual.journal()
    measured, journal.name = journal.name, name
    recorded.save(journal)
    for entry in journal.entries:
        if entry.state == "done":
            recorded.adopt(usual, entry.key)
    source, target = (run / "profiles" for run in (usual.runs / measured, recorded.runs / name))
    shutil.rmtree(target, ignore_errors=True)
    if source.is_dir():
        shutil.copytree(source, target)


def _take_study(name: str) -> None:
    """Copies the latest study, under its name in pages."""
    usual, recorded = Store(cache_directory() / "store"), Store(RECORDED)
    journal = usual.sensitivity.journal()
    found = study.load(usual, journal.name)
    if found is None:
        raise FiresteelError(f"The study `{name}` has not come to its end; nothing of it is kept.")
    journal.name = name
    recorded.sensitivity.save(journal)
    study.save(recorded, found.model_copy(update={"run": name}))


def _sweep() -> None:
    """Removes runs and studies that are no longer named, and records that no run has."""
    store = Store(RECORDED)
    for place, named in ((store, load_runs()), (store.sensitivity, load_studies())):
        for name in set(place.run_names()).difference(run.name for run in named):
            shutil.rmtree(place.runs / name)
    used = {entry.key for name in store.run_names() for entry in store.journal(name).entries}
    for kept in ("records", "observations"):
        for path in (store.root / kept).rglob("*.json*"):
            if path.name.partition(".")[0] not in used:
                path.unlink()


def _wanted() -> dict[Path, str]:
    """What each page and picture should say."""
    with_figures = {path: rendered(path.read_text(encoding="utf-8")) for path in pages()}
    reference = {DOCS / path: make() for path, make in PAGES.items()}
    recorded = Store(RECORDED)
    return with_figures | reference | schemas() | fidelity_pages(recorded) | pictures(recorded)


def _write() -> int:
    for path, text in _wanted().items():
        if not _has(path, text):
            write_whole(path, text.encode())
            print(path.relative_to(CHECKOUT))
    return 0


def _check() -> int:
    stale = [path for path, text in _wanted().items() if not _has(path, text)]
    for path in stale:
        print(f"{path.relative_to(CHECKOUT)}: differs from the records or the code.")
    return 1 if stale else 0


def _same(store: Path, other: Path) -> int:
    found = compare_stores(Store(store), Store(other))
    for same in found:
        print(same)
        for difference in same.differences:
            print(f"  {difference}")
    return 1 if any(same.differences for same in found) else 0


def _has(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
