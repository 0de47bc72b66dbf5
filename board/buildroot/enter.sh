#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a command inside the build root as an ordinary user, with fixed paths and times.
#
#   enter.sh ROOT UID:GID [--bind HOST INSIDE | --bind-ro HOST INSIDE]... -- COMMAND...
#
# Must be run as root in a mount and process-ID namespace of its own: what is mounted here goes
# when the namespace goes.  The build root itself is read-only; INSIDE must lie below
# /firesteel, which is empty otherwise.
set -eu

root=$1
user=$2
shift 2

mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -t tmpfs -o mode=755 tmpfs "$root/firesteel"

while [ "$1" != -- ]; do
    case $1 in
    --bind | --bind-ro)
        mkdir -p "$root$3" 2>/dev/null || true
        [ -d "$2" ] || { rmdir "$root$3" && touch "$root$3"; }
        mount --bind "$2" "$root$3"
        [ "$1" = --bind ] || mount -o remount,bind,ro "$root$3"
        shift 3
        ;;
    *)
        echo "enter.sh: unknown option $1" >&2
        exit 2
        ;;
    esac
done
shift

# Python's seed: generators of QEMU's sources write in the order of their sets.
umask 022
exec chroot --userspec="$user" "$root" /usr/bin/env -i \
    PATH=/usr/sbin:/usr/bin HOME=/tmp LC_ALL=C.UTF-8 TZ=UTC \
    SOURCE_DATE_EPOCH=1767225600 PYTHONHASHSEED=0 PYTHONDONTWRITEBYTECODE=1 "$@"
