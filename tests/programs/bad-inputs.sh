#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Inside a program root: compiles the provider's tests of bad inputs, of limits and bounds, of random sequences of
# calls and, if it is named, of TLS for this release's OpenSSL, and runs them with its default provider.
#
#   bad-inputs.sh [TEST...]     (all without)
set -eu
cd /firesteel/checkout/provider/tests
work=$(mktemp -d)
[ $# -gt 0 ] || set -- bad-ecdsa bad-messages bad-peers bad-rsa bounds limits sequences sequences-keys
for test in "$@"; do
    case $test in
    sequences) more="sequences.c sequences-aead.c sequences-ciphers.c sequences-macs.c" ;;
    sequences-keys) more="sequences-controls.c sequences-pairs.c" ;;
    *) more= ;;
    esac
    # shellcheck disable=SC2086 # words are meant
    cc -std=c17 -D_GNU_SOURCE -O1 -I.. -o "$work/$test" "test-$test.c" $more answer.c unit.c \
        ../base/work.c -lssl -lcrypto
    echo "$test:"
    PROVIDER_DIRECTORY=/firesteel/output "$work/$test"
done
