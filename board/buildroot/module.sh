#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds kernel modules inside the build root, beside their sources:
#
#   module.sh HEADERS DIRECTORY [ARGUMENT-OF-MAKE...]
#
# HEADERS is the root under which the packages with the headers of one kernel were unpacked,
# DIRECTORY has the sources and a Kbuild and may be written to.  Afterwards each module lies there
# as NAME.ko, without what only debuggers read.
set -eu

headers=$1/usr/src
directory=$2
shift 2

common=$(echo "$headers"/linux-headers-*-common)
kernel=""
for each in "$headers"/linux-headers-*; do
    [ "$each" = "$common" ] || kernel="$kernel$each"
done
[ -d "$kernel" ] && [ -d "$common" ] || {
    echo "$headers must have the headers of one kernel, and has: $(ls "$headers")" >&2
    exit 1
}

# The Makefile of the headers includes an absolute path, so the common one is called for them.
make -C "$kernel" -f "$common/Makefile" M="$directory" \
    KCFLAGS="-ffile-prefix-map=$directory=. -Werror" "$@"@MODULE_OPTIONS@ modules
@TRIPLET@-strip --strip-debug "$directory"/*.ko
