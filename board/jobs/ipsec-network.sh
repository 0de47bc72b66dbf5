# SPDX-License-Identifier: Apache-2.0
# What both ways to an ESP tunnel share: the inside addresses.
#
# No crypto module is loaded by name: the kernel asks for them itself, as on any Debian system.  It
# so gets NEON code for AES and GHASH, but not the ARM code for SHA-256: generic SHA-256 is built
# in, and nothing asks for another.

[ -z "$INSIDE_HERE" ] || ip address add "$INSIDE_HERE/32" dev lo
if [ -n "$INSIDE_THERE" ]; then
	ip route add "$INSIDE_THERE/32" via "$TUNNEL_THERE" src "$INSIDE_HERE"
fi
