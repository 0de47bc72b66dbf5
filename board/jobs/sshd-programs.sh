# SPDX-License-Identifier: Apache-2.0
# The programs that sshd starts, as docs/provider-openssh.md has them.
#
# One process owns a CryptoMaster, with its children.  Of sshd's programs it must be sshd-session, which
# serves a connection after the login, and not sshd, which waits for all of them.  sshd-auth, which
# sshd-session starts in a sandbox for the login, finds the core in use and works in software.  Of public
# keys a session has too little for a core.
#
#   PROVIDER        as in run.sh; if it is empty, programs are started as sshd does by itself

# sshd_programs: prepares them, and leaves sshd's option for them in SSHD_PROGRAMS.
sshd_programs() {
	mkdir -p -m 755 /run/sshd
	SSHD_PROGRAMS=""
	[ -n "$PROVIDER" ] || return 0
	cat >/run/sshd-session <<-end
		#!/bin/sh
		export $PROVIDER FIRESTEEL_PROVIDER_OPERATIONS=ecb,cbc,ctr,gcm,digest,hmac
		exec /usr/lib/openssh/sshd-session "\$@"
	end
	chmod 755 /run/sshd-session
	SSHD_PROGRAMS="-o SshdSessionPath=/run/sshd-session"
}
