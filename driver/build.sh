#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds firesteel.ko for the guest's kernel, inside the build root:
#
#   build.sh HEADERS OUTPUT
#
# HEADERS is the root under which the packages of the kernel's headers were unpacked.  Their own
# Makefile includes an absolute path, so the common one is called for it.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
headers=$1/usr/src
output=$2
kernel=$(echo "$headers"/linux-headers-*-armmp)
common=$(echo "$headers"/linux-headers-*-common)

# Kbuild builds beside the sources.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$here" "$work/driver"
cp -r "$here/../silex" "$work/silex"

make -C "$kernel" -f "$common/Makefile" M="$work/driver" W=1 \
    KCFLAGS="-ffile-prefix-map=$work=. -Werror" modules
arm-linux-gnueabihf-strip --strip-debug -o "$output/firesteel.ko" "$work/driver/firesteel.ko"
