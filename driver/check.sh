#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Checks the driver as the kernel's developers do, inside the build root:
#
#   check.sh BUILD HEADERS CHECKERS DIRECTORY
#
# BUILD is the script that builds modules, with HEADERS; CHECKERS has the programs sparse and
# checkpatch.pl; DIRECTORY has copies of driver/ and silex/ and may be written to.  What the checkers
# say goes to DIRECTORY/messages, a line each; warnings of the compiler (W=1) are errors of the build.
set -eu

build=$1
headers=$2
checkers=$3
directory=$4
messages=$directory/messages
log=$directory/log

"$build" "$headers" "$directory/driver" W=1 C=1 CHECK="$checkers/sparse" >"$log" 2>&1 || {
    cat "$log"
    exit 1
}
# Without this line nothing was checked.
grep -q '^ *CHECK .*/main.c$' "$log"
grep -E '\.[ch]:[0-9]+:[0-9]+: ' "$log" | sed 's,.*/\(driver\|silex\)/,\1/,' >"$messages" || true

# What is left out, and why: .checkpatch.conf, which checkpatch looks for where it is started.
cd "$directory/driver"
# firesteel.mod.c is made by the build.
sources=$(ls ./*.[ch] | grep -v '\.mod\.c$')
status=0
# shellcheck disable=SC2086  # a list
perl "$checkers/checkpatch.pl" --no-tree --terse --show-types --strict --no-summary --file $sources \
    ../silex/*.h >"$directory/checkpatch" 2>&1 || status=$?
# 1: it has found something.
[ $status -le 1 ]
cat "$directory/checkpatch" >>"$messages"
