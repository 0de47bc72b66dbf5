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
[ $# -gt 0 ] || set -- aead async async-tls bad-ecdsa bad-messages bad-peers bad-rsa bounds cancel choice ciphers \
    curve-faults dh digests ec ecx fork frame key-faults keys limits resets resets-messages rsa secrets sequences-keys \
    threads tls
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

flags="-std=c17 -D_GNU_SOURCE -DVERSION=\"$(cat VERSION)\" -g -O1 -pthread -I. -Ilib/include -Iprovider"
libraries=$(pkg-config --libs libssl libcrypto nettle libgcrypt)
# shellcheck disable=SC2046,SC2086 # words are meant
cc $flags -fPIC -shared -fvisibility=hidden -o "$work/firesteel.so" \
    provider/*.c provider/base/*.c provider/symmetric/*.c provider/keys/*.c provider/public-key/*.c \
    $(ls frontends/common/*.c lib/*.c model/*.c | grep -v '^lib/no-model\.c$') $libraries -Wl,-z,nodelete

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
   and what is only known in them: the job's own stack begins in the C library
   Memcheck:Leak
   match-leak-kinds: definite
   ...
   obj:*/libcrypto.so*
   obj:*/libc.so*
}
END

status=0
for test in "$@"; do
    # Those of resets have a virtual time, so they are no part of the others
    case $test in
    resets*) more="provider/tests/aimed-resets.c provider/tests/virtual-time.c" ;;
    sequences) more="provider/tests/sequences.c provider/tests/sequences-aead.c provider/tests/sequences-ciphers.c provider/tests/sequences-macs.c" ;;
    sequences-keys) more="provider/tests/sequences-controls.c provider/tests/sequences-pairs.c" ;;
    *) more= ;;
    esac
    # shellcheck disable=SC2086 # words are meant
    cc $flags -o "$work/test" "provider/tests/test-$test.c" $more provider/tests/unit.c \
        provider/tests/answer.c provider/tests/rsa-ways.c provider/base/work.c $libraries
    from=$(date +%s)
    # Stacks of jobs lie side by side, and are no growth of one another
    case $test in
    async*) frame=16384 ;;
    *) frame=2000000 ;;
    esac
    # The model's public-key operations take tens of times as long as they do, and are no fault for that
    if PROVIDER_DIRECTORY=$work FIRESTEEL_TIMEOUT_MS=30000 nice valgrind --quiet \
        --error-exitcode=9 --leak-check=full \
        --errors-for-leak-kinds=definite --max-stackframe=$frame --num-callers=24 \
        --suppressions="$work/suppressions" "$work/test" >"$work/log" 2>&1; then
        echo "$test: clean, $(($(date +%s) - from)) s"
    else
        status=1
        echo "$test: FAILED, $(($(date +%s) - from)) s"
        grep -v 'client switching stacks\|to suppress, use\|further instances' "$work/log" | head -60
    fi
done
exit $status
