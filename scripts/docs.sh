#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the documentation's site into DIRECTORY (by default `site` of the checkout) and prints the
# path of its first page. `llms.txt` beside it has all pages in one file. Broken links and anchors, and
# pages outside of the navigation, are errors; the site that was there then stays.
#
#   scripts/docs.sh [DIRECTORY]
set -eu
cd "$(dirname "$0")/.."
site=${1:-$PWD/site}
run=$(scripts/venv.sh run)
docs=$(scripts/venv.sh docs)

work=$(mktemp -d)
trap 'rm -rf "$work" "$site.partial"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

PYTHONPATH=$PWD:$PWD/lab/src "$run" -P -m tools site "$work"
# Its own words are shown only when it fails, without its colours.
if ! (cd "$work" && "$docs" -P -m zensical build --strict --clean) >"$work/log" 2>&1; then
    esc=$(printf '\033')
    sed "s/$esc\[[0-9;]*m//g; /^Traceback/,\$d" "$work/log" >&2
    printf 'firesteel: the site is not built; what is wrong is said above.\n' >&2
    exit 1
fi
rm -rf "$site.partial"
mkdir -p "$(dirname "$site")"
cp -r "$work/site" "$site.partial"
cp "$work/llms.txt" "$site.partial"
rm -rf "$site"
mv -T "$site.partial" "$site"
printf '%s\n' "$site/index.html"
