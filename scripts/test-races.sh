#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the race kernel and runs the tests on it, or what the arguments tell pytest to run.
set -eu
cd "$(dirname "$0")/.."
python=$(scripts/venv.sh dev)
./firesteel build race-kernel >/dev/null
[ $# -gt 0 ] || set -- tests/races
exec "$python" -m pytest -c lab/pyproject.toml -q "$@"
