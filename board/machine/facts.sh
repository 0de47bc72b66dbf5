# SPDX-License-Identifier: Apache-2.0
# What a machine is, a line each: a word, and what it says.
#
#	facts.sh [PROGRAM…] [interface:NAME…]
#
# `lacks` is what it has not and a measurement needs.
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
[ "$(id -u)" = 0 ] || echo "lacks root: log in as root"
for need in unshare nsenter mount umount flock chroot tar head cut ip "$@"; do
	case $need in interface:*) continue ;; esac
	command -v "$need" >/dev/null || echo "lacks the program $need"
done
grep -qw overlay /proc/filesystems || modprobe -n -q overlay 2>/dev/null || echo "lacks overlayfs in its kernel"
for name in net pid mnt uts ipc; do
	[ -e "/proc/self/ns/$name" ] || echo "lacks namespaces ($name) in its kernel"
done
for need; do
	name=${need#interface:}
	[ "$name" != "$need" ] || continue
	if [ ! -e "/sys/class/net/$name" ]; then
		echo "lacks the interface $name"
	elif [ -e "/sys/class/net/$name/master" ]; then
		echo "lacks a free interface: $name belongs to a bridge or bond"
	elif ip -o address show dev "$name" scope global | grep -q .; then
		echo "lacks a free interface: $name has an address, so it is in use"
	else
		speed=$(cat "/sys/class/net/$name/speed" 2>/dev/null)
		if [ "${speed:-0}" -gt 0 ]; then
			echo "speed $speed"
		else
			echo "lacks a link at $name: connect it, and \`ip link set $name up\`"
		fi
	fi
done
[ ! -e /sys/module/firesteel ] || echo "firesteel loaded"
modinfo firesteel >/dev/null 2>&1 && echo "firesteel installed"
echo "machine $(uname -m)"
echo "uname $(uname -srv)"
echo "cpus $(grep -c ^processor /proc/cpuinfo)"
model=$(sed -n 's/^\(model name\|Hardware\|cpu model\|uarch\)[[:space:]]*:[[:space:]]*//p' /proc/cpuinfo | head -n 1)
part=$(sed -n 's/^CPU part[[:space:]]*:[[:space:]]*//p' /proc/cpuinfo | head -n 1)
tree=$(tr -d '\0' 2>/dev/null </proc/device-tree/model)
echo "model ${model:-${tree:-$(uname -m)}${part:+ (CPU part $part)}}"
echo "khz $(cat /sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq 2>/dev/null || echo 0)"
echo "memory $(sed -n 's/^MemTotal: *\([0-9]*\) kB$/\1/p' /proc/meminfo)"
openssl version 2>/dev/null | sed -n 's/^OpenSSL \([^ ]*\).*/package openssl \1/p'
dpkg-query --show --showformat='package ${Package} ${Version}\n' libssl3 libssl3t64 openvpn strongswan-charon nginx \
	wireguard-tools openssh-server iperf3 curl 2>/dev/null | grep -v ' $'
true
