#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the debug kernel and runs the tests on it, or what the arguments tell pytest to run.
set -eu
cd "$(dirname "$0")/.."
python=$(scripts/venv.sh dev)
./firesteel build qemu >/dev/null
./firesteel build debug-kernel >/dev/null
[ $# -gt 0 ] || set -- tests/debug_kernel
exec "$python" -m pytest -c lab/pyproject.toml -q "$@"
