#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Plays a scene on a machine of its own: the root that this runs in, with what the scene writes in memory.
#
#   machine.sh SCENE [ARGUMENT...]    as root, inside a machine root, whose /firesteel the scene sees
set -eu
mkdir /firesteel/machine /firesteel/written
mount -t tmpfs -o size=3g tmpfs /firesteel/written
mkdir /firesteel/written/upper /firesteel/written/work
mount -t overlay -o lowerdir=/,upperdir=/firesteel/written/upper,workdir=/firesteel/written/work overlay /firesteel/machine
for each in /dev /proc; do
    mount --rbind $each /firesteel/machine$each
done
mount -t tmpfs tmpfs /firesteel/machine/run
for each in /firesteel/*; do
    case $each in
    */machine | */written) ;;
    *)
        if [ -d "$each" ]; then mkdir "/firesteel/machine$each"; else : >"/firesteel/machine$each"; fi
        mount --bind "$each" "/firesteel/machine$each"
        ;;
    esac
done
# Nothing is fetched: what apt needs is there
: >/firesteel/machine/etc/apt/sources.list
rm -f /firesteel/machine/etc/apt/sources.list.d/*
scene=$1
shift
exec chroot /firesteel/machine env HOME=/root DEBIAN_FRONTEND=noninteractive \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    unshare --net sh -eu "/firesteel/scenes/$scene.sh" "$@"
