#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds library and provider inside a program root, for its OpenSSL: from /firesteel/checkout in
# /firesteel/work to /firesteel/output, where they are used.
set -eu
output=/firesteel/output

# As they lie there they find the library where that is installed
meson setup /firesteel/work/build /firesteel/checkout --prefix "$output" --libdir lib \
    -Dmodulesdir="$output" -Dprovider=enabled -Dmodel=true
ninja --quiet -C /firesteel/work/build
meson install -C /firesteel/work/build --quiet --no-rebuild
