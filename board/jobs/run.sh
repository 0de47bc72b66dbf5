# SPDX-License-Identifier: Apache-2.0
# /job/run: what a node does from its first line to its power-off.
#
# /job/settings comes from the lab (lab/src/firesteel/workloads/traffic.py):
#   PART            client (measures), server (serves files) or none
#   CLIENT          address of the client, from which all others take orders
#   ORDERS_PORT     the client's port for this node's orders; not on the client
#   ORDERS_PORTS    on the client: the ports of all others
#   ACTS            what of MEASURED this node has a part in
#   TARGET          the address that the client measures against
#   WIRE_RATE       bit/s of the node's first link
#   TUNNEL TUNNELS  the tunnels that end at this node, as in tunnels.sh; none and empty without a tunnel
#   MEASURED        what is measured, as in measure.sh, with the variables of each script
#   START_OFFSET    seconds to pause before each measurement
#   DRIVER          the module whose algorithms the kernel is to use, and its parameters; empty for
#                   the kernel's own
#   KERNEL_SOFTWARE as in kernel-software.sh
#   PROVIDER        the environment with which programs use the cores through OpenSSL; empty for
#                   OpenSSL's own software
#   AS_IN_2015      this node's variants of that time: openvpn-buffers, no-neon, no-gro, slow-tun, af-alg,
#                   core-only
# and those of the protocol's own scripts.
set -e
cd /job
. ./settings
. ./account.sh
. ./functions.sh

one_of PART "$PART" client server none
for habit in $AS_IN_2015; do
	one_of AS_IN_2015 "$habit" openvpn-buffers no-neon no-gro slow-tun af-alg core-only
done

case $AS_IN_2015 in
*no-neon*)
	# Modules that are loaded by the algorithms they offer, not by name
	for module in "/lib/modules/$(uname -r)"/kernel/arch/*/crypto/*.ko; do
		module=${module##*/}
		echo "blacklist ${module%.ko}"
	done | tr - _ >/etc/modprobe.d/no-neon.conf
	;;
esac
. ./kernel-software.sh
# shellcheck disable=SC2086  # a module and its parameters
[ -z "$DRIVER" ] || modprobe $DRIVER
sh -e ./network
# Each file is fetched by a connection that knows nothing of the previous one: what TCP learned there
# from losses slowed the next one down by up to a seventh.
echo 1 >/proc/sys/net/ipv4/tcp_no_metrics_save
case $AS_IN_2015 in
*no-gro*)
	# A merged packet would be longer than one byte.
	for device in /sys/class/net/eth*; do
		ip link set dev "${device##*/}" gro_max_size 1 gro_ipv4_max_size 1
	done
	;;
esac
[ -z "$TUNNELS" ] || . ./tunnels.sh
check_fastest
case $PART in
client) . ./measure.sh ;;
server)
	. ./follow.sh
	for part in $MEASURED; do
		[ ! -e "serve-$part.sh" ] || . "./serve-$part.sh"
	done
	follow_orders
	;;
none)
	. ./follow.sh
	follow_orders
	;;
esac
