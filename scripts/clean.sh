#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Removes all that was built from the cache, snapshots of boards, what a worker keeps, bundles, and the documentation's
# site. Measured records (the store) stay. Folders are named one by one, as the cache directory may hold what is not ours;
# a test compares them with those that the code makes.
set -eu
rm -rf "$(dirname "$0")/../site" "$(dirname "$0")/../dist"
cache=${FIRESTEEL_CACHE:-$HOME/.cache/firesteel}
[ -d "$cache" ] || exit 0
for kind in bare-root build-root bundle busybox checkers cputimes cryptsetup debian-packages debian-source \
    debug-kernel development driver dtschema fault-matrix image kernel-compiler kernel-driver kernel-headers \
    kernel-layout kernel-root kernel-source kernel-sparse kernel-to-run libcrypto lighttpd lighttpd-openssl \
    lighttpd-packages lighttpd-source locks logs machine-probe machine-root newest-kernel-source openssh \
    openssh-source openssl-experimental openssl-source openssl-unstable openvpn-dco openvpn-dco-source \
    package-root packages program-provider program-root provider qemu qemu-source race-kernel reports \
    series-root snapshots sources venv verify virtio-blk wheels wolfssl wolfssl-front-end work worker; do
    # Parts of them are root's where sudo built them.
    rm -rf "${cache:?}/$kind" 2>/dev/null || sudo rm -rf "${cache:?}/$kind"
done
