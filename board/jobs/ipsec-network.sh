# SPDX-License-Identifier: Apache-2.0
# What both kinds of ESP tunnel share: the inside addresses.

[ -z "$INSIDE_HERE" ] || ip address add "$INSIDE_HERE/32" dev lo
if [ -n "$INSIDE_THERE" ]; then
	ip route add "$INSIDE_THERE/32" via "$TUNNEL_THERE" src "$INSIDE_HERE"
fi
