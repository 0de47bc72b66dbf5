# SPDX-License-Identifier: Apache-2.0
# Files by sftp, with a batch of one command for each.

. ./ssh-client.sh

# download FILE TO [COMMAND…]: by a command that runs it, if there is one.
download() {
	echo "get $1 $2" >/run/batch
	shift 2
	"$@" sftp -q -b /run/batch -F none -o ControlPath=/run/ssh "$SSH_USER@$TARGET" >/run/sftp.log
}
