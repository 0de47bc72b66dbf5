#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds Debian's binary packages inside a package root:
#
#   build.sh ARCHITECTURE KIND DIRECTORY
#
# KIND is dpkg-buildpackage's: `binary`, or `any` for the packages of the architecture alone.
#
#   /firesteel/source   the source package
#   /firesteel/output   packages, .changes and .buildinfo afterwards
#   /firesteel/work     is built in, in the new DIRECTORY; may be thrown away
set -eu
unset SOURCE_DATE_EPOCH # Debian's tools take that of the changelog
mkdir -p "/firesteel/work/$3"
cd "/firesteel/work/$3"
dpkg-source --extract /firesteel/source/*.dsc tree
cd tree
dpkg-buildpackage --host-arch="$1" --build="$2" --unsigned-changes --unsigned-buildinfo
cd ..
mv ./*.deb ./*.changes ./*.buildinfo /firesteel/output
