#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds libcrypto for the guest inside the build root, from Debian's source, once for each name that experiments have:
#
#   debian-flags  as Debian builds it
#   debug-flags   with the flags of a debugging build: not optimized (noopt of Debian's policy); assembler stays as it is
#   neon-ghash    with Debian's flags and our patch
#
#   /firesteel/recipe   neon-ghash.patch
#   /firesteel/source   the source package
#   /firesteel/output   version, NAME.so afterwards
#   /firesteel/work     empty; may be thrown away
#
# Target, compiler flags and assembler are otherwise those of Debian's package, so that what a name says is the only
# difference in code that encrypts.  Compression is left out: it needs libraries, and no cipher uses it.
set -eu

triplet=@TRIPLET@
tree=/firesteel/work/tree

flags() { # KIND OPTION
	DEB_BUILD_OPTIONS=$2 DEB_BUILD_MAINT_OPTIONS="hardening=+all future=+lfs" \
		dpkg-architecture -a@ARCHITECTURE@ -c dpkg-buildflags --get "$1"
}

build() { # NAME [OPTION OF DEBIAN'S POLICY]
	mkdir "/firesteel/work/$1"
	cd "/firesteel/work/$1"
	CFLAGS=$(flags CFLAGS "${2:-}") CPPFLAGS=$(flags CPPFLAGS "${2:-}") LDFLAGS=$(flags LDFLAGS "${2:-}") \
		perl "$tree/Configure" debian-@ARCHITECTURE@ shared --cross-compile-prefix=$triplet- \
		--prefix=/usr --openssldir=/usr/lib/ssl --libdir=lib/$triplet \
		no-idea no-mdc2 no-rc5 no-ssl3 no-ssl3-method enable-rfc3779 enable-cms no-capieng no-padlockeng enable-tfo no-tests
	nice make -j "$(nproc)" build_generated
	nice make -j "$(nproc)" libcrypto.so
	$triplet-strip --strip-unneeded libcrypto.so.3
	cp libcrypto.so.3 "/firesteel/output/$1.so"
}

dpkg-source -x /firesteel/source/*.dsc "$tree"
sed -n 's/^Version: //p' /firesteel/source/*.dsc >/firesteel/output/version
build debian-flags
build debug-flags noopt
cd "$tree"
patch -p1 --fuzz=0 </firesteel/recipe/neon-ghash.patch
build neon-ghash
