#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds what boards need and runs every test, or what the arguments tell pytest to run.
set -eu
cd "$(dirname "$0")/.."
python=$(scripts/venv.sh dev)
./firesteel build >/dev/null
[ $# -gt 0 ] || set -- lab/tests model/tests lib/tests provider/tests tests
exec "$python" -m pytest -c lab/pyproject.toml -q "$@"
