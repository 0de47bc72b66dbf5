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
# One recipe is for two releases, whose policies have different numbers.
# shellcheck disable=SC2086 # words are meant
said=$(lintian --allow-root --display-info --pedantic --tag-display-limit 0 --fail-on none \
    --suppress-tags out-of-date-standards-version,newer-standards-version $found)
# Lines that begin so count what was overridden
said=$(printf '%s\n' "$said" | sed '/^N: /d')
printf '%s\n' "$said"
[ -z "$said" ]
