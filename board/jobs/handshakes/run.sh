# SPDX-License-Identifier: Apache-2.0
# /job/run of cells that measure handshakes of TLS: the measured node serves, the other has clients.
#
# /job/settings comes from the lab (lab/src/firesteel/workloads/handshakes.py):
#   PART            client or server
#   PROGRAM         NAME of NAME.sh, which serves and has clients
#   KEYS            kinds of keys, each with a server of its own; files of each in /job/KEY/
#   CLIENTS         how many clients there are at once
#   HANDSHAKES      how many handshakes of a lone client are measured
#   SECONDS_ALL     for how long all clients are measured, at the least
#   WARM_UP         how many handshakes of each client, after its first one, come before
#   WARM_UP_SECONDS   or after how many seconds it is enough, but for one handshake
#   PARTS, PART_SECONDS   in how many parts of that length the connections of s_time.sh are counted
#   TARGET          the server's address
#   what the program's script lists
#   CLIENT, ORDERS_PORT, ORDERS_PORTS, START_OFFSET, DRIVER, PROVIDER   as in board/jobs/run.sh
set -e
cd /job
. ./settings
. ./account.sh
. ./functions.sh

one_of PART "$PART" client server

# The server's port for a kind of keys.
port_of() {
	port=$FIRST_PORT
	for key in $KEYS; do
		[ "$key" != "$1" ] || break
		port=$((port + 1))
	done
	echo "$port"
}

# Hundredths of a second since the boot.
now() {
	read -r uptime idle </proc/uptime
	echo "${uptime%.*}${uptime#*.}"
}

# openssl_configuration SETTING: OpenSSL's configuration, with the provider if there is one, and a setting for all
# connections.
openssl_configuration() {
	if [ -n "$PROVIDER" ]; then
		cat openssl.cnf
	else
		echo "openssl_conf = openssl_init"
	fi
	cat <<-END
		[openssl_init]
		ssl_conf = ssl_section
		[ssl_section]
		system_default = every_connection
		[every_connection]
		$1
	END
}

[ -e "./$PROGRAM.sh" ] || {
	echo "PROGRAM is \`$PROGRAM'; there is no script of that name"
	exit 1
}
. "./$PROGRAM.sh"

# shellcheck disable=SC2086  # a module and its parameters
[ -z "$DRIVER" ] || modprobe $DRIVER
sh -e ./network
case $PART in
server)
	. ./follow.sh
	serve
	follow_orders
	;;
client)
	ORDERS_MARK=yes
	. ./orders.sh
	await_others
	wait_for "an answer from $TARGET" answers "$TARGET"
	proof before
	for kind in $KEYS; do
		start_offset
		measure_one "$kind"
		start_offset
		measure_all "$kind"
	done
	proof after
	send_home
	;;
esac
