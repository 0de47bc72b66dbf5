#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What `meson install` leaves below its prefix works from there, found by nothing but its path, and is all that
# it leaves.  What build.sh builds must be there.
set -eu
plain=/firesteel/work/plain
prefix=/firesteel/work/prefix
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

rm -rf $prefix
DESTDIR=$work meson install -C $plain --quiet --no-rebuild
beside=$(find "$work" -type f ! -path "$work$prefix/*")
[ -z "$beside" ] || { echo "outside of the prefix: $beside"; exit 1; }

meson install -C $plain --quiet --no-rebuild
export FIRESTEEL_DEVICE=model:hash=on OPENSSL_MODULES=$prefix/lib/ossl-modules
export OPENSSL_CONF=$prefix/share/firesteel/firesteel.cnf
openssl list -providers | tee "$work/said"
grep -q "version: $(cat /firesteel/checkout/VERSION)" "$work/said"
head -c 100000 /dev/zero >"$work/sent"
FIRESTEEL_PROVIDER_THRESHOLDS=all=16 $prefix/bin/firesteel-provider check \
    openssl dgst -sha256 "$work/sent" 2>"$work/said"
grep '^digest  *[1-9]' "$work/said"
