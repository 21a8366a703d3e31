#!/usr/bin/env bash
# linkage.sh PROGRAM: refuses a program for Linux that has a fixed address or needs a loader. What reads hostile files must
# not be at an address that they can know.
set -euo pipefail
headers=$(LC_ALL=C readelf --wide --file-header --program-headers "$1")
grep -q 'Type: *DYN' <<<"$headers" || { echo "$1 has a fixed address" >&2; exit 1; }
! grep -q 'INTERP' <<<"$headers" || { echo "$1 is not static" >&2; exit 1; }
