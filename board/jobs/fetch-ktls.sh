# SPDX-License-Identifier: Apache-2.0
# Files over HTTPS from a server whose kernel encrypts them; for a client that makes no difference.

. ./fetch-https.sh
