#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds a module for one kernel and has sparse read it, inside the root of packages.txt:
#
#   build.sh HEADERS TRIPLET DIRECTORY FOLDER
#
# HEADERS is the root under which the packages with the kernel's headers were unpacked; TRIPLET names the
# compiler; DIRECTORY has the module's sources in FOLDER and may be written to.  What compiler and sparse say
# of them goes to DIRECTORY/messages, a line each.
set -eu

headers=$1/usr/src
prefix=$2-
directory=$3
folder=$3/$4
log=$directory/log

common=$(echo "$headers"/linux-headers-*-common*)
for each in "$headers"/linux-headers-*; do
    [ "$each" = "$common" ] || kernel=$each
done

# Debian leaves out the script by which newer kernels ask whether sparse knows the language that they use.
sparse=$(command -v /firesteel/sparse/usr/bin/sparse || command -v sparse)
valid=$common/scripts/checker-valid.sh
if grep -q checker-valid.sh "$common/Makefile" && [ ! -e "$valid" ]; then
    printf '#!/bin/sh\necho 1\n' >"$valid"
    chmod +x "$valid"
fi

# A newer compiler lies elsewhere than its assembler.
compiler=${prefix}gcc
for each in "/firesteel/compiler/usr/bin/${prefix}"gcc-[0-9]*; do
    [ ! -x "$each" ] || compiler="$each -B/usr/$2/bin/"
done

# The headers name the compiler that they come with, and where they are installed.  That one knows attributes
# of its own, and types of BPF would need the kernel's own program.
make -C "$kernel" -f "$common/Makefile" M="$folder" KBUILD_OUTPUT="$kernel" \
    CROSS_COMPILE="$prefix" CC="$compiler" KCFLAGS=-Wno-attributes CONFIG_DEBUG_INFO_BTF_MODULES= \
    W=1 C=1 CHECK="$sparse" modules >"$log" 2>&1 || {
    cat "$log"
    exit 1
}
# Without these files and lines nothing was checked.
grep -q '^ *CHECK .*main.c$' "$log"
"${prefix}strip" --strip-debug "$folder"/*.ko
grep -E '^([^ ]+:[0-9]+: |[A-Z]+: modpost: )' "$log" | sed 's,.*/\(driver\|silex\)/,\1/,' \
    >"$directory/messages" || true
