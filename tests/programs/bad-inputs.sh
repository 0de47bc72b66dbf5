#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Inside a program root: compiles the provider's tests of bad inputs, of parameters out of bounds and of random
# sequences of calls for this release's OpenSSL, and runs them with its default provider.
#
#   bad-inputs.sh [TEST...]     (all without)
set -eu
cd /firesteel/checkout/provider/tests
work=$(mktemp -d)
[ $# -gt 0 ] || set -- bad-ecdsa bad-messages bad-peers bad-rsa bounds sequences
for test in "$@"; do
    [ "$test" = sequences ] && more=$(ls sequences*.c) || more=
    # shellcheck disable=SC2086 # words are meant
    cc -std=c17 -D_GNU_SOURCE -O1 -I.. -o "$work/$test" "test-$test.c" $more answer.c unit.c \
        ../base/work.c -lcrypto
    echo "$test:"
    PROVIDER_DIRECTORY=/firesteel/output "$work/$test"
done
