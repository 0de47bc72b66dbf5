# SPDX-License-Identifier: Apache-2.0
# Files by scp, which speaks the protocol of SFTP.

. ./ssh-client.sh

# download FILE TO [COMMAND…]: by a command that runs it, if there is one.
download() {
	file=$1
	to=$2
	shift 2
	"$@" scp -q -F none -o ControlPath=/run/ssh "$SSH_USER@$TARGET:$file" "$to"
}
