# SPDX-License-Identifier: Apache-2.0
# An SSH server with sandbox and privilege separation as in Debian.
#
#   SSH_OPTIONS             cipher and MAC

. ./start-sshd.sh

# shellcheck disable=SC2086  # words
start_sshd -h /job/node.key -o AuthorizedKeysFile=/job/authorized_keys \
	-o Subsystem="sftp /usr/lib/openssh/sftp-server" $SSH_OPTIONS
