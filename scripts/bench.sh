#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares the speed of the cores' model with that of the libraries under it, in one run; or, with
#     bench.sh machines [--cells N]
# what it costs to hand a cell to another machine, and what that means for many; or, with
#     bench.sh scale [DIRECTORY [CELLS...]]
# what a cell costs the lab in runs of several sizes, on made-up records; or, with
#     bench.sh snapshots [--cells N]
#     bench.sh clocks [--cells N]
# how the wall time of the quick thesis depends on snapshots, and on the clock.
set -eu
cd "$(dirname "$0")/.."
python=$(scripts/venv.sh dev)
case "${1:-}" in
snapshots | clocks)
    PYTHONPATH=lab/src:lab/tests exec "$python" -P lab/bench/wall_time.py "$@"
    ;;
machines | scale)
    benchmark=$1
    shift
    PYTHONPATH=lab/src:lab/tests exec "$python" -P "lab/bench/$benchmark.py" "$@"
    ;;
esac
PYTHONPATH=lab/src:model/tests exec "$python" model/bench/run.py
