# SPDX-License-Identifier: Apache-2.0
# The programs that sshd starts, as docs/provider-openssh.md has them.
#
# One process owns a CryptoMaster, with its children.  Of sshd's programs it must be sshd-session, which
# serves a connection after the login, and not sshd, which waits for all of them.  sshd-auth, which
# sshd-session starts in a sandbox for the login, has nothing for the cores.
#
#   PROVIDER        as in run.sh; if it is empty, programs are started as sshd does by itself

# sshd_programs: prepares them, and leaves sshd's options for them in SSHD_PROGRAMS.
sshd_programs() {
	mkdir -p -m 755 /run/sshd
	SSHD_PROGRAMS=""
	[ -n "$PROVIDER" ] || return 0
	cat >/run/sshd-session <<-end
		#!/bin/sh
		export $PROVIDER
		exec /usr/lib/openssh/sshd-session "\$@"
	end
	cat >/run/sshd-auth <<-end
		#!/bin/sh
		unset OPENSSL_CONF
		exec /usr/lib/openssh/sshd-auth "\$@"
	end
	chmod 755 /run/sshd-session /run/sshd-auth
	SSHD_PROGRAMS="-o SshdSessionPath=/run/sshd-session -o SshdAuthPath=/run/sshd-auth"
}
