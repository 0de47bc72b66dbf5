#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Inside a program root: compiles the provider's tests of bad inputs, of sequences of calls and of limits for this
# release's OpenSSL and runs them with its default provider.
set -eu
cd /firesteel/checkout/provider/tests
work=$(mktemp -d)
for test in bad-ecdsa bad-messages bad-peers bad-rsa limits sequences-keys; do
    case $test in
    sequences-keys) more="sequences-controls.c sequences-pairs.c" ;;
    *) more= ;;
    esac
    # shellcheck disable=SC2086 # no word or two
    cc -std=c17 -D_GNU_SOURCE -O1 -I.. -o "$work/$test" "test-$test.c" $more answer.c unit.c \
        ../base/work.c -lcrypto
    echo "$test:"
    PROVIDER_DIRECTORY=/firesteel/output "$work/$test"
done
