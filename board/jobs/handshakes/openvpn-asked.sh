# SPDX-License-Identifier: Apache-2.0
# As openvpn-today.sh, with a group that clients do not offer by themselves: they offer it alone.

. ./openvpn-today.sh

TLS="$TLS --tls-groups $GROUP"
