#!/usr/bin/env bash
# Translates every program of the GPU engine to SPIR-V, MSL and HLSL, and validates the SPIR-V for Vulkan 1.1.
# Prints how many are in each language. Installs spirv-val where a Debian or Ubuntu lacks it.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v spirv-val >/dev/null; then
    if ! command -v apt-get >/dev/null; then
        echo "Missing: spirv-val, of the package spirv-tools." >&2
        exit 1
    fi
    root=""
    [ "$(id -u)" = 0 ] || root=sudo
    echo "Installing spirv-tools."
    $root apt-get update -qq
    $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends spirv-tools >/dev/null
fi

# carom-programs alone, as its naga has more languages.
cargo build --quiet --package carom-programs
built=${CARGO_TARGET_DIR:-target}/debug
# The tests have built it.
[ -x "$built/carom" ] || cargo build --quiet --bin carom
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$built/carom" programs "$folder" >/dev/null
"$built/carom-programs" "$folder"
find "$folder/spirv" -name '*.spv' -print0 |
    xargs -0 -n 1 -P "$(getconf _NPROCESSORS_ONLN)" spirv-val --target-env vulkan1.1
printf '%6d  valid for Vulkan 1.1\n' "$(find "$folder/spirv" -name '*.spv' | wc -l)"
