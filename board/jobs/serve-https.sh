# SPDX-License-Identifier: Apache-2.0
# A web server with TLS.
#
#   TLS_SERVER      nginx's directives for version and suite

. ./nginx.sh
# A client that comes back does so with a full handshake: it is no part of what is measured.
# shellcheck disable=SC2086  # words
serve_web "listen 443 ssl; ssl_certificate /job/node.pem; ssl_certificate_key /job/node.key;
	ssl_session_cache off; ssl_session_tickets off; ssl_buffer_size 16k; $TLS_SERVER" env $PROVIDER
