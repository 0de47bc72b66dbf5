# SPDX-License-Identifier: Apache-2.0
# Clients that make a tunnel to the server, again and again, each one of its own.  The script of a program has two
# functions of theirs: start_clients, before the first one; and make_tunnel KIND NUMBER, which makes the tunnel of a
# client, prints a line about it, and fails if it does not work.

. ./s_time.sh

# Tunnels that the lone client makes before it is measured: in the meantime a server with cores tries them.
BEFORE=12

# connect KIND NUMBER: one that is told to end does so after the tunnel that is under way.
connect() {
	ends=""
	trap "ends=yes" TERM
	while [ -z "$ends" ]; do
		make_tunnel "$1" "$2" >>"/run/$1-$2"
	done
}

# connections KIND PART: marks the instant, and tells how many tunnels there have been.
connections() {
	probe mark "$1-all.part$2"
	cat "/run/$1"-* | wc -l
}

started=""

measure_one() {
	[ -n "$started" ] || start_clients
	started=yes
	for number in $(seq $BEFORE); do
		make_tunnel "$1" 1 >/dev/null
	done
	order "$1-one.begin"
	for number in $(seq "$HANDSHAKES"); do
		make_tunnel "$1" 1 >>"/run/$1-0"
	done
	order "$1-one.end"
	probe data "$1-one" "/run/$1-0"
	rm "/run/$1-0"
}
