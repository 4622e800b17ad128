#!/usr/bin/env bash
# Imports the frictional contact problems that Debian's source of Siconos holds, seeks one solution of cone complementarity of each, and
# prints a page with a table. Fetches the source (19 MB) into a cache folder.
# Usage: benches/peers/public.sh > benches/results/public.md
# LIMIT (120) seconds for each problem.
set -euo pipefail
cd "$(dirname "$0")/../.."

source=https://deb.debian.org/debian/pool/main/s/siconos/siconos_4.4.0+dfsg.orig.tar.xz
digest=df9445096559a7352b7a1f16897b4609c26e20caa440ecaf5375b2cdabcb6354
cache=${XDG_CACHE_HOME:-$HOME/.cache}/carom-peers/siconos-4.4.0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export RAYON_NUM_THREADS=1

if [ ! -d "$cache" ]; then
    curl -fsSL -o "$work/siconos.tar.xz" "$source"
    echo "$digest  $work/siconos.tar.xz" | sha256sum -c --quiet >&2
    mkdir -p "$work/siconos" "$(dirname "$cache")"
    tar -xf "$work/siconos.tar.xz" -C "$work/siconos" --strip-components=1 --wildcards '*/FrictionContact/test/data/*'
    mv "$work/siconos/numerics/src/FrictionContact/test/data" "$cache"
fi

cargo build --release --quiet --features hdf5 --bin carom --example peer-public
bin=${CARGO_TARGET_DIR:-target}/release

cat <<PAGE
# Public frictional contact problems

- commit $(git rev-parse --short HEAD), $(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | sed 's/^ //'), one thread; $(nproc --all) cores with a load of $(cut -d' ' -f2 /proc/loadavg)
  over the last five minutes
- $("$bin/carom" --version), $(rustc --version | cut -d' ' -f1,2)
- command: \`benches/peers/public.sh\`

All problems in the local form, \`u = W r + q\`, of the folder \`numerics/src/FrictionContact/test/data\` of Siconos 4.4.0 (Debian's source
package), by \`carom import\` and \`ConeComplementarity::first\`: one solution, to a residual of 1e-10. *rank*: how many of the rows of W
are independent; *even to*: by which part of its largest entry W is not symmetric, and its symmetric part is solved; *changed by*: W has
negative directions, and a matrix without them is solved. *start*, *steps*: from where Newton's method led to the solution, and in how many steps; without a solution, what came
nearest. ms: the best of the runs in 0.2 s, or of one; at most ${LIMIT:-120} s. Files of the global form, with rolling friction, and lists of
inputs are left out.

| problem | contacts | rank | solved | start | steps | residual | ms |
|---|---|---|---|---|---|---|---|
PAGE
for file in "$cache"/*.dat "$cache"/*.hdf5; do
    name=$(basename "$file")
    case $name in GFC3D* | RFC3D* | rfc3d* | ACinputs*) continue ;; esac
    echo "$name" >&2
    if ! "$bin/carom" import "$file" -o "$work/problem.json" 2>"$work/error"; then
        why=$(grep error: "$work/error" | head -1 | sed "s#^.*$name: *##" | tr -d '|')
        echo "| $name | not imported: $why | | | | | | |"
        continue
    fi
    note=$(sed -n 's/^.*W is symmetric up to \([^ ]*\) .*$/ (W even to \1)/p; s/^.*differs by \([^ ]*\) .*$/ (W changed by \1)/p' "$work/error" | tr -d '\n')
    echo "| $name$note | $(timeout "${LIMIT:-120}" "$bin/examples/peer-public" "$work/problem.json" || echo "not within ${LIMIT:-120} s | | | | | |") |"
done
