#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares the speed of the cores' model with that of the libraries under it, in one run.
set -eu
cd "$(dirname "$0")/.."
python=$(scripts/venv.sh dev)
PYTHONPATH=lab/src:model/tests exec "$python" model/bench/run.py
