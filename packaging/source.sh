#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes Debian's source package inside a package root:
#
#   /firesteel/given    firesteel_VERSION.orig.tar.xz and debian/, whole
#   /firesteel/output   the source package afterwards
#   /firesteel/work     empty; may be thrown away
set -eu
unset SOURCE_DATE_EPOCH # Debian's tools take that of the changelog
cd /firesteel/work
cp /firesteel/given/*.orig.tar.xz .
mkdir tree
tar -xf ./*.orig.tar.xz -C tree --strip-components=1
cp -R /firesteel/given/debian tree
dpkg-source --build tree
mv firesteel_* /firesteel/output
