# SPDX-License-Identifier: Apache-2.0
# The server's part: files for the client to fetch, and an FTP or SSH server.  The files are the key stream
# of ChaCha20 with a fixed key: the same on every run, and random to any compressor.

random_bytes() {
	head -c "$1" /dev/zero | openssl enc -chacha20 -nosalt -K "$2" -iv 00
}

mkdir -p /srv/ftp /run/vsftpd/empty
cd /srv/ftp
echo hello >greeting
random_bytes 65536 01 >sample
sha256sum <sample >sample.sha256
for size in $TRANSFER_SIZES; do
	random_bytes "$size" 02 >"file-$size"
done
chmod 444 ./*
cd /job
case $TRANSFER in
scp) . ./serve-ssh.sh ;;
ftp)
	cp vsftpd.conf /run/vsftpd.conf
	vsftpd /run/vsftpd.conf
	;;
esac
