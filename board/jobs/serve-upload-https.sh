# SPDX-License-Identifier: Apache-2.0
# A web server with TLS, which takes files: TLS_SERVER is what serve-https.sh says.

. ./upload.sh
TLS_SERVER="$TLS_SERVER $uploads"
. ./serve-https.sh
