#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds our QEMU inside the build root, anew or only what has changed since the last time.
#
#   /firesteel/source   the Debian source package (qemu_*.dsc and what it names)
#   /firesteel/recipe   this directory: patches/, devices/, firesteel.mak; and beside them what the
#                       devices rest on: probe.h, silex/, model/
#   /firesteel/work     kept from build to build; may be empty
#   /firesteel/output   gets qemu-system-arm
#
# Debian's tree with our patches and devices is put together afresh in `next` each time and copied
# to `src` by content, so that a file that did not change keeps its time and ninja leaves alone
# what hangs on it.
set -eu

recipe=/firesteel/recipe
cd /firesteel/work

if [ ! -e unpacked ]; then
    rm -rf orig src build
    dpkg-source --no-check --no-copy --extract /firesteel/source/qemu_*.dsc orig
    touch unpacked
fi

rm -rf next
cp -al orig next
for patch in "$recipe"/patches/*.patch; do
    echo "applying ${patch##*/}"
    patch --directory=next --strip=1 --forward --no-backup-if-mismatch <"$patch"
done
mkdir -p next/hw/firesteel
cp -r "$recipe"/devices/* "$recipe/probe.h" "$recipe/silex" "$recipe/model" next/hw/firesteel/
(cd next/hw/firesteel && LC_ALL=C ls model/*.c >model.list)
cp "$recipe/firesteel.mak" next/configs/devices/arm-softmmu/
# Nodes of one run must be of one build; this is what they compare.
id=$({
    cd "$recipe" && find . -type f | LC_ALL=C sort |
        xargs sha256sum
    sha256sum </firesteel/source/qemu_*.dsc
    cc --version
} | sha256sum | cut -c1-32)
echo "#define FIRESTEEL_BUILD \"$id\"" >next/hw/firesteel/build-id.h
rsync --recursive --links --perms --checksum --delete next/ src/
rm -rf next

# A static program runs on any host, whatever its C library and glib are.
if [ ! -e configured ]; then
    rm -rf build
    mkdir build
    (cd build && ../src/configure \
        --target-list=arm-softmmu \
        --without-default-features --without-default-devices --with-devices-arm=firesteel \
        --enable-tcg --enable-fdt=system --static --enable-werror --disable-debug-info \
        --disable-docs --disable-tools --disable-install-blobs --disable-download)
    touch configured
fi

ninja -C build qemu-system-arm
strip -o /firesteel/output/qemu-system-arm build/qemu-system-arm
