# SPDX-License-Identifier: Apache-2.0
# A server for each stream of each client: between two streams one server closes its port for a moment, and
# a client that comes then is refused.
#
#   STREAM_PORTS    their ports

for port in $STREAM_PORTS; do
	iperf3 -s -1 -p "$port" -i 0.1 -J >/dev/null &
done
