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
#   /job/runs       a line for each run: its name, the sector size, and fio's options
#   /job/sample     what is written to the start of the disk, to compare with what is stored there
set -e
cd /job
. ./settings
. ./account.sh
. ./kernel-software.sh

# shellcheck disable=SC2086  # a module and its parameters
[ -z "$DRIVER" ] || modprobe $DRIVER
modprobe brd rd_nr=1 rd_size=$((SIZE / 1024)) max_part=0

# Sets DISK to a disk that encrypts sectors of $1 bytes; without a cipher it is the bare one.
open_disk() {
	DISK=/dev/ram0
	[ -n "$CIPHER" ] || return 0
	sectors=""
	[ "$1" = 512 ] || sectors="1 sector_size:$1"
	# There is no udev to make a node below /dev/mapper; the kernel makes /dev/dm-0 by itself.
	echo "0 $((SIZE / 512)) crypt $CIPHER $KEY 0 /dev/ram0 0 $sectors" |
		dmsetup create --noudevrules --noudevsync disk
	DISK=/dev/dm-0
	[ -b $DISK ]
}

close_disk() {
	[ -z "$CIPHER" ] || dmsetup remove --noudevrules --noudevsync disk
}

# Writes the sample to the disk and sends what the disk's memory then contains.
show_sample() {
	dd if=sample of=$DISK bs=4096 oflag=direct
	dd if=/dev/ram0 bs=4096 count=2 iflag=direct >/run/raw
	probe data "raw-$1" /run/raw
}

# Memory that was never written costs nothing to read.
dd if=/dev/zero of=/dev/ram0 bs=65536 count=$((SIZE / 65536)) oflag=direct
# The kernel finishes its deferred start-up work first; idle time costs no wall time.
sleep 20

sector=""
account before
probe mark proof.before
while read -r name wanted options; do
	if [ "$wanted" != "$sector" ]; then
		[ -z "$sector" ] || close_disk
		sector=$wanted
		open_disk "$sector"
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
