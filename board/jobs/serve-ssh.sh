# SPDX-License-Identifier: Apache-2.0
# An SSH server, with its sandbox and its processes of different rights as Debian has them.
#
# A CryptoMaster has one owner, and its children.  Which of sshd's programs that is must be told: the
# one that serves a connection after the login, sshd-session, and not sshd, which waits for all of them.
# What it starts for the login, sshd-auth in its sandbox, finds the core taken and is in software.
#
#   SSH_OPTIONS             cipher and MAC

mkdir -p -m 755 /run/sshd
cat >/run/sshd-session <<-end
	#!/bin/sh
	exec env $PROVIDER /usr/lib/openssh/sshd-session "\$@"
end
chmod 755 /run/sshd-session
# shellcheck disable=SC2086  # words
/usr/sbin/sshd -f none -h /job/node.key -o AuthorizedKeysFile=/job/authorized_keys \
	-o SshdSessionPath=/run/sshd-session -o Subsystem="sftp /usr/lib/openssh/sftp-server" \
	$SSH_OPTIONS
