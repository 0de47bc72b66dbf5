#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the documentation's site of this version into a folder of DIRECTORY (by default `site` of the
# checkout) and prints the path of its first page. Folders of other versions stay; all pages offer them.
# `llms.txt` in the folder has all pages in one file. Broken links and anchors, and pages outside of the
# navigation, are errors; DIRECTORY then stays as it was.
#
#   scripts/docs.sh [DIRECTORY]
set -eu
cd "$(dirname "$0")/.."
site=${1:-$PWD/site}
run=$(scripts/venv.sh run)
docs=$(scripts/venv.sh docs)

work=$(mktemp -d)
partial=$site/.partial
trap 'rm -rf "$work" "$partial"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

tools() { PYTHONPATH=$PWD:$PWD/lab/src "$run" -P -m tools "$@"; }
version=$(tools site "$work")
# Its own words are shown only when it fails, without its colours.
if ! (cd "$work" && "$docs" -P -m zensical build --strict --clean) >"$work/log" 2>&1; then
    esc=$(printf '\033')
    sed "s/$esc\[[0-9;]*m//g; /^Traceback/,\$d" "$work/log" >&2
    printf 'firesteel: the site is not built; what is wrong is said above.\n' >&2
    exit 1
fi
mkdir -p "$site"
rm -rf "$partial"
cp -r "$work/site" "$partial"
cp "$work/llms.txt" "$partial"
rm -rf "${site:?}/$version"
mv -T "$partial" "$site/$version"
tools versions "$site"
printf '%s\n' "$site/$version/index.html"
