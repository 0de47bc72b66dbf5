#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares the speed of the cores' model with that of the libraries under it, in one run; or, with
#     bench.sh machines [--cells N]
# what it costs to hand a cell to another machine, and what that means for many.
set -eu
cd "$(dirname "$0")/.."
python=$(scripts/venv.sh dev)
if [ "${1:-}" = machines ]; then
    shift
    PYTHONPATH=lab/src:lab/tests exec "$python" -P lab/bench/machines.py "$@"
fi
PYTHONPATH=lab/src:model/tests exec "$python" model/bench/run.py
