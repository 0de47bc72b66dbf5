# SPDX-License-Identifier: Apache-2.0
# What both ways to an ESP tunnel share: the algorithms' fastest code, and the inside address.
#
# The kernel prefers NEON code for AES and ARM code for SHA-256, but finds the latter only when it
# is loaded: generic SHA-256 is built in, so nothing asks for another.

modprobe -a aes-arm-bs sha256-arm ghash-arm-ce xfrm_user esp4
[ -z "$INSIDE_HERE" ] || ip address add "$INSIDE_HERE/32" dev lo
if [ -n "$INSIDE_THERE" ]; then
	ip route add "$INSIDE_THERE/32" via "$TUNNEL_THERE" src "$INSIDE_HERE"
fi
