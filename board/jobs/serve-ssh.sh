# SPDX-License-Identifier: Apache-2.0
# An SSH server with sandbox and privilege separation as in Debian.
#
#   SSH_OPTIONS             cipher and MAC

. ./sshd-programs.sh

sshd_programs
# shellcheck disable=SC2086  # words
/usr/sbin/sshd -f none -h /job/node.key -o AuthorizedKeysFile=/job/authorized_keys \
	$SSHD_PROGRAMS -o Subsystem="sftp /usr/lib/openssh/sftp-server" \
	$SSH_OPTIONS
