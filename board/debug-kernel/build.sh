#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds a kernel that finds faults inside the build root, anew or only what has changed since the
# last time.
#
#   /firesteel/source   Debian's package linux-source-*, unopened
#   /firesteel/recipe   this script, config, and patches/ if there are any
#   /firesteel/work     kept from build to build; may be empty
#   /firesteel/output   gets tree.tar (boot/, usr/lib/modules/) and headers.tar (usr/src/), which are
#                       laid out as those of Debian's kernel packages are
set -eu

recipe=/firesteel/recipe
work=/firesteel/work
src=$work/src
export ARCH=@KERNEL_SOURCE@ CROSS_COMPILE=@TRIPLET@-
export KBUILD_BUILD_USER=firesteel KBUILD_BUILD_HOST=firesteel KBUILD_BUILD_VERSION=1
KBUILD_BUILD_TIMESTAMP=$(date --utc --date="@$SOURCE_DATE_EPOCH")
export KBUILD_BUILD_TIMESTAMP

unpack() {
    [ ! -e "$work/unpacked" ] || return 0
    rm -rf "$src"
    mkdir "$src"
    # Half of the source are graphics drivers, of which nothing is compiled.
    dpkg-deb --fsys-tarfile /firesteel/source/linux-source-*.deb |
        tar --extract --to-stdout --wildcards './usr/src/linux-source-*.tar.xz' |
        tar --extract --xz --directory="$src" --strip-components=1 \
            --exclude='*/drivers/gpu/drm/*.[ch]' --exclude='*/tools/testing'
    for patch in "$recipe"/patches/*.patch; do
        [ -e "$patch" ] || continue
        patch --directory="$src" --strip=1 --forward --no-backup-if-mismatch <"$patch"
    done
    touch "$work/unpacked"
}

configure() {
    make KCONFIG_ALLCONFIG="$recipe/config" allnoconfig
    grep '^CONFIG_' "$recipe/config" | LC_ALL=C sort >"$work/wanted"
    LC_ALL=C sort .config | LC_ALL=C comm -23 "$work/wanted" - >"$work/without-effect"
    if [ -s "$work/without-effect" ]; then
        echo "config: these lines have no effect:"
        cat "$work/without-effect"
        exit 1
    fi
}

pack() { # ARCHIVE DIRECTORY
    tar --create --file="$1" --directory="$2" --sort=name --numeric-owner --owner=0 --group=0 \
        --mtime="@$SOURCE_DATE_EPOCH" .
}

# The kernel and its modules, where Debian's package has them.
pack_tree() { # RELEASE
    rm -rf "$work/tree"
    mkdir -p "$work/tree/boot"
    cp arch/@KERNEL_SOURCE@/boot/@KERNEL_IMAGE@ "$work/tree/boot/vmlinuz-$1"
    make INSTALL_MOD_PATH="$work/tree/usr" DEPMOD=true modules_install
    rm "$work/tree/usr/lib/modules/$1/build"
    pack /firesteel/output/tree.tar "$work/tree"
}

# What modules are built with.  Debian has a tree for the configuration and one for the source,
# here they are one.  The empty files that say when an option changed tell of earlier builds.
pack_headers() { # RELEASE
    rm -rf "$work/headers"
    headers=$work/headers/usr/src/linux-headers-$1
    mkdir -p "$headers"
    ln -s "linux-headers-$1" "$work/headers/usr/src/linux-headers-${1%-*}-common"
    {
        find . -name 'Makefile*' -o -name 'Kconfig*' -o -name Kbuild
        find include arch/@KERNEL_SOURCE@/include scripts ! -name '*.o' ! -name '.*.cmd' ! -type d \
            ! -path 'include/config/[A-Z]*'
        ls .config Module.symvers
    } | sed 's,^\./,,' | LC_ALL=C sort -u | rsync --archive --files-from=- ./ "$headers/"
    {
        echo "override ARCH = $ARCH"
        echo "override CROSS_COMPILE = $CROSS_COMPILE"
    } >"$headers/.kernelvariables"
    pack /firesteel/output/headers.tar "$work/headers"
}

unpack
cd "$src"
configure
make -j"$(nproc)" @KERNEL_IMAGE@ modules
release=$(cat include/config/kernel.release)
pack_tree "$release"
pack_headers "$release"
