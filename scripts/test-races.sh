#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Plays loads on the debug kernel, in many orders in which several CPUs can run, as many at a time as
# there are CPUs; or runs what the arguments tell pytest.  tests/races/test_faults.py takes hours.
set -eu
cd "$(dirname "$0")/.."
python=$(scripts/venv.sh dev)
./firesteel build qemu >/dev/null
./firesteel build debug-kernel >/dev/null
./firesteel build provider >/dev/null
[ $# -gt 0 ] || set -- tests/races/test_orders.py
exec "$python" -m pytest -c lab/pyproject.toml --rootdir=. -q -n logical "$@"
