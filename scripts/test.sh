#!/usr/bin/env bash
# Runs the tests. They include the GPU engine, so an adapter is needed: where there is none, Debian and Ubuntu
# get Mesa's software Vulkan; elsewhere this says what to install. With CAROM_MORE_CASES=1 tests take more random cases,
# more samples and kernels of all sizes, which takes several times as long. Arguments go to `cargo test`.
set -euo pipefail
cd "$(dirname "$0")/.."

# All that has tests, and the Python package, whose wheel then finds its libraries built. The page is WebAssembly;
# carom-programs has a naga of its own.
tests=(cargo test --workspace --exclude carom-web --exclude carom-proof --exclude carom-programs)
"${tests[@]}" --no-run
carom=${CARGO_TARGET_DIR:-target}/debug/carom
adapters() { "$carom" doctor --json | grep -c '"backend": "\(vulkan\|metal\|dx12\)"' || true; }

if [ "$(adapters)" = 0 ]; then
    if ! command -v apt-get >/dev/null; then
        echo "No Vulkan, Metal or DX12 adapter. Install a Vulkan driver, for example Mesa's lavapipe" >&2
        echo "(Fedora: mesa-vulkan-drivers, Arch: vulkan-swrast, macOS and Windows bring one), and run this again." >&2
        exit 1
    fi
    root=""
    [ "$(id -u)" = 0 ] || root=sudo
    echo "No adapter: installing Mesa's software Vulkan (mesa-vulkan-drivers, 16 MB)."
    $root apt-get update -qq
    $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends mesa-vulkan-drivers libvulkan1
    if [ "$(adapters)" = 0 ]; then
        echo "Still no adapter; see \`$carom doctor\`." >&2
        exit 1
    fi
fi

export NODEVICE_SELECT=1 # Mesa's device-select layer complains where there is no desktop session
if [ $# != 0 ]; then
    exec "${tests[@]}" "$@"
fi
"${tests[@]}"
bash scripts/capi.sh test
bash scripts/python.sh
