#!/usr/bin/env bash
# scripts/dev.sh PIECE [ARGUMENTS]: the pieces that .ci/run is made of, for the inner loop.
#   fast   unit tests, and one scene of each law; no GPU, no command line. Arguments go to `cargo test`
#   test   all tests (scripts/test.sh); arguments go to `cargo test`
#   lint   format and lints
#   docs   the reference, and the pages: links, commands, what they print
#   bench  samples per second of a scene; arguments go to `carom bench`
set -euo pipefail
cd "$(dirname "$0")/.."
export NODEVICE_SELECT=1 # Mesa's device-select layer complains where there is no desktop session
piece=${1:-}
[ $# = 0 ] || shift
case $piece in
fast)
    # carom without optimization: it compiles in seconds, and these tests compute little.
    CARGO_INCREMENTAL=1 cargo test --quiet --config profile.dev.package.carom.opt-level=0 \
        --no-default-features --lib "$@"
    ;;
test)
    bash scripts/test.sh "$@"
    ;;
lint)
    cargo fmt --all --check
    cargo clippy --quiet --all-targets -- -D warnings
    cargo clippy --quiet --all-targets --no-default-features -- -D warnings
    cargo clippy --quiet --all-targets --all-features -- -D warnings
    cargo clippy --quiet --package carom-programs -- -D warnings
    cargo clippy --quiet --package carom-python -- -D warnings
    cargo clippy --quiet --package carom-web --package carom-proof -- -D warnings
    cargo clippy --quiet --package carom-c --all-targets -- -D warnings
    ;;
docs)
    RUSTDOCFLAGS="-D warnings" cargo doc --quiet --no-deps --all-features
    # With the same packages as the tests, whose libraries serve.
    cargo test --quiet --package carom --package carom-python --test house --test cli documents
    ;;
bench)
    [ $# != 0 ] || set -- rocking-block --device cpu --quick
    cargo run --quiet --release -- bench "$@"
    ;;
*)
    sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
