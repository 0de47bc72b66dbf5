# SPDX-License-Identifier: Apache-2.0
# A receiver of constant traffic for each client.
#
#   SIEVE_PORTS     their ports

for port in $SIEVE_PORTS; do
	iperf3 -s -p "$port" -i 0.1 -J >/dev/null &
done
