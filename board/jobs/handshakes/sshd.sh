# SPDX-License-Identifier: Apache-2.0
# An SSH server, and clients that log in again and again with a key, and leave at once.  The key exchange is that
# which OpenSSH has by itself.

. ./s_time.sh
. ./start-sshd.sh

OPTIONS="-F none -o IdentitiesOnly=yes -o UserKnownHostsFile=/dev/null -o StrictHostKeyChecking=no -o LogLevel=ERROR"

serve() {
	for kind in $KEYS; do
		start_sshd -p "$(port_of "$kind")" -h "/job/$kind/node.key" \
			-o PidFile=none -o AuthorizedKeysFile=/job/authorized_keys \
			-o Ciphers=aes256-gcm@openssh.com -o MaxStartups=100 -o PerSourcePenalties=no
	done
}

# connect KIND NUMBER SECONDS: one that is told to end does so after the login that is under way.
connect() {
	trap "exit 0" TERM
	begun=$(now)
	count=0
	: >"/run/$1-$2"
	while [ $(($(now) - begun)) -lt $(($3 * 100)) ]; do
		# shellcheck disable=SC2086  # words
		ssh $OPTIONS -i "/job/$1/node.key" -p "$(port_of "$1")" "$TARGET" : </dev/null
		count=$((count + 1))
	done
	echo "$count connections in $3 real seconds" >"/run/$1-$2"
}
