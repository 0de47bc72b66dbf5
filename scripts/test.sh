#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds what boards need and runs tests, as many at a time as there are CPUs.
#
#   test.sh [first | usual | share | all] [ARGUMENT...]    arguments of pytest in the place of all parts
#
# tests/tiers.py says which tests each takes: `share` is what is usual and the commit's part of the
# others.  Of tests that are named all are run.
set -eu
cd "$(dirname "$0")/.."
tier=all
case ${1:-} in
first | usual | share | all)
    tier=$1
    shift
    ;;
esac
python=$(scripts/venv.sh dev)
./firesteel build >/dev/null
# The longest come first, so that no CPU waits long for the last.
[ $# -eq 0 ] || tier=all
[ $# -gt 0 ] || set -- tests provider/tests frontends/wolfssl/tests lib/tests model/tests lab/tests
[ "$tier" = share ] && set -- --share "$@" && tier=usual
# Tests are named from here on, so that side_by_side knows which part they are of.
PYTHONPATH=tests exec "$python" -m pytest -c lab/pyproject.toml --rootdir=. -q -p tiers \
    -p side_by_side -n logical --no-loadscope-reorder --durations=40 --tier="$tier" "$@"
