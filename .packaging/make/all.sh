#!/usr/bin/env bash
# all.sh PROGRAMS PACKAGES: every package of the programs that are there, and their checksums.
set -euo pipefail
programs=$(cd "$1" && pwd)
packages=$(mkdir -p "$2" && cd "$2" && pwd)
cd "$(dirname "$0")"

python3 licences.py "$packages"
python3 sbom.py "$packages"
for kind in archive npm wheel bundle registry formula; do
    python3 "$kind.py" "$programs" "$packages"
done
if command -v buildah >/dev/null; then
    ../image/image.sh "$programs" "$packages"
else
    echo "SKIPPED: no image, for want of buildah"
fi
cd "$packages"
sums=$(find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%f\n' | LC_ALL=C sort | xargs sha256sum)
echo "$sums" >SHA256SUMS
