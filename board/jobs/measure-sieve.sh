# SPDX-License-Identifier: Apache-2.0
# What traffic leaves of a CPU: the measured node does fixed work, alone and beside traffic of a constant
# rate, which clients send by iperf3.
#
#   SIEVE_WORK      what sieve is told
#   SIEVE_RUNS      yes if this node does the work
#   SIEVE_PORT      the server's port for this client; empty on others
#   SIEVE_RATE      bits a second that each client sends, for SIEVE_SECONDS
#   SIEVE_OTHERS    orders' ports of those that work or send, but for the client

prepare_sieve() {
	:
}

measure_sieve() {
	start_offset
	for_all sieve-idle
	order sieve-traffic.go
	act_sieve sieve-traffic &
	traffic=$!
	# TCP finds its rate before.
	sleep 0.5
	for_all sieve-beside
	wait $traffic
	await_deed sieve-traffic "$SIEVE_OTHERS"
}

for_all() {
	order "$1.go"
	act_sieve "$1"
	await_deed "$1" "$SIEVE_OTHERS"
}

act_sieve() {
	case $1 in
	sieve-traffic) [ -z "$SIEVE_PORT" ] || send_traffic ;;
	*) [ -z "$SIEVE_RUNS" ] || work "$1" ;;
	esac
}

work() {
	# shellcheck disable=SC2086  # words
	probe run "$1" sieve $SIEVE_WORK >"/run/$1"
	probe data "$1" "/run/$1"
}

# Messages are short, so that the rate is constant.
send_traffic() {
	probe run sieve-traffic iperf3 -c "$TARGET" -p "$SIEVE_PORT" -l 8192 -b "$SIEVE_RATE" -t "$SIEVE_SECONDS" \
		-i 0.1 -J --get-server-output >/run/sieve-traffic || {
		cat /run/sieve-traffic
		return 1
	}
	probe data sieve-traffic /run/sieve-traffic
}
