#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds our QEMU inside the build root, anew or only what has changed since the last time.
#
#   /firesteel/source   the Debian source package (qemu_*.dsc and what it names)
#   /firesteel/recipe   this directory: patches/, devices/, and targets/, which has the devices of each
#                       of QEMU's targets that is built, as TARGET.mak; and beside them what our
#                       devices rest on: probe.h, silex/, model/
#   /firesteel/work     kept from build to build; may be empty
#   /firesteel/output   gets a qemu-system-* for each target
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
targets=$(cd "$recipe/targets" && LC_ALL=C ls | sed 's/\.mak$//')
for target in $targets; do
    cp "$recipe/targets/$target.mak" "next/configs/devices/$target/firesteel.mak"
done
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

# A build for other targets is another one; and a static program runs on any host, whatever its C
# library and glib are.
build=build/$(echo "$targets" | paste -sd+)
if [ ! -e "$build/configured" ]; then
    rm -rf "$build"
    mkdir -p "$build"
    devices=$(for target in $targets; do echo "--with-devices-${target%-softmmu}=firesteel"; done)
    # shellcheck disable=SC2086  # an option a target
    (cd "$build" && ../../src/configure \
        --target-list="$(echo "$targets" | paste -sd,)" \
        --without-default-features --without-default-devices $devices \
        --enable-tcg --enable-fdt=system --static --enable-werror --disable-debug-info \
        --disable-qom-cast-debug \
        --disable-docs --disable-tools --disable-install-blobs --disable-download)
    touch "$build/configured"
fi

for target in $targets; do
    program=qemu-system-${target%-softmmu}
    ninja -C "$build" "$program"
    strip -o "/firesteel/output/$program" "$build/$program"
done
