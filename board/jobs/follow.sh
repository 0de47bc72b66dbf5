# SPDX-License-Identifier: Apache-2.0
# How a node takes the orders of the one that measures (orders.sh).

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
