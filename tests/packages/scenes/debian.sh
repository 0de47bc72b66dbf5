# SPDX-License-Identifier: Apache-2.0
# Debian's own runner does the tests of the source package with the built packages.
#
#   /firesteel/source, /firesteel/new    the source package, and the packages
set -- $(find /firesteel/new -name '*.deb' ! -name '*-dbgsym_*')
autopkgtest --output-dir=/tmp/told --no-built-binaries "$@" /firesteel/source/*.dsc -- null
