#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The command that says whether a program uses the cores, with the example configuration.
#
#   check.sh DIRECTORY        (with firesteel-provider and firesteel.so)
set -u
directory=$1
command=$directory/firesteel-provider
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir files
export TMPDIR="$work/files"
export OPENSSL_MODULES="$directory" OPENSSL_CONF="$here/../configurations/firesteel.cnf"
export FIRESTEEL_DEVICE=model:hash=on FIRESTEEL_PROVIDER_THRESHOLDS=all=16
head -c 100000 /dev/zero >sent

fail() {
    echo "check.sh: $*; it says:" >&2
    cat said >&2
    exit 1
}

# Runs the command; it must end so, and say something that fits each pattern
expect() { # STATUS PATTERN... -- ARGUMENT...
    wanted=$1
    shift
    : >patterns
    while [ "$1" != -- ]; do
        printf '%s\n' "$1" >>patterns
        shift
    done
    shift
    "$command" "$@" >out 2>said
    found=$?
    [ $found = "$wanted" ] || fail "$*: ends with $found instead of $wanted"
    while read -r pattern; do
        grep -q -e "$pattern" said || fail "$*: nothing fits $pattern"
    done <patterns
    [ -z "$(ls files)" ] || fail "$*: leaves files"
}

# What was done, by one process and by many
expect 0 '^firesteel-provider: 1 process loaded the provider; device: model$' \
    '^digest  *[1-9][0-9]*  *9[0-9]*  *0$' -- check openssl dgst -sha256 sent
grep -q '^SHA2-256(sent)= ' out || fail "the program's output is not its own"
openssl genrsa -out key 2048 2>/dev/null
cat >several <<'END'
openssl enc -aes-256-cbc -K 00 -iv 00 -in sent -out /dev/null 2>/dev/null &
openssl dgst -sha512 -sign key -out /dev/null sent
wait
exit 3
END
expect 3 '2 processes loaded' '^cbc ' '^rsa  *1 ' -- check sh several

# What was not, and why
expect 0 '^rsa  *0  *0  *1  1 not done by the core$' -- check -- \
    openssl dgst -sha1 -sign key -sigopt rsa_padding_mode:x931 -out /dev/null sent
FIRESTEEL_PROVIDER_THRESHOLDS=all=100000000 expect 0 '^digest  *0  *0  .* too small' -- \
    check openssl dgst -sha256 sent
FIRESTEEL_DEVICE=model:hash=on,faults=dma-error:rate=1 expect 0 'the core failed: ' -- \
    check openssl dgst -sha256 sent
FIRESTEEL_DEVICE=uio:none expect 0 'device: none$' 'serves nothing to a process: device: ' -- \
    check openssl dgst -sha256 sent
FIRESTEEL_PROVIDER_OPERATIONS=gcm expect 0 'asked for nothing: openssl' 'switched off: .*digest' -- \
    check openssl dgst -sha256 sent

# Whose provider it was not
expect 120 'no process of true loaded the provider, though' -- check true
OPENSSL_CONF=/dev/null expect 120 'does not activate it: /dev/null: ' -- check openssl dgst sent
FIRESTEEL_DEVICE=uio:none FIRESTEEL_PROVIDER_ON_ERROR=refuse \
    expect 0 'device: none' -- check openssl dgst -sha256 sent

# A supervisor that ignores its children hands that on, to the program too
timeout 60 env --ignore-signal=CHLD "$command" check \
    grep '^SigIgn:.*[1-9a-f]....$' /proc/self/status >out 2>said
[ $? = 120 ] && [ -s out ] || fail "children that are ignored are not waited for"

# How it ends
expect 1 -- check false
expect 137 -- check sh -c 'kill -9 $$'
expect 127 'nowhere: No such file' -- check ./nowhere
expect 126 'sent: Permission denied' -- check ./sent
expect 125 '^usage: ' -- check
expect 125 '^usage: ' -- look openssl
expect 125 '^usage: ' -- check --all openssl
TMPDIR=$work/none expect 125 'none/firesteel-check-.*: No such file' -- check true
expect 0 -- --help

# A daemon's work counts, too
cat >daemon <<'END'
(sleep 0.3; exec setsid openssl dgst -sha256 sent) &
END
expect 0 'has left others running' '^digest ' -- check sh daemon

# Signals go on to the program; afterwards they end the wait for others
"$command" check sh -c 'trap "exit 7" TERM; echo >ready; while :; do sleep 0.1; done' 2>said &
until [ -e ready ]; do sleep 0.05; done
kill -TERM $!
wait $!
[ $? = 7 ] || fail "SIGTERM does not reach the program"
"$command" check sh -c 'sleep 60 & echo $! >left' 2>said &
until grep -q 'left others' said; do sleep 0.05; done
kill -HUP $!
wait $!
[ $? = 120 ] || fail "SIGHUP does not end the wait"
kill "$(cat left)"
