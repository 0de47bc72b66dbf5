# SPDX-License-Identifier: Apache-2.0
# What several job scripts use, besides account.sh.

# one_of NAME VALUE ALLOWED…: fails for any other value.  Nothing is done by default.
one_of() {
	name=$1
	value=$2
	shift 2
	for allowed; do
		[ "$value" != "$allowed" ] || return 0
	done
	echo "$name is \`$value'; allowed are: $*"
	return 1
}

# wait_for WHAT COMMAND…: tries the command every 50 ms until it succeeds, 400 times at most.
wait_for() {
	what=$1
	shift
	tries=400
	until "$@"; do
		tries=$((tries - 1))
		if [ $tries -eq 0 ]; then
			echo "timed out waiting for $what: $*"
			return 1
		fi
		sleep 0.05
	done
}

# answers ADDRESS: whether one ping is answered within a second.
answers() {
	ping -n -c 1 -W 1 "$1" >/dev/null 2>&1
}

# Pauses before a measurement, for a time that the cell's seed determines.
start_offset() {
	[ "$START_OFFSET" = 0 ] || sleep "$START_OFFSET"
}

# Tunnels through user space need /dev/net/tun.
load_tun() {
	modprobe tun
	mkdir -p /dev/net
	[ -e /dev/net/tun ] || mknod /dev/net/tun c 10 200
}

# device_counters [DEVICE]: the section of a tunnel that is a device; what counts is tunnel 0.
device_counters() {
	echo "[tun]"
	(cd "/sys/class/net/${1:-tun0}/statistics" && grep . rx_bytes rx_packets tx_bytes tx_packets)
}

# What the node's tunnels carried, as sections of the proof; the scripts of tunnels have it.
tunnel_counters() {
	:
}

# proof before|after: marks the instant and sends the counters that show the path of the packets.
proof() {
	probe mark "proof.$1"
	{
		tunnel_counters
		echo "[queues]"
		tc -s qdisc show
		echo "[snmp]"
		grep -E "^(Udp|Tcp):" /proc/net/snmp
	} >"/run/proof.$1"
	probe data "proof.$1" "/run/proof.$1"
	account "$1"
}

# Runs on every node but the client: reports that the node is ready, and makes the marks that the
# client orders, until the client hangs up.  Nothing is polled: the call waits in the kernel.
follow_orders() {
	mkfifo /run/answers /run/orders
	exec 4<>/run/answers
	echo ready >&4
	proof before
	if [ -n "$ACTS" ]; then
		mkfifo /run/deeds
		obey </run/deeds &
		deeds=$!
		tee /run/deeds </run/orders | probe follow &
	else
		probe follow </run/orders &
	fi
	follower=$!
	exec 5>/run/orders
	wait_for "the client at $CLIENT" call_client
	exec 5>&-
	wait $follower
	[ -z "$ACTS" ] || wait $deeds
	proof after
}

# Does what the orders WORD.go ask of this node, one after the other, and tells the client.  ACTS are the
# first parts of the words that are for it: those of NAME are in measure-NAME.sh, which has act_NAME.
obey() {
	for name in $ACTS; do
		. "./measure-$name.sh"
	done
	while read -r order; do
		word=${order%.go}
		case " $ACTS " in
		*" ${word%%-*} "*)
			[ "$word" != "$order" ] || continue
			"act_${word%%-*}" "$word"
			echo "$word" >&4
			;;
		esac
	done
}

# Ends when the client hangs up; fails when it does not answer within 2 s.  TCP retries after 1 s and
# after 3 s; giving up just as the client answers would use up the only connection that it accepts.
call_client() {
	nc -w 2 "$CLIENT" "$ORDERS_PORT" <&4 >&5 2>/dev/null
}

# Whether the sample $1 is what the server has, by its sum $2.
is_sample() {
	[ "$(sha256sum <"$1")" = "$(cat "$2")" ]
}
