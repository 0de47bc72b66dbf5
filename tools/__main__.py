# SPDX-License-Identifier: Apache-2.0
"""`python -m tools` (scripts/figures.sh): what records and code say, in pages and pictures.

    measure [NAME…]  measures the runs, studies and questions of design in `recorded/runs.toml`,
                     and keeps the results in `recorded/`; `set=NAME` is a set of them
    budget           prints what measuring each of these takes in an empty store, and each set
    write            fills answers of records and code into pages, and draws pictures
    check            lists stale pages and pictures; status 1 if there are any
    same STORE [OF]  compares the figures of cells that a store shares with another one, by
                     default `recorded/`; status 1 if any differ
    site DIRECTORY   writes the source of the documentation's site, and prints its version
    versions SITE    writes the list of a site's versions
    series KERNEL DIRECTORY
                     writes the driver as patches for a kernel's source into a new directory
    packages [SUITE…]
                     builds Debian packages into dist/packages
    release KEY [SUITE…]
                     writes a signed release into dist/release
    prose            lists sentences that are hard to read; status 1 if there are any

scripts/docs.sh uses `site` and `versions`; scripts/series.sh, packages.sh and release.sh use the
command of the same name.
"""

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from firesteel.base.checkout import CHECKOUT, RECORDED
from firesteel.base.errors import FiresteelError
from firesteel.base.files import write_whole
from firesteel.store.store import Store
from research.calibrate import held_out
from tools import packages, release
from tools.budget import budget
from tools.figures import fidelity_pages, filled_in
from tools.measure import measure, spread_file
from tools.pictures import diagrams, pictures
from tools.prose import hard_sentences
from tools.reference import schemas
from tools.same import compare_stores
from tools.series import write_series
from tools.site import version, write_index, write_source

_USAGE = " | ".join(re.findall(r"^    (\w.*?)(?:  .*)?$", __doc__ or "", re.MULTILINE))


def main(arguments: Sequence[str]) -> int:
    """Returns the exit status; mistakes are explained in a sentence."""
    try:
        match arguments:
            case ["measure", *names]:
                measure(names)
            case ["budget"]:
                print(budget())
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
            case ["series", kernel, directory]:
                print(*write_series(Path(kernel), Path(directory)), sep="\n")
            case ["packages", *suites]:
                print(*packages.make(suites, CHECKOUT / "dist/packages"), sep="\n")
            case ["release", key, *suites]:
                print(release.make(key, suites, CHECKOUT / "dist/release"))
            case ["site", directory]:
                name = version()
                write_source(Path(directory))
                print(name)
            case ["versions", site]:
                write_index(Path(site))
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
    return pages | diagrams() | pictures(recorded) | held_out(recorded) | spread_file(recorded)


def _put(wanted: dict[Path, str]) -> None:
    for path, text in wanted.items():
        if not _has(path, text):
            write_whole(path, text.encode())
            print(path.relative_to(CHECKOUT))


def _has(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
