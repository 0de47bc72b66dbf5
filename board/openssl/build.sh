#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds libcrypto for the guest inside the build root, from Debian's source and our patch:
#
#   /firesteel/recipe   neon-ghash.patch
#   /firesteel/source   the source package
#   /firesteel/output   libcrypto.so.3 afterwards
#   /firesteel/work     empty; may be thrown away
#
# Target, compiler flags and assembler are those of Debian's package, so that the patch is the only
# difference in code that encrypts.  Compression is left out: it needs libraries, and no cipher uses it.
set -eu

triplet=@TRIPLET@
tree=/firesteel/work/tree

dpkg-source -x /firesteel/source/*.dsc "$tree"
cd "$tree"
patch -p1 --fuzz=0 </firesteel/recipe/neon-ghash.patch

flags() {
	DEB_BUILD_MAINT_OPTIONS="hardening=+all future=+lfs" dpkg-architecture -a@ARCHITECTURE@ -c dpkg-buildflags --get "$1"
}
CFLAGS=$(flags CFLAGS) CPPFLAGS=$(flags CPPFLAGS) LDFLAGS=$(flags LDFLAGS) \
    perl Configure debian-@ARCHITECTURE@ shared --cross-compile-prefix=$triplet- \
    --prefix=/usr --openssldir=/usr/lib/ssl --libdir=lib/$triplet \
    no-idea no-mdc2 no-rc5 no-ssl3 no-ssl3-method enable-rfc3779 enable-cms no-capieng no-padlockeng enable-tfo no-tests
nice make -j "$(nproc)" build_generated
nice make -j "$(nproc)" libcrypto.so
$triplet-strip --strip-unneeded libcrypto.so.3
cp libcrypto.so.3 /firesteel/output
