# SPDX-License-Identifier: Apache-2.0
# Files for the client to fetch, and their server.  The files are the key stream of ChaCha20 with a fixed
# key: the same on every run, and random to any compressor.
#
#   TRANSFER_SIZES  bytes of each
#   FILES_SERVER    NAME of serve-NAME.sh, which serves what is in /srv/ftp

random_bytes() {
	head -c "$1" /dev/zero | openssl enc -chacha20 -nosalt -K "$2" -iv 00
}

mkdir -p /srv/ftp
cd /srv/ftp
echo hello >greeting
random_bytes 65536 01 >sample
sha256sum <sample >sample.sha256
for size in $TRANSFER_SIZES; do
	random_bytes "$size" 02 >"file-$size"
done
chmod 444 ./*
cd /job
. "./serve-$FILES_SERVER.sh"
