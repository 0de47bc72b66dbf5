# SPDX-License-Identifier: Apache-2.0
# Files over HTTP, without TLS.

site=http://$TARGET
client="curl -f"
. ./curl.sh
