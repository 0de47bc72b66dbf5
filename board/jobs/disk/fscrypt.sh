# SPDX-License-Identifier: Apache-2.0
# A file of SIZE bytes on ext4 on a disk in memory, plain or encrypted by fscrypt with the master key /job/key.
#
#   ENCRYPTED    1, or empty for a plain file
#
# The functions and variables are those of board/jobs/disk/dm-crypt.sh; a data unit of fscrypt is a block of ext4.

# fscrypt has no direct I/O without inline encryption (fscrypt_dio_supported() in fs/crypto/inline_crypt.c).  So what is
# read is not in the page cache, and what is written is on the disk before the next I/O begins.
FIO="--ioengine=psync --invalidate=1 --sync=dsync"

make_memory() {
	# What ext4 has besides the file: its journal and tables.
	modprobe brd rd_nr=1 rd_size=$((SIZE / 1024 * 9 / 8 + 8192)) max_part=0
}

new_disk() {
	mke2fs -q -t ext4 -b "$1" -O encrypt -E lazy_itable_init=0,lazy_journal_init=0,nodiscard /dev/ram0
	mkdir -p /run/disk
	mount -t ext4 -o noatime /dev/ram0 /run/disk
	mkdir /run/disk/files
	[ -z "$ENCRYPTED" ] || fscrypt-policy set /run/disk/files </job/key
	DISK=/run/disk/files/file
	dd if=/dev/zero of=$DISK bs=65536 count=$((SIZE / 65536)) conv=fsync
}

close_disk() {
	umount /run/disk
}

# Writes the sample to the file, and sends it as it lies on the disk, and the file's nonce.
show_sample() {
	dd if=sample of=$DISK bs="$1" conv=notrunc,fsync
	fscrypt-policy show $DISK >/run/place
	read -r place nonce </run/place
	dd if=/dev/ram0 bs=512 skip=$((place / 512)) count=16 iflag=direct >/run/raw
	probe data "raw-$1" /run/raw
	echo "$nonce" | probe data "nonce-$1"
}
