#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Applies a series of patches to a kernel's source, and builds and checks the driver after each as the kernel's
# developers do, inside the root of packages.txt:
#
#   build-series.sh arm | arm64
#
# /firesteel/source has Debian's package linux-source-*, /firesteel/series the patches, /firesteel/sparse and
# /firesteel/dtschema the programs; /firesteel/work is empty. What compiler (W=1), sparse, checkpatch and
# dt_binding_check say goes to /firesteel/work/messages, a line each.
set -eu

case $1 in
arm) CROSS_COMPILE=arm-linux-gnueabihf- ;;
arm64) CROSS_COMPILE=aarch64-linux-gnu- ;;
esac
export ARCH="$1" CROSS_COMPILE
export PYTHONPATH=/firesteel/dtschema PATH=/firesteel/dtschema/bin:$PATH
work=/firesteel/work
folder=drivers/crypto/silex
binding=crypto/silex-insight,cryptosoc.yaml

mkdir "$work/src"
cd "$work/src"
# What nothing is compiled of takes most of the time: other drivers, file systems, networks, architectures.
dpkg-deb --fsys-tarfile /firesteel/source/linux-source-*.deb |
    tar --extract --to-stdout --wildcards './usr/src/linux-source-*.tar.xz' |
    tar --extract --xz --strip-components=1 --exclude='*/drivers/*.c' --exclude='*/drivers/gpu/*.h' \
        --exclude='*/fs/*.c' --exclude='*/net/*.c' --exclude='*/sound/*.c' --exclude='*/arch/[b-z]*/*.[chS]' \
        --exclude='*.dts' --exclude='*.dtsi' --exclude='*/tools/testing'

# No more of a kernel than the driver needs.
cat >"$work/options" <<'OPTIONS'
CONFIG_MODULES=y
CONFIG_MMU=y
CONFIG_SMP=y
CONFIG_ARCH_MULTI_V7=y
CONFIG_ARCH_VIRT=y
CONFIG_PCI=y
CONFIG_PCI_MSI=y
CONFIG_SUSPEND=y
CONFIG_IOMMU_SUPPORT=y
CONFIG_DEBUG_FS=y
CONFIG_CRYPTO=y
CONFIG_CRYPTO_HW=y
CONFIG_UIO=m
CONFIG_CRYPTO_DEV_SILEX=m
CONFIG_CRYPTO_DEV_SILEX_PCI=y
CONFIG_CRYPTO_DEV_SILEX_UIO=y
OPTIONS

note() { # of a log, what is said of the driver
    grep -E '^[^ ]*silex[^ ]*:[0-9]+:[0-9]+: |: (error|warning): ' "$work/log" | sed "s,^,$name: ," >>"$work/messages" || true
}

configure() { # OPTION-OF-CONFIG...
    make -s KCONFIG_ALLCONFIG="$work/options" allnoconfig
    if [ $# -gt 0 ]; then
        scripts/config "$@"
        make -s olddefconfig
    fi
    # Without it nothing is built.
    grep -q '^CONFIG_CRYPTO_DEV_SILEX=m$' .config
}

build() { # ARGUMENT-OF-MAKE...
    rm -f "$folder/firesteel.o"
    make -j"$(nproc)" W=1 "$@" "$folder/" >"$work/log" 2>&1 || {
        cat "$work/log"
        exit 1
    }
    test -s "$folder/firesteel.o"
    note
}

: >"$work/messages"
for patch in /firesteel/series/[0-9]*.patch; do
    name=$(basename "$patch" .patch)
    case $name in 0000-*) continue ;; esac
    status=0
    perl scripts/checkpatch.pl --strict --terse --show-types --no-summary "$patch" >>"$work/messages" || status=$?
    [ $status -le 1 ]
    patch --quiet --strip=1 --forward --no-backup-if-mismatch <"$patch"
    [ -d "$folder" ] || continue
    configure
    build
done

name=sparse
rm "$folder"/*.o
build C=1 CHECK=/firesteel/sparse/usr/bin/sparse
grep -q "CHECK  *$folder/main\\.c" "$work/log"

# And without what can be left out.
name=without-options
configure --disable UIO --disable PCI --disable DEBUG_FS --disable SUSPEND
build

name=binding
make -j"$(nproc)" DT_SCHEMA_FILES="$binding" dt_binding_check >"$work/log" 2>&1 || {
    cat "$work/log"
    exit 1
}
grep -q "silex-insight,cryptosoc" "$work/log"
note
