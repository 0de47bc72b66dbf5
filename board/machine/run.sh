# SPDX-License-Identifier: Apache-2.0
# Runs a job on a real machine as if it were alone there, and leaves the machine as it was.
#
#	run.sh BYTES SECONDS INTERFACE…
#
# For root, in a mount namespace of its own; `mount -n`, as /run is still the machine's.  Standard input has
# BYTES of a tar archive with the job's files, the init and the probe, and then a sign of life now and then:
# the job ends when there is none for so many SECONDS.  Standard output has the probe's log in the end,
# standard error what the job said.
#
# The job has an overlay over each file system, the INTERFACEs as eth0, eth1 …, and processes, network
# and host name of its own.  What it writes is in memory, and goes with this namespace.
set -eu
bytes=$1
patience=$2
shift 2
interfaces=$*
exec 3<&0 </dev/null

die() {
	echo "run.sh: $*" >&2
	exit 1
}

# Its own tree may be read-only, or that of several machines.
lock=/run
[ -d "$lock" ] || lock=/
exec 9<"$lock"
flock -w 60 9 || die "another measurement has this machine"

loaded=$(cut -d " " -f 1 /proc/modules 2>/dev/null || true)
mount -n -t tmpfs -o mode=755 firesteel /tmp
mkdir /tmp/root /tmp/go
count=0

# overlay DIRECTORY: whatever is written there is gone afterwards; where that cannot be, nothing is written.
overlay() {
	count=$((count + 1))
	mkdir "/tmp/upper$count" "/tmp/work$count"
	[ -d "$1" ] && mount -n -t overlay -o "lowerdir=$1,upperdir=/tmp/upper$count,workdir=/tmp/work$count" \
		firesteel "/tmp/root$1" 2>/dev/null || {
		mount -n --bind "$1" "/tmp/root$1" && mount -n -o remount,bind,ro "/tmp/root$1"
	}
}

places=$(cut -d " " -f 5 /proc/self/mountinfo)
overlay /
for place in $places; do
	case $place in
	/ | /proc | /proc/* | /sys | /sys/* | /dev | /dev/* | /run | /run/* | /tmp | /tmp/*) ;;
	*) overlay "$place" ;;
	esac
done
mount -n --rbind /dev /tmp/root/dev
mount -n -t tmpfs -o mode=755 firesteel /tmp/root/run
mount -n -t tmpfs -o mode=1777 firesteel /tmp/root/tmp
head -c "$bytes" <&3 | tar -xf - -C /tmp/root || die "the job's files cannot be unpacked"
probe=/tmp/root/usr/bin/probe

# there COMMAND…: in the job's network.
there() {
	nsenter --net=/proc/self/fd/8 "$@"
}

# What each interface was: its name, state and MTU.
was=
# shellcheck disable=SC2086
set -- $interfaces
for interface; do
	[ -e "/sys/class/net/$interface" ] || die "there is no interface $interface"
	up=down
	[ $(($(cat "/sys/class/net/$interface/flags") & 1)) = 0 ] || up=up
	was="$was $interface:$up:$(cat "/sys/class/net/$interface/mtu")"
done

# Whatever names they have by now, or if they were never moved: what does not apply fails, and says nothing.
give_back() {
	number=0
	for each in $was; do
		there ip link set dev "eth$number" down
		there ip link set dev "eth$number" name "firesteel$number"
		number=$((number + 1))
	done
	number=0
	for each in $was; do
		name=${each%%:*}
		state=${each#*:}
		there ip link set dev "firesteel$number" name "$name"
		there ip link set dev "$name" netns $$
		ip link set dev "$name" mtu "${state#*:}" "${state%:*}"
		number=$((number + 1))
	done
} 2>/dev/null

# is_new MODULE: whether it was loaded meanwhile.
is_new() {
	case "
$loaded
" in
	*"
$1
"*) return 1 ;;
	esac
}

# Some need others; and a network that was just given up may hold the cores' driver for some seconds, with
# which the next job in software would have the cores.
unload() {
	for round in 1 2 3 4 5 6 7 8 9 10 11 12; do
		for module in $(cut -d " " -f 1 /proc/modules); do
			! is_new "$module" || rmmod "$module"
		done
		[ $round -lt 3 ] || [ -e /sys/module/firesteel ] || return 0
		[ $round -lt 3 ] || sleep 0.5
	done
} 2>/dev/null

job=
watcher=
finish() {
	set +e
	trap "" HUP INT TERM PIPE
	[ -z "$watcher" ] || kill "$watcher" 2>/dev/null
	[ -z "$job" ] || kill -KILL "$job" 2>/dev/null
	[ -z "$job" ] || wait "$job" 2>/dev/null
	give_back
	exec 8<&-
	[ ! -e /tmp/root/run/firesteel.jsonl ] || cat /tmp/root/run/firesteel.jsonl
	umount -n -R -l /tmp/root 2>/dev/null
	unload
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

unshare --net --uts --ipc --pid --fork --kill-child sh -c '
	echo >/tmp/go/ready
	while [ ! -e /tmp/go/now ]; do sleep 0.05; done
	exec chroot /tmp/root /bin/sh /run/init
' 9<&- 3<&- >&2 &
job=$!
while [ ! -e /tmp/go/ready ]; do
	kill -0 "$job" 2>/dev/null || die "this kernel makes no namespaces"
	sleep 0.05
done
exec 8<"/proc/$job/ns/net"
number=0
for interface; do
	ip link set dev "$interface" down
	ip link set dev "$interface" netns "$job"
	there ip link set dev "$interface" name "firesteel$number"
	number=$((number + 1))
done
while [ $number -gt 0 ]; do
	number=$((number - 1))
	there ip link set dev "firesteel$number" name "eth$number"
done
# It must not hold what the connection waits for.
"$probe" watch "$patience" "$job" <&3 >/dev/null 2>&1 3<&- 8<&- 9<&- &
watcher=$!
: >/tmp/go/now
wait "$job" || die "the job was stopped"
job=
