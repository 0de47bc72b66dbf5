# SPDX-License-Identifier: Apache-2.0
# An ESP tunnel that strongSwan negotiates by IKEv2 with certificates.  One charon has all tunnels of the
# node.
#
#   STRONGSWAN      NAME of NAME.conf, which says what charon is made of
# and what ipsec-network.sh and tunnels.sh list.

. ./ipsec-network.sh

mkdir -p /etc/swanctl/x509 /etc/swanctl/x509ca /etc/swanctl/private
cp ca.pem /etc/swanctl/x509ca/
cp node.pem /etc/swanctl/x509/
cp node.key /etc/swanctl/private/
cp swanctl.conf /etc/swanctl/swanctl.conf
cp "$STRONGSWAN.conf" /etc/strongswan.conf
/usr/lib/ipsec/charon >/run/charon.log 2>&1 &
wait_for "charon's control socket" test -S /var/run/charon.vici
swanctl --load-all --noprompt || {
	cat /run/charon.log
	exit 1
}

make_tunnel() {
	ipsec_network
}

tunnel_is_up() {
	answers "$TUNNEL_THERE" && swanctl --initiate --child "tunnel$TUNNEL_NUMBER" --timeout 5
}
