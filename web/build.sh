#!/usr/bin/env bash
# Builds the page: static files in target/web/page, for any server of files, and carom.html, which is all of it in one. Prints their sizes.
# SITE_REPOSITORY is the address of the repository, for the link to it.
# The compiler for WebAssembly is rustup's (`rustup target add wasm32-unknown-unknown`); where that cannot be had, Debian's, unpacked into
# the target folder beside what is installed.
set -euo pipefail
cd "$(dirname "$0")"
target=${CARGO_TARGET_DIR:-$(cd .. && pwd)/target}
out=$target/web
wasm=wasm32-unknown-unknown
export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="-C target-feature=+simd128"
# Three fifths of the size of what is built for speed, which samples planar scenes 1.3 times as fast, spatial ones 2.3 times.
export CARGO_PROFILE_RELEASE_OPT_LEVEL=s CARGO_PROFILE_RELEASE_LTO=fat CARGO_PROFILE_RELEASE_PANIC=abort CARGO_PROFILE_RELEASE_STRIP=symbols
mkdir -p "$out/page"

# Debian's compiler, the sources of its standard library, and what they need.
debian() {
    local root=$out/debian deb
    if [ ! -e "$root/done" ]; then
        rm -rf "$root"
        mkdir -p "$root/deb"
        if ! command -v apt-get >/dev/null; then
            echo "The standard library for WebAssembly is missing: rustup target add $wasm" >&2
            exit 1
        fi
        local std llvm become=""
        [ "$(id -u)" = 0 ] || become=sudo
        $become apt-get update -qq
        std=$(apt-cache depends libstd-rust-web-dev | sed -n 's/.*Depends: \(libstd-rust-web-[0-9.]*\)$/\1/p')
        llvm=$(apt-cache depends "$std" | sed -n 's/.*Depends: \(libllvm[0-9]*\)$/\1/p')
        (cd "$root/deb" && apt-get download -qq rustc-web rust-web-src libstd-rust-web-dev "$std" "$llvm" 2>/dev/null)
        for deb in "$root"/deb/*.deb; do dpkg -x "$deb" "$root"; done
        rm -r "$root/deb"
        touch "$root/done"
    fi
    RUSTC=$root/usr/bin/rustc
    LD_LIBRARY_PATH=$root/usr/lib/$(uname -m)-linux-gnu
    CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=$(find "$(rustc --print sysroot)/lib/rustlib" -name rust-lld | head -n 1)
    RUSTC_BOOTSTRAP=1
    export RUSTC LD_LIBRARY_PATH CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER RUSTC_BOOTSTRAP
}

installed() { [ -d "$(rustc --print sysroot)/lib/rustlib/$wasm/lib" ]; }
std=()
if ! installed && ! rustup target add $wasm >/dev/null 2>&1; then
    debian
    std=(-Z build-std=std,panic_abort)
fi
# The workspace builds these without optimisation, for the sake of time: 37 kB more with gzip.
small=()
for name in roxmltree schemars toml; do small+=(--config "profile.release.package.$name.opt-level='s'"); done
(cd .. && cargo build --quiet --release --package carom-web --package carom-proof --target $wasm "${small[@]}" "${std[@]}")

[ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --no-audit --no-fund --silent
npx --no-install tsc --noEmit
bundle() { npx --no-install esbuild "$1" --bundle --minify --format="$2" --target=es2022 --outdir="$out/page" --log-level=warning; }
bundle ts/page.ts esm
bundle ts/worker.ts iife
cp static/style.css static/icon.svg ../LICENSE-MIT "$out/page/"
cp "$target/$wasm/release/carom_web.wasm" "$out/page/carom.wasm"
cp "$target/$wasm/release/carom_proof.wasm" "$out/page/proof.wasm"
# Without an address there is no link.
link="s|@REPOSITORY@|${SITE_REPOSITORY:-}|"
[ -n "${SITE_REPOSITORY:-}" ] || link='s| <a id="repository".*</a>||'
sed "$link" static/index.html >"$out/page/index.html"
node onefile.mjs "$out/page" "$out/page/carom.html"

total=0
for file in "$out"/page/*; do
    size=$(gzip -9 -c "$file" | wc -c)
    # A visitor of the page loads the other one never, proofs where they are wanted.
    case $(basename "$file") in carom.html | proof.wasm) ;; *) total=$((total + size)) ;; esac
    printf '%9d bytes, %8d with gzip  %s\n' "$(stat -c %s "$file")" "$size" "$(basename "$file")"
done
printf 'the page: %d bytes with gzip, in %s\n' "$total" "$out/page"
