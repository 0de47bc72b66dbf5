# SPDX-License-Identifier: Apache-2.0
# Flood pings by size.
#
#   PINGS           a list of SIZE:COUNT: bytes of payload, and how many requests are sent

prepare_ping() {
	:
}

measure_ping() {
	for ping in $PINGS; do
		ping_with "${ping%:*}" "${ping#*:}"
	done
}

# $2 echo requests of $1 bytes, each sent when the previous one is answered; some may be lost.
ping_with() {
	answers "$TARGET"
	start_offset
	order "ping-$1.begin"
	probe run "ping-$1" ping -n -i 0 -c "$2" -s "$1" "$TARGET" >"/run/ping-$1" ||
		[ $? -eq 1 ]
	order "ping-$1.end"
	probe data "ping-$1" "/run/ping-$1"
}
