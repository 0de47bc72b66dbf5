# SPDX-License-Identifier: Apache-2.0
# The beginning of any job on a board with storage: /dev/vda is there.  Where files are transferred, it has
# an ext4 file system with what a server serves and what curl fetches.  The disk's files are out of the
# page cache when a window begins, also if they were sent before.
set -e
insmod /job/virtio_blk.ko

make_files() {
	mke2fs -q -t ext4 -E lazy_itable_init=0,lazy_journal_init=0,nodiscard /dev/vda
	mkdir -p /srv/ftp
	mount -t ext4 -o noatime /dev/vda /srv/ftp
	for server in /job/serve-*.sh; do
		[ ! -e "$server" ] || sed -i '1i sync' "$server"
	done
	[ ! -e /job/follow.sh ] || sed -i 's/probe follow/follow_cold/' /job/follow.sh
	[ ! -e /job/curl.sh ] || sed -i 's|-o /dev/null|-o /srv/ftp/fetched|' /job/curl.sh
}

# `probe follow`, which marks what it reads.
follow_cold() {
	while read -r name; do
		case $name in
		*.begin) echo 3 >/proc/sys/vm/drop_caches ;;
		esac
		echo "$name"
	done | probe follow
}

[ ! -e /job/measure-transfer.sh ] && [ ! -e /job/serve-transfer.sh ] || make_files
