# SPDX-License-Identifier: Apache-2.0
# Clients of a web server under TLS 1.3, which connect again and again, without a session to resume:
# `openssl s_time`.
#
#   CLIENT_GROUPS   groups that clients offer; if it is empty, those that OpenSSL has by itself

FIRST_PORT=4430

# connect KIND NUMBER SECONDS: in place of the shell, so that to end it is to end the client.
connect() {
	chosen=""
	if [ -n "$CLIENT_GROUPS" ]; then
		# s_time has no option for groups.
		openssl_configuration "Groups = $CLIENT_GROUPS" >"/run/clients-$2.cnf"
		chosen="OPENSSL_CONF=/run/clients-$2.cnf"
	fi
	# shellcheck disable=SC2086  # words
	exec env $PROVIDER $chosen openssl s_time -connect "$TARGET:$(port_of "$1")" -new -tls1_3 \
		-ciphersuites TLS_AES_256_GCM_SHA384 -time "$3" \
		>"/run/$1-$2" 2>&1
}

# connections KIND PART: marks the instant, and tells how many connections this node has begun, all of
# them to the server.
connections() {
	probe mark "$1-all.part$2"
	awk '/^Tcp:/ && $6 + 0 { print $6 }' /proc/net/snmp
}

measure_one() {
	order "$1-one.begin"
	(connect "$1" 0 "$SECONDS_ALL")
	order "$1-one.end"
	probe data "$1-one" "/run/$1-0"
	rm "/run/$1-0"
}

# What clients do as they begin and end is not measured: their number is counted in between, in PARTS
# parts.
measure_all() {
	number=0
	running=""
	while [ $number -lt "$CLIENTS" ]; do
		number=$((number + 1))
		connect "$1" $number $((SECONDS_ALL + 60)) &
		running="$running $!"
	done
	sleep 1
	order "$1-all.begin"
	part=0
	connections "$1" $part >/run/connections
	while [ $part -lt "$PARTS" ]; do
		part=$((part + 1))
		sleep "$PART_SECONDS"
		connections "$1" $part >>/run/connections
	done
	order "$1-all.end"
	for process in $running; do
		# One that ends before it is told to has failed.
		kill "$process" || {
			cat "/run/$1"-*
			return 1
		}
	done
	for process in $running; do
		wait "$process" || true
	done
	rm "/run/$1"-*
	probe data "$1-all" /run/connections
}
