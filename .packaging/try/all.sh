#!/usr/bin/env bash
# all.sh PACKAGES [KIND...]: installs packages as a stranger does, each in a fresh folder with a home of its own, and reads
# a page through each. Kinds: archive npm wheel bundle image formula. Only for Linux on this machine's processor.
set -euo pipefail
packages=$(cd "$1" && pwd)
shift
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -1)
case $(uname -m) in
    x86_64) target=x86_64-unknown-linux-musl image=amd64 ;;
    aarch64) target=aarch64-unknown-linux-musl image=arm64 ;;
esac

# A client's view: the command, and a file in the working directory.
answers() { python3 "$here/client.py" "$version" page.pdf "$@"; }

archive() {
    tar -xzf "$packages/pagewise-$version-$target.tar.gz" --strip-components=1
    ./pagewise get-file page.pdf --pages 1 >/dev/null
    for page in man/*.1; do
        [ -s "$page" ]
        if command -v mandoc >/dev/null; then mandoc -T lint -W error "$page"; fi
    done
    bash -n completions/pagewise.bash
    [ -s LICENSE-MIT ] && [ -s LICENSE-APACHE ] && [ -s THIRD-PARTY-LICENSES.txt ]
    answers ./pagewise serve
}

# npm itself, and a registry on the loopback that has these tarballs: the package asks for that of this platform.
npm() {
    python3 "$here/registry.py" "$packages" port &
    registry=$!
    trap 'kill "$registry"' EXIT
    while [ ! -s port ]; do sleep 0.1; done
    printf 'registry=http://127.0.0.1:%s/\n' "$(cat port)" >"$HOME/.npmrc"
    answers npx --yes pagewise serve
    answers npx --yes pagewise serve
}

wheel() {
    python3 -m venv venv
    venv/bin/pip install --quiet --no-index --find-links "$packages" pagewise-mcp
    answers venv/bin/pagewise serve
    answers venv/bin/pagewise-mcp serve
    answers venv/bin/python -m pagewise_mcp serve
    if command -v uvx >/dev/null; then
        answers uvx --quiet --offline --no-config --find-links "$packages" pagewise-mcp serve
    fi
}

bundle() {
    local file=$packages/pagewise-$version-$target.mcpb
    mkdir bundle
    python3 - "$file" bundle <<'PYTHON'
import os, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as bundle:
    for entry in bundle.infolist():
        os.chmod(bundle.extract(entry, sys.argv[2]), entry.external_attr >> 16 & 0o777)
PYTHON
    if command -v mcpb >/dev/null; then
        mcpb validate bundle/manifest.json
        mcpb info "$file"
    fi
    # What a host makes of the manifest.
    local command
    mapfile -t command < <(python3 - "$PWD" <<'PYTHON'
import json, sys
server = json.load(open("bundle/manifest.json"))["server"]["mcp_config"]
for word in [server["command"], *server["args"]]:
    print(word.replace("${__dirname}", sys.argv[1] + "/bundle").replace("${user_config.folder}", sys.argv[1]))
PYTHON
    )
    answers "${command[@]}"
}

# Without a container engine: the layers in an empty root, as another user, read-only but for /data.
image() {
    mkdir image root
    tar -xzf "$packages/pagewise-$version-image-$image.tar.gz" -C image
    python3 - >layers <<'PYTHON'
import json
manifest = json.load(open("image/manifest.json"))[0]
settings = json.load(open("image/" + manifest["Config"]))["config"]
assert settings["User"] == "65532:65532" and settings["Healthcheck"]["Test"], settings
assert settings["Entrypoint"] == ["/usr/bin/pagewise"] and settings["Cmd"] == ["serve"], settings
print("\n".join("image/" + layer for layer in manifest["Layers"]))
PYTHON
    while read -r layer; do tar -xf "$layer" -C root; done <layers
    mkdir -p root/work root/proc root/dev
    local contained=(bwrap --unshare-all --die-with-parent --ro-bind root / --ro-bind "$PWD" /work --proc /proc --dev /dev
        --tmpfs /data --uid 65532 --gid 65532 --chdir /work --clearenv --setenv PATH /usr/bin --setenv PAGEWISE_DATA_DIR /data)
    "${contained[@]}" /usr/bin/pagewise doctor
    answers "${contained[@]}" /usr/bin/pagewise serve
}

# Homebrew's own words are few: a stand-in for them installs the archive into an empty prefix.
formula() {
    ruby -c "$packages/pagewise.rb"
    ruby "$here/formula.rb" "$packages" prefix
    answers prefix/bin/pagewise serve
}

[ $# -gt 0 ] || set -- archive npm wheel bundle image formula
for kind in "$@"; do
    work=$(mktemp -d)
    mkdir "$work/home"
    cp "$root/fixtures/latex.pdf" "$work/page.pdf"
    begun=$(date +%s.%N)
    echo "== $kind"
    (cd "$work" && HOME=$work/home && export HOME && unset XDG_DATA_HOME XDG_CONFIG_HOME && set -e && "$kind")
    awk -v begun="$begun" -v ended="$(date +%s.%N)" 'BEGIN { printf "%.1f s in all, from an empty folder\n", ended - begun }'
    rm -rf "$work"
done
