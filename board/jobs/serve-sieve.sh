# SPDX-License-Identifier: Apache-2.0
# A receiver of constant traffic for each client, or a server of the file that they fetch.
#
#   SIEVE_PORTS     the clients' ports
#   SIEVE_BY SIEVE_FILE  as in measure-sieve.sh; with the variables of serve-transfer.sh

[ -z "$SIEVE_BY" ] || . ./serve-transfer.sh
if [ -z "$SIEVE_FILE" ]; then
	for port in $SIEVE_PORTS; do
		iperf3 -s -p "$port" -i 0.1 -J >/dev/null &
	done
fi
