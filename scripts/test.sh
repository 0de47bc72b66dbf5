#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds what boards need and runs every test, or what the arguments tell pytest to run; as many at a
# time as there are CPUs.
set -eu
cd "$(dirname "$0")/.."
python=$(scripts/venv.sh dev)
./firesteel build >/dev/null
# The longest come first, so that no CPU waits long for the last.
[ $# -gt 0 ] || set -- tests provider/tests frontends/wolfssl/tests lib/tests model/tests lab/tests
# Tests are named from here on, so that side_by_side knows which part they are of.
PYTHONPATH=tests exec "$python" -m pytest -c lab/pyproject.toml --rootdir=. -q \
    -p side_by_side -n logical --no-loadscope-reorder --durations=40 "$@"
