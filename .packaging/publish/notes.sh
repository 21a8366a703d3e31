#!/usr/bin/env bash
# notes.sh TAG: what changed since the tag before, one line for each commit, by room and then oldest first.
set -euo pipefail
tag=$1
if ! before=$(git describe --tags --abbrev=0 --match 'v*' "$tag^" 2>/dev/null); then
    echo "The first release. README.md says what it does."
    exit
fi
echo "## Changes since $before"
echo
git log --reverse --no-merges --format='- %s' "$before..$tag" | LC_ALL=C sort --stable --field-separator=: --key=1,1
