# SPDX-License-Identifier: Apache-2.0
"""Builds the benchmark in the build root, runs it and prints what it says.

Ends with status 1 when a ratio is less than wanted.
"""

import sys

from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.build.buildroot import Room
from firesteel.build.cache import Cache, cache_directory
from firesteel.build.products import Products
from firesteel.build.progress import Runner


def main() -> int:
    """Runs it; the exit status."""
    root = Products().build_root()
    runner = Runner(cache_directory() / "logs")
    with Cache(cache_directory()).work_directory("model-bench", root.key) as work:
        room = Room(
            writable={"/firesteel/work": work},
            readable={
                f"/firesteel/checkout/{part}": CHECKOUT / part for part in ("model", "silex")
            },
        )
        build = ["/firesteel/checkout/model/bench/build.sh", "/firesteel/work/bench"]
        root.run(runner, "Building the benchmark", build, room)
        measure = "/firesteel/work/bench >/firesteel/work/ratios; echo $? >/firesteel/work/status"
        root.run(runner, "Measuring the model", ["sh", "-c", measure], room)
        print((work / "ratios").read_text(), end="")
        return int((work / "status").read_text())


if __name__ == "__main__":
    try:
        sys.exit(main())
    except FiresteelError as error:
        sys.exit(f"bench: {error}")
