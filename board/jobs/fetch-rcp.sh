# SPDX-License-Identifier: Apache-2.0
# Files by scp as it was before OpenSSH 9.0: by the protocol of rcp.

. ./ssh-client.sh

# download FILE TO [COMMAND…]: by a command that runs it, if there is one.
download() {
	file=$1
	to=$2
	shift 2
	"$@" scp -O -q -F none -o ControlPath=/run/ssh "$SSH_USER@$TARGET:$file" "$to"
}
