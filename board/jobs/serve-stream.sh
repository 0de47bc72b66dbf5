# SPDX-License-Identifier: Apache-2.0
# A server of streams for each client.
#
#   STREAM_PORTS    their ports

for port in $STREAM_PORTS; do
	iperf3 -s -p "$port" -i 0.1 -J >/dev/null &
done
