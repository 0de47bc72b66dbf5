# SPDX-License-Identifier: Apache-2.0
# The client's part: waits until all other nodes are ready, measures, and dismisses them.
#
#   MEASURED        names of what is measured, a list: NAME's script is measure-NAME.sh, with the functions
#                   prepare_NAME, before the counters of the proof begin, and measure_NAME

ORDERS_MARK=""
. ./orders.sh
for name in $MEASURED; do
	. "./measure-$name.sh"
done

await_others
wait_for "an answer from $TARGET" answers "$TARGET"
# For two seconds after a handshake OpenVPN services its control channel with every packet
# (TLS_MULTI_HORIZON in its forward.c), which is not typical of a tunnel that lasts hours.
sleep 3
for part in $MEASURED; do
	"prepare_$part"
done
proof before
for part in $MEASURED; do
	"measure_$part"
done
proof after
send_home
