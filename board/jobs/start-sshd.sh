# SPDX-License-Identifier: Apache-2.0
# sshd with the cores as docs/provider-openssh.md has it.
#
# One process owns a CryptoMaster, with its children.  Of sshd's programs it must be sshd-session, which
# serves a connection, and not sshd, which waits for all of them.  sshd-auth, which sshd-session starts in a
# sandbox for the login, has nothing for the cores, and of public keys a session has too little.
#
#   PROVIDER        as in run.sh

# start_sshd OPTION...
start_sshd() {
	mkdir -p -m 755 /run/sshd
	cores=""
	[ -z "$PROVIDER" ] || cores="env $PROVIDER FIRESTEEL_PROVIDER_PROGRAMS=sshd-session
		FIRESTEEL_PROVIDER_OPERATIONS=ecb,cbc,ctr,gcm,digest,hmac"
	# shellcheck disable=SC2086  # words
	$cores /usr/sbin/sshd -f none "$@"
}
