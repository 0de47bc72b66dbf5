# SPDX-License-Identifier: Apache-2.0
# Files over HTTPS.
#
#   SERVER_NAME     as its certificate has it
#   TLS_CLIENT      curl's options for TLS

site=https://$SERVER_NAME
client="env $PROVIDER curl -f --resolve $SERVER_NAME:443:$TARGET --cacert ca.pem $TLS_CLIENT"
. ./curl.sh
