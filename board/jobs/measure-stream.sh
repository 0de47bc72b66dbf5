# SPDX-License-Identifier: Apache-2.0
# Streams of messages, as fast as they go: by iperf3, from all clients at once.
#
#   STREAMS         of which protocol and size, a list: tcp-64
#   STREAM_SECONDS  for how long a stream flows
#   STREAM_WARM_UP  for how long it does before it is measured
#   STREAM_MEASURED for how long it is
#   STREAM_WAY      iperf3's option of the direction
#   STREAM_PORT     the server's port for this client's first stream; each has the next one
#   STREAM_OTHERS   orders' ports of all other clients

# All nodes have marked the order to begin before the stream keeps them busy.
go_taken=0.05

prepare_stream() {
	:
}

measure_stream() {
	for stream in $STREAMS; do
		window=stream-$stream
		start_offset
		order "$window.go"
		act_stream "$window" &
		sending=$!
		sleep $go_taken
		sleep "$STREAM_WARM_UP"
		order "$window.begin"
		probe run "$window" sleep "$STREAM_MEASURED"
		order "$window.end"
		wait $sending
		await_deed "$window" "$STREAM_OTHERS"
	done
}

# A client's part.
act_stream() {
	case $1 in
	*-udp-*) udp="-u -b 0" ;;
	*) udp="" ;;
	esac
	port=$STREAM_PORT
	for each in $STREAMS; do
		[ "stream-$each" != "$1" ] || break
		port=$((port + 1))
	done
	sleep $go_taken
	# shellcheck disable=SC2086  # options
	iperf3 -c "$TARGET" -p "$port" -l "${1##*-}" -t "$STREAM_SECONDS" -i 0.1 $udp $STREAM_WAY \
		-J --get-server-output >"/run/$1" || {
		cat "/run/$1"
		return 1
	}
	probe data "$1" "/run/$1"
}
