#!/usr/bin/env bash
# scripts/deny.sh [--install] [ARGUMENTS]: asks cargo-deny whether packages have known faults, allowed licences and known
#                                          sources, by deny.toml. With --install it builds cargo-deny first, for some minutes,
#                                          where it is missing. Arguments go to `cargo deny check`
set -euo pipefail
cd "$(dirname "$0")/.."
install=""
if [ "${1:-}" = --install ]; then
    install=yes
    shift
fi
if ! cargo deny --version >/dev/null 2>&1; then
    if [ -z "$install" ]; then
        echo "cargo-deny is missing: nothing was checked. \`bash scripts/deny.sh --install\` builds it, for some minutes." >&2
        echo "\`python3 scripts/licences.py\` checks licences and sources without it." >&2
        exit 1
    fi
    cargo install --locked cargo-deny
fi
exec cargo deny check "$@"
