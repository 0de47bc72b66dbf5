#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints the path of the Python of a virtual environment that holds exactly
# requirements/SET.txt (SET is `run`, `dev` or `docs`), making the environment when it is missing.
#
#   python=$(scripts/venv.sh run [COMMAND ARGUMENT...])
#
# Who cannot become root is refused before anything is fetched, if COMMAND would build all products.
#
# The environment lives in the cache directory and is addressed by the hash of its
# requirements and the Python version.  It is made beside its final place under a lock and
# renamed when whole, so an interrupted call leaves nothing that a later one would use.
set -eu

die() {
    printf 'firesteel: %s\n' "$*" >&2
    exit 1
}

set_name=${1:-run}
[ $# -eq 0 ] || shift
here=$(cd "$(dirname "$0")/.." && pwd)
requirements=$here/requirements/$set_name.txt
[ -r "$requirements" ] || die "there is no $requirements; the sets are: run, dev, docs."
[ -n "${FIRESTEEL_CACHE:-}${HOME:-}" ] || die "neither FIRESTEEL_CACHE nor HOME is set, so there is no place for the cache; set one of them."
base=${FIRESTEEL_CACHE:-$HOME/.cache/firesteel}/venv

digest=$(sha256sum "$requirements" | cut -c1-16)
for version in 3.13 3.12 3.11; do
    # The interpreter is a link to the versioned base Python, so it is dead (not -x) once
    # the system has moved to another one.
    if [ -x "$base/$digest-py$version/bin/python" ]; then
        printf '%s\n' "$base/$digest-py$version/bin/python"
        exit 0
    fi
done

# Prints "version path" of a suitable base interpreter.
find_python() {
    for candidate in python3 python3.13 python3.12 python3.11; do
        command -v "$candidate" >/dev/null 2>&1 || continue
        "$candidate" - 2>/dev/null <<'PY' && return 0
import os
import sys
version = f"{sys.version_info[0]}.{sys.version_info[1]}"
if version not in ("3.11", "3.12", "3.13"):
    sys.exit(1)
base = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
print(version, base)
PY
    done
    return 1
}

found=$(find_python) || die "no Python 3.11, 3.12 or 3.13 is on the PATH; install one with: apt-get install python3 python3-venv"
version=${found%% *}
python=${found#* }
"$python" -c 'import ensurepip, venv' 2>/dev/null || die "$python cannot make virtual environments; mend it with: apt-get install python3-venv"

# Whether a command line builds, where nothing is built yet.
builds() { # COMMAND [ARGUMENT...]
    [ $# -gt 0 ] && [ ! -d "${base%/venv}/build-root" ] || return 1
    case " $* " in
    *" --help "* | *" --dry-run "* | *" --check "* | *" --on "* | *" --on="*) return 1 ;;
    esac
    sed -n 's/^builds = //p' "$here/lab/src/firesteel/cli/commands.toml" | grep -qF "\"$1\""
}

if [ "$(id -u)" -ne 0 ] && builds "$@"; then
    command -v sudo >/dev/null 2>&1 ||
        die "building needs root or sudo; run this as root, or as root: apt-get install sudo"
    sudo -n true 2>/dev/null || { [ -t 0 ] && sudo -v; } ||
        die "building needs root, and sudo refused; run this as root, or as a user who may use sudo."
fi

mkdir -p "$base" 2>/dev/null || die "the cache directory $base cannot be made; set FIRESTEEL_CACHE to a directory that you may write to."
final=$base/$digest-py$version
partial=$final.partial
log=$final.log
command -v flock >/dev/null 2>&1 || die "flock is missing; mend it with: apt-get install util-linux"
# A shell ends with words of its own where `exec` cannot redirect, so it is tried first.
(: >>"$final.lock") 2>/dev/null || die "$final.lock cannot be written; set FIRESTEEL_CACHE to a directory that you may write to."
exec 9>"$final.lock"
flock 9

if [ ! -x "$final/bin/python" ]; then
    rm -rf "$partial" "$final"
    trap 'rm -rf "$partial"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    printf 'firesteel: making the Python environment (%s, %s packages; log in %s)\n' \
        "$set_name" "$(grep -c '==' "$requirements")" "$log" >&2
    start=$(date +%s)
    if ! { "$python" -m venv "$partial" &&
        env -u PYTHONPATH "$partial/bin/python" -m pip --disable-pip-version-check --no-input \
            install --quiet --retries 2 --require-hashes --only-binary :all: -r "$requirements"; } \
        >"$log" 2>&1 9>&-; then
        tail -n 5 "$log" | sed 's/^/    /' >&2
        die "the Python packages of requirements/$set_name.txt could not be installed; see that pip on this machine can reach its package index (whole log: $log)."
    fi
    # Scripts name their interpreter by its path: by the one that it will have.
    grep -rlI "$partial" "$partial/bin" | while read -r script; do
        sed -i "s|$partial|$final|g" "$script"
    done
    mv -T "$partial" "$final"
    printf 'firesteel: the Python environment is ready (%s s)\n' "$(($(date +%s) - start))" >&2
fi
printf '%s\n' "$final/bin/python"
