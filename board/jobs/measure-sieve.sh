# SPDX-License-Identifier: Apache-2.0
# What traffic leaves of a CPU: the measured node does fixed work, alone and beside traffic of a constant
# rate, which clients send by iperf3, through a tunnel or a forwarded port, or a file that they fetch slowly.
#
#   SIEVE_WORK      what sieve is told
#   SIEVE_RUNS      yes if this node does the work
#   SIEVE_PORT      the server's port for this client; empty on others
#   SIEVE_RATE      bits a second that each client sends, for SIEVE_SECONDS, or fetches
#   SIEVE_BY        NAME of fetch-NAME.sh, which fetches or forwards; empty where packets go of themselves
#   SIEVE_FILE      bytes of the file to fetch; empty where iperf3 sends
#   SIEVE_OTHERS    orders' ports of those that work or send, but for the client

receiver=$TARGET

prepare_sieve() {
	[ -n "$SIEVE_BY" ] || return 0
	. "./fetch-$SIEVE_BY.sh"
	prepare_fetching
	if [ -z "$SIEVE_FILE" ]; then
		forward_port "$SIEVE_PORT"
		receiver=127.0.0.1
	fi
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
	sieve-traffic) [ -z "$SIEVE_PORT" ] || flow ;;
	*) [ -z "$SIEVE_RUNS" ] || work "$1" ;;
	esac
}

work() {
	# shellcheck disable=SC2086  # words
	probe run "$1" sieve $SIEVE_WORK >"/run/$1"
	probe data "$1" "/run/$1"
}

flow() {
	if [ -z "$SIEVE_FILE" ]; then
		send_messages
		return
	fi
	probe mark sieve-traffic.begin
	fetch_slowly "file-$SIEVE_FILE" "$SIEVE_RATE"
	probe mark sieve-traffic.end
}

# Messages are short, so that the rate is constant.
send_messages() {
	probe run sieve-traffic iperf3 -c "$receiver" -p "$SIEVE_PORT" -l 8192 -b "$SIEVE_RATE" -t "$SIEVE_SECONDS" \
		-i 0.1 -J --get-server-output >/run/sieve-traffic || {
		cat /run/sieve-traffic
		return 1
	}
	probe data sieve-traffic /run/sieve-traffic
}
