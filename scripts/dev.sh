#!/usr/bin/env bash
# scripts/dev.sh PIECE [ARGUMENTS]: the pieces that .ci/run is made of, for the inner loop.
#   fast     unit tests, which carom-core has, without optimization. Arguments go to `cargo test`
#   test     all tests (scripts/test.sh); arguments go to `cargo test`
#   lint     format and lints
#   docs     the reference, and the pages: links, commands, what they print
#   examples builds and runs examples/
#   stubs    compares the types of the Python package with its functions, after scripts/python.sh
#   msrv     compiles all packages with the oldest Rust that Cargo.toml names
#   bench    samples per second of a scene; arguments go to `carom bench`
set -euo pipefail
cd "$(dirname "$0")/.."
export NODEVICE_SELECT=1 # Mesa's device-select layer complains where there is no desktop session
piece=${1:-}
[ $# = 0 ] || shift
case $piece in
fast)
    # Without optimization: the package compiles in seconds, and unit tests compute little.
    plain="profile.dev.package.carom-core.opt-level=0"
    CARGO_INCREMENTAL=1 cargo test --quiet --config "$plain" --package carom-core --lib "$@"
    ;;
test)
    bash scripts/test.sh "$@"
    ;;
lint)
    cargo fmt --all --check
    cargo clippy --quiet --workspace --all-targets -- -D warnings
    # The library alone: no GPU, no files, no images.
    cargo clippy --quiet --package carom --no-default-features --lib -- -D warnings
    ;;
docs)
    RUSTDOCFLAGS="-D warnings" cargo doc --quiet --no-deps
    bash scripts/test.sh --test house --test cli documents
    ;;
examples)
    # With the packages of the tests, which have built them.
    cargo build --quiet --workspace --exclude carom-web --exclude carom-proof --exclude carom-programs --example sample --example modes
    for example in sample modes; do "${CARGO_TARGET_DIR:-target}/debug/examples/$example" >/dev/null; done
    ;;
stubs)
    stubs=$(mktemp -d)
    trap 'rm -rf "$stubs"' EXIT
    target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
    (cd python && "$target/python/bin/maturin" generate-stubs --quiet --interpreter "$target/python/bin/python" \
        --features stubs,pyo3/extension-module --target-dir "$target" --out "$stubs")
    diff "$stubs/carom/_carom.pyi" python/carom/_carom.pyi ||
        { echo "python/carom/_carom.pyi is not what maturin generates; copy it from there." >&2; exit 1; }
    ;;
msrv)
    oldest=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
    case $(rustc --version) in
    "rustc $oldest"[.\ ]*) ;;
    *)
        rustup toolchain install --profile minimal --no-self-update "$oldest"
        export RUSTUP_TOOLCHAIN=$oldest
        ;;
    esac
    cargo check --quiet --workspace --locked
    ;;
bench)
    [ $# != 0 ] || set -- rocking-block --device cpu --quick
    cargo run --quiet --release -- bench "$@"
    ;;
*)
    sed -n '2,10s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
