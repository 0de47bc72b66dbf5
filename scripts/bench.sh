#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares the speed of the cores' model with that of the libraries under it, in one run; or, with
#     bench.sh scale [DIRECTORY [CELLS...]]
# what a cell costs the lab in runs of several sizes, on made-up records.
set -eu
cd "$(dirname "$0")/.."
python=$(scripts/venv.sh dev)
if [ "${1:-}" = scale ]; then
    shift
    PYTHONPATH=lab/src:lab/tests exec "$python" -P lab/bench/scale.py "$@"
fi
PYTHONPATH=lab/src:model/tests exec "$python" model/bench/run.py
