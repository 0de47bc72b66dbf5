# SPDX-License-Identifier: Apache-2.0
"""`python -m tools` (scripts/figures.sh): what records and code say, in pages and pictures.

measure [NAME…]  measures the runs, studies and questions of design that `recorded/runs.toml` names,
                 and keeps what came of them in `recorded/`
write            fills what records and code say into pages, and draws the pictures
check            says which pages and pictures do not have it; status 1 if there is one
same STORE [OF]  says whether a store has equal figures of the cells that it shares with another,
                 `recorded/` if none is named; status 1 if not
site DIRECTORY   writes the source of the documentation's site (scripts/docs.sh)
prose            says which sentences of pages and help are hard to read; status 1 if there is one
packages [SUITE…]  builds Debian packages into dist/packages (scripts/packages.sh)
release KEY [SUITE…]  writes a signed release into dist/release (scripts/release.sh)
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from firesteel.base.checkout import CHECKOUT, RECORDED
from firesteel.base.errors import FiresteelError
from firesteel.base.files import write_whole
from firesteel.store.store import Store
from research.calibrate import held_out
from tools import packages, release
from tools.fidelity_page import fidelity_pages
from tools.figures import filled_in
from tools.measure import measure, spread_file
from tools.pictures import pictures
from tools.prose import hard_sentences
from tools.reference import schemas
from tools.same import compare_stores
from tools.site import write_source

_USAGE = "measure [NAME…] | write | check | same STORE [OF] | site DIRECTORY | prose"


def main(arguments: Sequence[str]) -> int:
    """Returns the exit status; mistakes are explained in a sentence."""
    try:
        match arguments:
            case ["measure", *names]:
                measure(names)
            case ["write"]:
                recorded = Store(RECORDED)
                _put(held_out(recorded) | spread_file(recorded))  # Pages say it.
                _put(_wanted())
            case ["check"]:
                stale = [path for path, text in _wanted().items() if not _has(path, text)]
                for path in stale:
                    print(f"{path.relative_to(CHECKOUT)}: differs from the records or the code.")
                return 1 if stale else 0
            case ["same", store, *of] if len(of) < 2:
                return compare_stores(Store(Path(store)), Store(Path(*of) if of else RECORDED))
            case ["prose"]:
                found = hard_sentences()
                print(*found, sep="\n", end="\n" if found else "")
                return 1 if found else 0
            case ["packages", *suites]:
                print(*packages.make(suites, CHECKOUT / "dist/packages"), sep="\n")
            case ["release", key, *suites]:
                print(release.make(key, suites, CHECKOUT / "dist/release"))
            case ["site", directory]:
                write_source(Path(directory))
            case _:
                print(f"usage: scripts/figures.sh {_USAGE}", file=sys.stderr)
                return 2
    except FiresteelError as error:
        print(f"firesteel: {error}", file=sys.stderr)
        return 1
    return 0


def _wanted() -> dict[Path, str]:
    """What each page and picture should say."""
    recorded = Store(RECORDED)
    pages = filled_in() | fidelity_pages(recorded) | schemas()
    return pages | pictures(recorded) | held_out(recorded) | spread_file(recorded)


def _put(wanted: dict[Path, str]) -> None:
    for path, text in wanted.items():
        if not _has(path, text):
            write_whole(path, text.encode())
            print(path.relative_to(CHECKOUT))


def _has(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
