# SPDX-License-Identifier: Apache-2.0
# An ESP tunnel that strongSwan negotiates by IKEv2 with certificates.
#
#   TUNNEL_ROLE             client (starts the negotiation) or server
#   TUNNEL_HERE TUNNEL_THERE    addresses of the two ends on the wire
#   INSIDE_HERE INSIDE_THERE    addresses of the two ends in the tunnel; empty between gateways

one_of TUNNEL_ROLE "$TUNNEL_ROLE" client server
. ./ipsec-network.sh

mkdir -p /etc/swanctl/x509 /etc/swanctl/x509ca /etc/swanctl/private
cp ca.pem /etc/swanctl/x509ca/
cp node.pem /etc/swanctl/x509/
cp node.key /etc/swanctl/private/
cp swanctl.conf /etc/swanctl/swanctl.conf
cp strongswan.conf /etc/strongswan.conf
/usr/lib/ipsec/charon >/run/charon.log 2>&1 &
wait_for "charon's control socket" test -S /var/run/charon.vici

ike_failed() {
	cat /run/charon.log
	exit 1
}
swanctl --load-all --noprompt || ike_failed
if [ "$TUNNEL_ROLE" = client ]; then
	wait_for "$TUNNEL_THERE" answers "$TUNNEL_THERE"
	wait_for "the tunnel" swanctl --initiate --child tunnel --timeout 10 || ike_failed
fi
