#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks style, types and licences of the whole checkout; changes nothing. With --fix it puts
# Python and C into their style first.
set -eu
cd "$(dirname "$0")/.."
python=$(scripts/venv.sh dev)
tools=$(dirname "$python")
# Words such as @DELAY@, which each architecture fills in, are no C.
sources=$(git ls-files -co --exclude-standard '*.c' '*.h' | xargs grep -LE '@[A-Z_]+@')

if [ "${1:-}" = --fix ]; then
    "$tools/ruff" check --quiet --fix .
    "$tools/ruff" format --quiet .
    # shellcheck disable=SC2086 # words are meant
    [ -z "$sources" ] || "$tools/clang-format" -i $sources
fi

status=0
check() { # WHAT COMMAND...
    printf '%s: ' "$1"
    shift
    "$@" || status=1
}

check "ruff check" "$tools/ruff" check --quiet .
[ $status = 1 ] || echo clean
check "ruff format" "$tools/ruff" format --check .
check "mypy, lab" "$tools/mypy" --config-file lab/pyproject.toml lab/src lab/tests lab/bench research tools
check "layers, lab" env PYTHONPATH=.:lab/src "$tools/lint-imports" --config lab/pyproject.toml --no-cache --no-logo
check "mypy, image" env MYPYPATH=board/image "$tools/mypy" --config-file lab/pyproject.toml board/image/assemble
check "mypy, model" "$tools/mypy" --config-file lab/pyproject.toml model/tests model/fuzz
check "mypy, library" "$tools/mypy" --config-file lab/pyproject.toml lib/tests
check "mypy, provider" "$tools/mypy" --config-file lab/pyproject.toml provider/tests
check "mypy, wolfssl" "$tools/mypy" --config-file lab/pyproject.toml frontends/wolfssl/tests
if [ -d tests ] && [ -n "$(git ls-files -co --exclude-standard 'tests/*.py')" ]; then
    check "mypy, tests" "$tools/mypy" --config-file lab/pyproject.toml tests
fi
check "mypy, scripts" "$tools/mypy" --config-file lab/pyproject.toml scripts
check "prose" env PYTHONPATH=.:lab/src "$python" -P -m tools prose
[ $status = 1 ] || echo clean
check "layers of C" "$python" scripts/c_layers.py board/qemu/devices driver frontends/common frontends/wolfssl lib model provider
# shellcheck disable=SC2086 # words are meant
check "clang-format" "$tools/clang-format" --dry-run -Werror $sources
[ $status = 1 ] || echo clean
# Sparse needs a build: tests/driver/test_checkers.py runs it, and has fetched this one too.
checkpatch=$(ls -t "${FIRESTEEL_CACHE:-$HOME/.cache/firesteel}"/checkers/*/checkpatch.pl 2>/dev/null | head -n 1)
if [ -n "$checkpatch" ]; then
    check "checkpatch" sh -c 'cd driver && exec perl "$1" --no-tree --terse --show-types --strict --no-summary --file ./*.[ch] ../silex/*.h' sh "$checkpatch"
    [ $status = 1 ] || echo clean
else
    echo "checkpatch: left out, it has not been fetched; tests/driver fetches it"
fi
if [ -x "$tools/reuse" ]; then
    check "reuse" "$tools/reuse" lint --lines
    [ $status = 1 ] || echo clean
else
    echo "reuse: left out, it has no wheel for this Python"
fi
for script in firesteel $(git ls-files -co --exclude-standard '*.sh'); do
    sh -n "$script" || status=1
done
exit $status
