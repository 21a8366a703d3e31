#!/usr/bin/env bash
# program.sh TARGET PROGRAMS: builds the program for TARGET and copies it to PROGRAMS/TARGET. For Linux, zig compiles the
# C++ and links it statically (`pip install ziglang cargo-zigbuild`), and libclang reads libqpdf's header.
set -euo pipefail
target=$1
programs=$(mkdir -p "$2" && cd "$2" && pwd)
cd "$(dirname "$0")/.."

# What a wheel's tag promises.
export MACOSX_DEPLOYMENT_TARGET=11.0
build=build
suffix=
case $target in
    *-linux-musl)
        build=zigbuild
        # zig ignores the `-static-pie` of rustc, and for arm64 rustc would choose a fixed address.
        export RUSTFLAGS="${RUSTFLAGS:-} -C link-arg=-pie"
        ;;
    *-windows-*)
        export RUSTFLAGS="${RUSTFLAGS:-} -C target-feature=+crt-static"
        suffix=.exe
        ;;
esac
rustup target add "$target"
cargo "$build" --profile dist --locked --bin pagewise --target "$target"
built=$(cargo metadata --format-version 1 --no-deps | sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p')
mkdir -p "$programs/$target"
cp "$built/$target/dist/pagewise$suffix" "$programs/$target/"
case $target in *-linux-musl) .packaging/linkage.sh "$programs/$target/pagewise" ;; esac
ls -l "$programs/$target"
