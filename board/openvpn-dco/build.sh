#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the module ovpn-dco-v2 for the guest's kernel inside the build root, as it is and with packets in batches:
#
#   build.sh VERSION
#
#   /firesteel/recipe       counters.patch, batches.patch and module.sh
#   /firesteel/headers      the packages with the headers of the kernel, unpacked
#   /firesteel/work         Debian's package, unpacked; ovpn-dco-v2.ko and ovpn-dco-v2-batches.ko lie there afterwards
#
# The tree's own Makefile asks for the headers of the running kernel; what it tells the compiler is here.
set -eu

tree=/firesteel/work/usr/src/ovpn-dco-$1
module=$tree/drivers/net/ovpn-dco

apply() {
	patch -d "$tree" -p1 --fuzz=0 <"/firesteel/recipe/$1"
}

# build VERSION FILE: both are built at one path, as the path is in the module.
build() {
	sh /firesteel/recipe/module.sh /firesteel/headers "$module" CONFIG_OVPN_DCO_V2=m \
		KCPPFLAGS="-I$tree/include -I$tree/compat-include -include $tree/linux-compat.h -DOVPN_DCO_VERSION=\\\"$1\\\""
	cp "$module/ovpn-dco-v2.ko" "/firesteel/work/$2"
}

apply counters.patch
build "$1" ovpn-dco-v2.ko
apply batches.patch
build "$1" ovpn-dco-v2-batches.ko
