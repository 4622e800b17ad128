#!/usr/bin/env bash
# scripts/api.sh [REVISION]: what has changed of the Rust interface since REVISION, else since the last tag: what breaks
#                            semantic versioning (cargo-semver-checks), and every public item that came or went
#                            (cargo-public-api, which needs the nightly compiler). It runs those of the two that are installed
set -euo pipefail
cd "$(dirname "$0")/.."
has() { cargo "$1" --version >/dev/null 2>&1; }
base=${1:-$(git describe --tags --abbrev=0 2>/dev/null || true)}
if [ -z "$base" ]; then
    echo "There is no tag to compare with: scripts/api.sh REVISION" >&2
    exit 2
fi
if ! has semver-checks && ! has public-api; then
    echo "Neither tool is installed: nothing was compared. \`cargo install --locked cargo-semver-checks\`," >&2
    echo "or \`cargo install --locked cargo-public-api\` with \`rustup toolchain install nightly\`; each builds for minutes." >&2
    exit 1
fi
if has public-api; then
    cargo public-api --package carom --all-features diff "$base..HEAD"
fi
if has semver-checks; then
    cargo semver-checks --workspace --baseline-rev "$base"
fi
