# SPDX-License-Identifier: Apache-2.0
# An SSH server with sandbox and privilege separation as in Debian.
#
# One process owns a CryptoMaster, with its children.  Of sshd's programs it must be sshd-session, which
# serves a connection after the login, and not sshd, which waits for all of them.  sshd-auth, which it
# starts in a sandbox for the login, finds the core in use and works in software.
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
