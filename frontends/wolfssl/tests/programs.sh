#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# Takes the server out of docs/wolfssl-program.md, compiles it as a program would, with what pkg-config says of the
# installed library, and lets `openssl s_client` speak with it: every byte comes back, and the core did the
# records; also with a core that goes meanwhile.  What build.sh builds must be there.
set -eu

plain=/firesteel/work/plain
page=/firesteel/checkout/docs/wolfssl-program.md
work=$(mktemp -d)
server=
stop() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    rm -rf "$work"
}
trap stop EXIT
cd "$work"

meson install -C $plain --quiet --no-rebuild
sed -n '/^```c$/,/^```$/p' $page | sed '/^```/d' >echo.c
[ -s echo.c ]
export PKG_CONFIG_PATH=/firesteel/work/prefix/lib/pkgconfig:/firesteel/work/pkgconfig
# shellcheck disable=SC2046 # words are meant
cc -std=gnu17 -Wall -Wextra -Werror echo.c -o echo $(pkg-config --cflags --libs firesteel-wolfssl)
export LD_LIBRARY_PATH="/firesteel/work/prefix/lib:$LD_LIBRARY_PATH"

for kind in rsa ec; do
    [ $kind = rsa ] && new=rsa:2048 || new="ec -pkeyopt ec_paramgen_curve:P-256"
    # shellcheck disable=SC2086 # words are meant
    openssl req -x509 -newkey $new -nodes -subj /CN=test -keyout $kind.key -out $kind.pem \
        2>/dev/null
done
head -c 700000 /dev/urandom >sent
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')

# speak DEVICE KIND OPTION...: `sent` there and back
speak() {
    device=$1
    kind=$2
    shift 2
    FIRESTEEL_DEVICE=$device FIRESTEEL_WOLFSSL_USE=always \
        ./echo "$port" $kind.pem $kind.key "$(wc -c <sent)" >said 2>&1 &
    server=$!
    # until the server listens
    for _ in $(seq 100); do
        if timeout 60 openssl s_client -connect 127.0.0.1:"$port" -CAfile $kind.pem \
            -verify_return_error -quiet "$@" <sent >got 2>log; then break; fi
        grep -q refused log || break
        sleep 0.1
    done
    wait $server || { cat said log; exit 1; }
    server=
    cmp sent got || { cat said log; exit 1; }
    echo "$device, $kind, $*: $(grep -c . said) works"
    cat said
}

# did WORK COUNTER: more than none
did() {
    grep -Eq "^$1: .*$2 [1-9]" said || { echo "$1: no $2"; exit 1; }
}

speak model:hash=on rsa -tls1_3 -groups P-256
did gcm hardware; did rsa-private hardware; did ecdh hardware; did sha256 hardware
speak model:hash=on ec -tls1_3 -groups P-256 -ciphersuites TLS_AES_128_CCM_SHA256
did ccm hardware; did ecdsa-sign hardware
speak model:hash=on ec -tls1_2 -cipher ECDHE-ECDSA-AES128-GCM-SHA256
did gcm hardware; did ecdsa-sign hardware
speak model:hash=on rsa -tls1_2 -cipher ECDHE-RSA-AES256-SHA384 -groups X25519
did cbc hardware; did x25519 hardware; did sha512 hardware
for version in 1_2 1_3; do
    speak model:hash=on,faults=gone:nth=110 rsa -tls$version -groups P-256
    did gcm hardware; did gcm failed
    speak model:hash=on,faults=dma-error:rate=5 ec -tls$version -groups P-256
    did gcm hardware; did gcm failed
done
