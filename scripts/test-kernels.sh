#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the driver for each of Debian's kernels in tests/kernels/kernels.py, as many at a time as there are
# CPUs, and runs it on some; or runs what the arguments tell pytest.  What the mirror lacks is named at the end.
set -eu
cd "$(dirname "$0")/.."
python=$(scripts/venv.sh dev)
[ $# -gt 0 ] || set -- tests/kernels
exec "$python" -m pytest -c lab/pyproject.toml --rootdir=. -q -n logical --dist loadgroup "$@"
