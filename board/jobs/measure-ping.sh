# SPDX-License-Identifier: Apache-2.0
# Flood pings by size.
#
#   PING_SIZES      bytes of payload, a list; PING_COUNT requests are sent of each

prepare_ping() {
	:
}

measure_ping() {
	for size in $PING_SIZES; do
		ping_with "$size"
	done
}

# Echo requests of $1 bytes, each sent when the previous one is answered; some may be lost.
ping_with() {
	answers "$TARGET"
	start_offset
	order "ping-$1.begin"
	probe run "ping-$1" ping -n -i 0 -c "$PING_COUNT" -s "$1" "$TARGET" >"/run/ping-$1" ||
		[ $? -eq 1 ]
	order "ping-$1.end"
	probe data "ping-$1" "/run/ping-$1"
}
