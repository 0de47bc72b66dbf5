# SPDX-License-Identifier: Apache-2.0
# What nodes of every session between hosts use, besides account.sh.

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
