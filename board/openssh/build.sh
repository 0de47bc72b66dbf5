#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds OpenSSH for the guest inside the build root, from Debian's source and our patch:
#
#   /firesteel/recipe   none-mac.patch
#   /firesteel/source   the source package
#   /firesteel/target   usr/ with the guest's libraries and their headers
#   /firesteel/output   ssh, scp, sshd, sshd-session and sshd-auth afterwards
#   /firesteel/work     empty; may be thrown away
#
# Without what has no part in a connection on a board: PAM, Kerberos, SELinux, audit, editing.  The
# sandbox is Debian's: seccomp.
set -eu

triplet=@TRIPLET@
target=/firesteel/target/usr
tree=/firesteel/work/tree

dpkg-source -x /firesteel/source/*.dsc "$tree"
cd "$tree"
patch -p1 --fuzz=0 </firesteel/recipe/none-mac.patch

# Debian's patches of configure.ac are for what is left out.
touch configure config.h.in
./configure --host="$triplet" --prefix=/usr --sysconfdir=/etc/ssh \
    --libexecdir=/usr/lib/openssh --with-privsep-path=/run/sshd --with-pid-dir=/run \
    --with-default-path=/usr/bin --with-superuser-path=/usr/sbin:/usr/bin \
    --with-sandbox=seccomp_filter --without-zlib-version-check --without-openssl-header-check \
    --disable-strip --disable-security-key --disable-lastlog --disable-utmp --disable-utmpx --disable-wtmp --disable-wtmpx \
    --with-libs=-lcrypt ac_cv_func_mkdtemp=no PATH_PASSWD_PROG=/usr/bin/passwd \
    CFLAGS="-O2" CPPFLAGS="-isystem $target/include -isystem $target/include/$triplet" \
    LDFLAGS="-L$target/lib/$triplet -Wl,-rpath-link,$target/lib/$triplet -Wl,--as-needed"
grep -q "^#define SANDBOX_SECCOMP_FILTER 1" config.h
programs="ssh scp sshd sshd-session sshd-auth"
# shellcheck disable=SC2086 # several
nice make -j "$(nproc)" $programs
# shellcheck disable=SC2086 # several
$triplet-strip $programs
# shellcheck disable=SC2086 # several
cp $programs /firesteel/output
