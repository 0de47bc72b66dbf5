#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares the speed of the cores' model with that of the libraries under it, in one run; or, with
#     bench.sh machines [--cells N] [--record]
# what it costs to hand a cell to another machine, and what that means for many; or, with
#     bench.sh scale [--in DIRECTORY] [--record] [CELLS...]
# what a cell costs the lab in runs of several sizes, on made-up records; or, with
#     bench.sh snapshots [--cells N] [--record]
#     bench.sh clocks [--cells N] [--record]
# how the wall time of the quick thesis depends on snapshots, and on the clock; or, with
#     bench.sh cpus [--record]
# what further CPUs of a board cost the host. They say which goals are met, with status 1 when one is missed;
# --record keeps the figures for pages (`scripts/figures.sh write`).
set -eu
cd "$(dirname "$0")/.."
python=$(scripts/venv.sh dev)
case "${1:-}" in
snapshots | clocks)
    PYTHONPATH=.:lab/src:lab/tests exec "$python" -P lab/bench/wall_time.py "$@"
    ;;
cpus)
    PYTHONPATH=.:lab/src exec "$python" -P lab/bench/several_cpus.py "$@"
    ;;
machines | scale)
    benchmark=$1
    shift
    PYTHONPATH=.:lab/src:lab/tests exec "$python" -P "lab/bench/$benchmark.py" "$@"
    ;;
esac
PYTHONPATH=lab/src:model/tests exec "$python" model/bench/run.py
