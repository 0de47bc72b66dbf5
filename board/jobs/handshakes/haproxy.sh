# SPDX-License-Identifier: Apache-2.0
# HAProxy under TLS 1.3, which answers by itself; its clients are those of s_time.sh.  With the
# provider its handshakes are asynchronous: while a core works for one, others go on.
#
#   GROUP           of the key exchange

. ./s_time.sh

serve() {
	{
		echo "global"
		echo "nbthread 1"
		echo "maxconn 1000"
		echo "tune.ssl.cachesize 0"
		echo "ssl-default-bind-options ssl-min-ver TLSv1.3 no-tls-tickets"
		echo "ssl-default-bind-curves $GROUP"
		[ -z "$PROVIDER" ] || echo "ssl-mode-async"
		echo "defaults"
		echo "mode http"
		echo "timeout client 60s"
		for kind in $KEYS; do
			cat "/job/$kind/node.pem" "/job/$kind/node.key" >"/run/$kind.pem"
			echo "frontend $kind"
			echo "bind :$(port_of "$kind") ssl crt /run/$kind.pem"
			echo "http-request return status 204"
		done
	} >/run/haproxy.cfg
	# shellcheck disable=SC2086  # words
	env $PROVIDER haproxy -D -f /run/haproxy.cfg
}
