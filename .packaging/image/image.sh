#!/usr/bin/env bash
# image.sh PROGRAMS PACKAGES: the image for each processor, as archives that `docker load` and `podman load` take.
# `buildah` runs without a daemon. Docker's form is chosen since OCI's has no health check.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
programs=$1
packages=$2
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/../../Cargo.toml" | head -1)
context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT

mkdir -p "$context/licenses" "$context/data"
cp "$here"/../../LICENSE-* "$packages/THIRD-PARTY-LICENSES.txt" "$context/licenses/"
cp /etc/ssl/certs/ca-certificates.crt "$context/"
for pair in amd64:x86_64-unknown-linux-musl arm64:aarch64-unknown-linux-musl; do
    processor=${pair%%:*}
    program=$programs/${pair#*:}/pagewise
    [ -f "$program" ] || continue
    mkdir -p "$context/$processor"
    install -m 755 "$program" "$context/$processor/pagewise"
    archive=$packages/pagewise-$version-image-$processor.tar
    buildah build ${BUILDAH_ISOLATION:+--isolation "$BUILDAH_ISOLATION"} --format docker --timestamp 0 \
        --arch "$processor" --build-arg TARGETARCH="$processor" --build-arg VERSION="$version" \
        --file "$here/Containerfile" --tag "pagewise:$version-$processor" "$context"
    rm -f "$archive"
    buildah push "pagewise:$version-$processor" "docker-archive:$archive:pagewise:$version-$processor"
    gzip -9nf "$archive"
    ls -l "$archive.gz"
done
