# SPDX-License-Identifier: Apache-2.0
# A web server without TLS.

. ./nginx.sh
serve_web "listen 80;"
