#!/usr/bin/env bash
# Builds the page and tests it in Chromium: first every kernel (the shader gate), then the page itself. Installs what a Debian or Ubuntu lacks.
set -euo pipefail
cd "$(dirname "$0")/../web"

root=""
[ "$(id -u)" = 0 ] || root=sudo
packages() {
    if ! command -v apt-get >/dev/null; then
        echo "Missing: $*. Chromium may lie elsewhere: CHROMIUM=/path/to/it." >&2
        exit 1
    fi
    echo "Installing $*."
    $root apt-get update -qq
    $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# A browser that runs: Ubuntu's package `chromium` may only name a snap.
wanted=${CHROMIUM:-chromium}
runs() { "$1" --version >/dev/null 2>&1; }
found() {
    local name
    for name in "$wanted" chromium chromium-browser google-chrome google-chrome-stable; do
        if runs "$name"; then
            command -v "$name"
            return
        fi
    done
    return 1
}

{ command -v node && command -v npm; } >/dev/null || packages nodejs npm
if [ "$(node -p 'process.versions.node.split(".")[0]')" -lt 18 ]; then
    echo "Node $(node --version) is too old: 18 or later is needed, from https://nodejs.org." >&2
    exit 1
fi
if ! CHROMIUM=$(found); then
    packages chromium
    if ! CHROMIUM=$(found); then
        echo "Chromium does not start: $wanted --version" >&2
        "$wanted" --version >&2 || true
        echo "Another one will do: CHROMIUM=/path/to/it." >&2
        exit 1
    fi
fi
export CHROMIUM

bash build.sh
out=${CARGO_TARGET_DIR:-$(cd .. && pwd)/target}/web
mkdir -p "$out/gate"
npx --no-install esbuild ts/gate.ts --bundle --format=esm --target=es2022 --outdir="$out/gate" --log-level=warning
cp gate/index.html "$out/page/carom.wasm" "$out/gate/"
node gate/gate.mjs "$out/gate"
node gate/page.mjs "$out/page" "$out/pictures"
node gate/playground.mjs "$out/page" "$out/pictures"
