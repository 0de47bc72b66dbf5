#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the provider's tests under valgrind, on this machine and its libcrypto: libcrypto has no
# sanitizers, so reads of memory that nobody has written are seen here alone.
#
#   valgrind.sh [TEST...]     (aead, async, ...; all without)
#
# Needs valgrind, a C compiler, and the headers of OpenSSL, nettle and libgcrypt.
set -eu
cd "$(dirname "$0")/../.."
for tool in valgrind cc pkg-config; do
    command -v $tool >/dev/null || {
        echo "valgrind.sh: $tool is not installed" >&2
        exit 1
    }
done
[ $# -gt 0 ] || set -- aead async async-tls ciphers digests frame tls threads
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

flags="-std=c17 -D_GNU_SOURCE -g -O1 -pthread -Ilib/include"
libraries=$(pkg-config --libs libssl libcrypto nettle libgcrypt)
# shellcheck disable=SC2046,SC2086 # words are meant
cc $flags -fPIC -shared -fvisibility=hidden -o "$work/firesteel.so" provider/*.c \
    $(ls lib/*.c model/*.c | grep -v '^lib/no-model\.c$') $libraries -Wl,-z,nodelete

# A job that is never resumed is never given back by libcrypto
cat >"$work/suppressions" <<'END'
{
   abandoned jobs
   Memcheck:Leak
   match-leak-kinds: definite
   ...
   fun:ASYNC_start_job
}
{
   and what is only known in them
   Memcheck:Leak
   match-leak-kinds: definite
   ...
   fun:async_start_func
}
END

status=0
for test in "$@"; do
    # shellcheck disable=SC2086 # words are meant
    cc $flags -o "$work/test" "provider/tests/test-$test.c" provider/tests/unit.c provider/work.c \
        $libraries
    from=$(date +%s)
    # Stacks of jobs lie side by side, and are no growth of one another
    if PROVIDER_DIRECTORY=$work nice valgrind --quiet --error-exitcode=9 --leak-check=full \
        --errors-for-leak-kinds=definite --max-stackframe=16384 --num-callers=24 \
        --suppressions="$work/suppressions" "$work/test" >"$work/log" 2>&1; then
        echo "$test: clean, $(($(date +%s) - from)) s"
    else
        status=1
        echo "$test: FAILED, $(($(date +%s) - from)) s"
        grep -v 'client switching stacks\|to suppress, use\|further instances' "$work/log" | head -60
    fi
done
exit $status
