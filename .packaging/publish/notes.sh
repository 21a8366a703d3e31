#!/usr/bin/env bash
# notes.sh TAG: what changed since the tag before, one line for each commit, oldest first.
set -euo pipefail
tag=$1
before=$(git describe --tags --abbrev=0 --match 'v*' "$tag^" 2>/dev/null || true)
echo "## Changes${before:+ since $before}"
echo
git log --reverse --no-merges --format='- %s' "${before:+$before..}$tag"
