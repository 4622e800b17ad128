#!/usr/bin/env bash
# Builds the page and tests it in Chromium: first every kernel (the shader gate), then the page itself. Installs what a Debian or Ubuntu lacks.
set -euo pipefail
cd "$(dirname "$0")/../web"

missing=()
{ command -v node && command -v npm; } >/dev/null || missing+=(nodejs npm)
[ -e "${CHROMIUM:-/usr/bin/chromium}" ] || missing+=(chromium)
if [ ${#missing[@]} -gt 0 ]; then
    if ! command -v apt-get >/dev/null; then
        echo "Missing: ${missing[*]}. Chromium may lie elsewhere: CHROMIUM=/path/to/it." >&2
        exit 1
    fi
    root=""
    [ "$(id -u)" = 0 ] || root=sudo
    $root apt-get update -qq
    $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

bash build.sh
out=${CARGO_TARGET_DIR:-$(cd .. && pwd)/target}/web
mkdir -p "$out/gate"
npx --no-install esbuild ts/gate.ts --bundle --format=esm --target=es2022 --outdir="$out/gate" --log-level=warning
cp gate/index.html "$out/page/carom.wasm" "$out/gate/"
node gate/gate.mjs "$out/gate"
node gate/page.mjs "$out/page" "$out/pictures"
