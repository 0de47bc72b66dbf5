# SPDX-License-Identifier: Apache-2.0
"""`python -m tools DIRECTORY` writes the site's source; scripts/docs.sh builds it."""

import sys
from pathlib import Path

from firesteel.base.errors import FiresteelError
from tools.source import write_source


def main() -> int:
    """Returns the exit status; mistakes are explained in a sentence."""
    if len(sys.argv) != 2:
        print("usage: python -m tools DIRECTORY", file=sys.stderr)
        return 2
    try:
        write_source(Path(sys.argv[1]))
    except FiresteelError as error:
        print(f"firesteel: {error}", file=sys.stderr)
        return 1
    return 0


sys.exit(main())
