#!/usr/bin/env bash
# Everything that one wants to know of a GPU, in one go: whether every shader agrees with the CPU, which variants suit the device,
# how fast it samples every scene, and a billion samples with repair timed apart.
# usage: hardware.sh OUT [NAME]; NAME: part of the adapter's name, else the first adapter. Binaries that were built elsewhere:
#   CAROM=path/to/carom TESTS=path/to/gpu-HASH (of `cargo test --release --test gpu --no-run`)
set -uo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || { echo "usage: bash benches/hardware.sh OUT [NAME]" >&2; exit 2; }
out=$1 device=${2:-gpu}
mkdir -p "$out"
if [ -z "${CAROM:-}" ]; then
    cargo build --quiet --release || exit 1
    CAROM=target/release/carom
fi
if [ -z "${TESTS:-}" ]; then
    TESTS=$(cargo test --quiet --release --test gpu --no-run --message-format json |
        sed -n 's/.*"executable":"\([^"]*gpu-[^"]*\)".*/\1/p') || exit 1
fi
"$CAROM" doctor --json > "$out/doctor.json" || exit 1
timeout 240 "$TESTS" --nocapture > "$out/twins.txt" 2>&1
echo "twins: $(grep -a '^test result' "$out/twins.txt" || echo not finished)"
CAROM_TUNED=$out/none.json timeout 120 "$CAROM" bench --device "$device" --seconds 0.1 --json > "$out/usual.json"
export CAROM_TUNED=$out/tuned.json
timeout 90 "$CAROM" bench --device "$device" --tune --seconds 0.2 > "$out/tune.txt"
timeout 120 "$CAROM" bench --device "$device" --seconds 0.1 --baseline "$out/usual.json" > "$out/bench.txt"
for process in steps exact; do
    timeout 60 "$CAROM" sample rocking-block --process $process --samples 1000000000 --precision f32 --device "$device" --json \
        > "$out/billion-$process.json"
    sed -n '/"seconds"/,/}/p' "$out/billion-$process.json"
done
grep -qa '^test result: ok' "$out/twins.txt"
