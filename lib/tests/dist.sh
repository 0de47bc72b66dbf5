#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the tarball of the project, builds from it, and runs the library's tests.  The build root has no Git: a script
# in its place hands out /firesteel/commit.tar, the commit's files as `git archive` packs them.
set -eu
work=/firesteel/work/dist
rm -rf $work
mkdir -p $work/bin $work/commit $work/tarball
printf '#!/bin/sh\n[ "$1" != archive ] || exec cat /firesteel/commit.tar\n' >$work/bin/git
chmod +x $work/bin/git
export PATH="$work/bin:$PATH"

tar -xf /firesteel/commit.tar -C $work/commit
meson setup $work/made $work/commit
meson dist -C $work/made --formats gztar --no-tests
tar -xzf "$work/made/meson-dist/firesteel-$(cat $work/commit/VERSION).tar.gz" -C $work/tarball --strip-components=1

meson setup $work/built $work/tarball -Dmodel=true -Dtests=lib
ninja -C $work/built
[ -e $work/built/provider/firesteel.so ]
meson test -C $work/built --no-rebuild --print-errorlogs --timeout-multiplier 8
rm -rf $work
