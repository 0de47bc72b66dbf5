# SPDX-License-Identifier: Apache-2.0
# How the measuring node has all others mark the same instants, a tenth of a millisecond later: they
# connect to it (follow_orders in follow.sh), it sends them names, and hangs up at the end.
#
#   ORDERS_PORTS    a port for each of the others
#   ORDERS_MARK     yes if this node marks these instants, too; empty if it makes its own marks

orders_files=""
calls=""
file=3
for port in $ORDERS_PORTS; do
	mkfifo "/run/orders-$port"
	nc -l -p "$port" <"/run/orders-$port" >"/run/ready-$port" &
	calls="$calls $!"
	eval "exec $file>/run/orders-$port"
	orders_files="$orders_files $file"
	file=$((file + 1))
done

await_others() {
	for port in $ORDERS_PORTS; do
		wait_for "the node that takes orders on port $port" test -s "/run/ready-$port"
	done
}

order() {
	for file in $orders_files; do
		echo "$1" >&"$file"
	done
	[ -z "$ORDERS_MARK" ] || probe mark "$1"
}

# await_deed WORD PORTS: until the nodes that take orders on these ports have done what WORD.go asked of them.
await_deed() {
	for port in $2; do
		wait_for "$1 by the node that takes orders on port $port" grep -qx "$1" "/run/ready-$port"
	done
}

send_home() {
	for file in $orders_files; do
		eval "exec $file>&-"
	done
	# shellcheck disable=SC2086  # a list
	wait $calls
}
