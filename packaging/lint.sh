#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Has lintian read a source package and its binary packages inside a package root; 0 if it has nothing to say.
#
#   lint.sh DIRECTORY...    with a .dsc or a .changes
set -eu
found=$(
    for directory; do
        set -- "$directory"/*.dsc "$directory"/*.changes
        for file; do
            [ ! -e "$file" ] || echo "$file"
        done
    done
)
# shellcheck disable=SC2086 # words are meant
said=$(lintian --allow-root --display-info --pedantic --tag-display-limit 0 $found)
printf '%s\n' "$said"
[ -z "$said" ]
