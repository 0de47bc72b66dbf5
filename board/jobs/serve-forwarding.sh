# SPDX-License-Identifier: Apache-2.0
# Tells how many frames have come, which nobody takes; and does not tell their sender that nobody does.
#
#   FORWARDING_PORT     who connects to this port is told

echo 1000000000 >/proc/sys/net/ipv4/icmp_ratelimit
nc -ll -p "$FORWARDING_PORT" -e cat /proc/net/snmp &
