#!/usr/bin/env bash
# publish.sh WHERE PACKAGES [NOTES]: sends packages to `release` (GitHub), `npm`, `pypi`, `image` (ghcr.io) or `registry`
# (of MCP servers). Outside of CI it prints what it would do, unless SEND=1 is set. npm, PyPI and the registry trust this
# repository's workflow, so that none of them needs a token.
set -euo pipefail
where=$1
packages=$2
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$(dirname "$0")/../../Cargo.toml" | head -1)

send() {
    if [ "${CI:-}" = true ] || [ "${SEND:-}" = 1 ]; then "$@"; else echo "would run: $*"; fi
}

release() {
    # npm's tarballs go to npm alone.
    local files
    mapfile -t files < <(find "$packages" -maxdepth 1 -type f ! -name 'pagewise-*.tgz' | LC_ALL=C sort)
    send gh release create "v$version" --verify-tag --title "v$version" --notes-file "$1" "${files[@]}"
}

# The platforms come first, so that the package never names one that is not there.
npm() {
    local file
    for file in "$packages"/pagewise-{linux,darwin,win32}-*.tgz "$packages/pagewise-$version.tgz"; do
        send command npm publish --access public --provenance "$file"
    done
}

pypi() {
    send pipx run uv publish --trusted-publishing always "$packages"/*.whl
}

image() {
    local name=ghcr.io/pagewise/pagewise processor archive
    send buildah login --username "${GITHUB_ACTOR:-}" --password-stdin ghcr.io <<<"${GH_TOKEN:-}"
    send buildah manifest create "$name:$version"
    for archive in "$packages"/pagewise-"$version"-image-*.tar.gz; do
        processor=${archive##*-image-}
        processor=${processor%.tar.gz}
        send gunzip -k "$archive"
        send buildah manifest add --arch "$processor" "$name:$version" "docker-archive:${archive%.gz}"
    done
    send buildah manifest push --all "$name:$version" "docker://$name:$version"
}

registry() {
    cd "$packages"
    send gh release download --repo modelcontextprotocol/registry --pattern mcp-publisher_linux_amd64.tar.gz
    send tar -xzf mcp-publisher_linux_amd64.tar.gz mcp-publisher
    send ./mcp-publisher login github-oidc
    send ./mcp-publisher publish
}

case $where in
    release) release "$3" ;;
    npm | pypi | image | registry) "$where" ;;
    *) echo "unknown: $where" >&2; exit 1 ;;
esac
