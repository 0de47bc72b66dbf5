#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs every fault of the cores at every rate (an hour), or those of the kinds that are named, and
# writes the table into docs/driver-faults.md, or prints it.
set -eu
cd "$(dirname "$0")/.."
python=$(scripts/venv.sh dev)
PYTHONPATH=lab/src:tests/boards exec "$python" tests/boards/fault_matrix.py "$@"
