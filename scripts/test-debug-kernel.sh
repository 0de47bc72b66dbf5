#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the kernels that find faults and runs the tests on them, or what the arguments tell pytest to
# run; these tests build the race kernel themselves if they need it.
set -eu
cd "$(dirname "$0")/.."
python=$(scripts/venv.sh dev)
./firesteel build qemu >/dev/null
./firesteel build debug-kernel >/dev/null
[ $# -gt 0 ] || {
    ./firesteel build race-kernel >/dev/null
    set -- tests/debug_kernel
}
exec "$python" -m pytest -c lab/pyproject.toml -q "$@"
