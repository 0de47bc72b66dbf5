# SPDX-License-Identifier: Apache-2.0
# /job/run: measures a disk in memory, bare or behind dm-crypt, with fio.
#
# From the lab (lab/src/firesteel/workloads/dm_crypt/job.py):
#   /job/settings   DRIVER: the module whose algorithms dm-crypt is to use, and its parameters; empty
#                   for none
#                   KERNEL_SOFTWARE: as in board/jobs/kernel-software.sh
#                   SIZE: bytes of the disk
#                   START_OFFSET: seconds to pause before each run
#                   CIPHER, KEY: as dm-crypt's table has them; empty for a bare disk
#                   METADATA: bytes that dm-integrity keeps of each sector for dm-crypt; 0 for a cipher
#                   without authentication
#   /job/runs       a line for each run: its name, the sector size, and fio's options
#   /job/sample     what is written to the start of the disk, to compare with what is stored there
set -e
cd /job
. ./settings
. ./account.sh
. ./kernel-software.sh
. ./integrity.sh

# shellcheck disable=SC2086  # a module and its parameters
[ -z "$DRIVER" ] || modprobe $DRIVER
modprobe brd rd_nr=1 rd_size=$((SIZE / 1024 + $(integrity_kib))) max_part=0

# There is no udev to make nodes below /dev/mapper; the kernel makes /dev/dm-N by itself.
mapping() {
	dmsetup "$@" --noudevrules --noudevsync
}

# Sets DISK to a disk that encrypts sectors of $1 bytes; without a cipher it is the bare one.
open_disk() {
	DISK=/dev/ram0
	[ -n "$CIPHER" ] || return 0
	[ "$1" = 512 ] || set -- "$@" "sector_size:$1"
	if [ "$METADATA" != 0 ]; then
		open_integrity "$1"
		set -- "$@" "integrity:$METADATA:aead"
	fi
	shift
	echo "0 $((SIZE / 512)) crypt $CIPHER $KEY 0 $DISK 0 $# $*" | mapping create disk
	DISK=$(node_of disk)
}

close_disk() {
	[ -z "$CIPHER" ] || mapping remove disk
	[ "$METADATA" = 0 ] || mapping remove integrity
}

# Writes the sample to the disk and sends what the disk's memory then contains.
show_sample() {
	dd if=sample of=$DISK bs=4096 oflag=direct
	if [ "$METADATA" != 0 ]; then
		find_integrity "$1"
		# What is not written to the disk at once is written when it is closed.
		close_disk
		dd if=/dev/ram0 bs=512 skip=$METADATA_SECTOR count=8 iflag=direct >/run/metadata
		probe data "metadata-$1" /run/metadata
	fi
	dd if=/dev/ram0 bs=512 skip=$DATA_SECTOR count=16 iflag=direct >/run/raw
	probe data "raw-$1" /run/raw
	[ "$METADATA" = 0 ] || open_disk "$1"
}

# Memory that was never written costs nothing to read.
dd if=/dev/zero of=/dev/ram0 bs=65536 count=$((SIZE / 65536)) oflag=direct
# The kernel finishes its deferred start-up work first; idle time costs no wall time.
sleep 20

sector=""
DATA_SECTOR=0
account before
probe mark proof.before
while read -r name wanted options; do
	if [ "$wanted" != "$sector" ]; then
		[ -z "$sector" ] || close_disk
		sector=$wanted
		[ "$METADATA" = 0 ] || clear_integrity
		open_disk "$sector"
		# A sector that was never written has no valid tag.
		[ "$METADATA" = 0 ] || dd if=/dev/zero of=$DISK bs=65536 count=$((SIZE / 65536)) oflag=direct
		show_sample "$sector"
	fi
	[ "$START_OFFSET" = 0 ] || sleep "$START_OFFSET"
	cd /run
	# shellcheck disable=SC2086  # options are words
	fio --name=disk --filename=$DISK --size="$SIZE" --ioengine=libaio --direct=1 --invalidate=0 \
		--thread $options --output-format=json --output="/run/$name" \
		--exec_prerun="echo $name.begin | probe follow" \
		--exec_postrun="echo $name.end | probe follow"
	cd /job
	probe data "$name" "/run/$name"
done <runs
probe mark proof.after
account after
