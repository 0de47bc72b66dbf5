#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs every fault of the cores at every rate (an hour), or those of the kinds that are named, and
# writes tests/boards/fault_matrix.csv, or prints it. docs/driver.md has a part.
set -eu
cd "$(dirname "$0")/.."
python=$(scripts/venv.sh dev)
PYTHONPATH=lab/src:tests/boards exec "$python" tests/boards/fault_matrix.py "$@"
