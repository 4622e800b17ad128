#!/usr/bin/env bash
# Everything that one wants to know of a GPU, what is worth most first: each part takes a limited time, and leaves its results
# behind, so that an hour that ends early is not lost.
# usage: hardware.sh OUT [NAME]; NAME: the adapter, as --device takes it; gpu, the best hardware one, unless given. Binaries that
# were built elsewhere:
#   CAROM=path/to/carom TESTS=path/to/gpu-HASH (of `cargo test --release --test gpu --no-run`)
# For rehearsals HARDWARE_WORK and HARDWARE_TIME, 1 unless given, are parts of the usual work and time. HARDWARE_SECONDS, one
# hour unless given, is the time for all parts: what does not fit is left out.
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
scaled() { awk -v x="$1" -v part="$2" 'BEGIN { printf "%d", (x * part < 1) ? 1 : x * part }'; }
work() { scaled "$1" "${HARDWARE_WORK:-1}"; }
limit() { scaled "$1" "${HARDWARE_TIME:-1}"; }
failed=0
# part NAME SECONDS FILE COMMAND: the command's output, within a time after which it is asked to end and print what it has.
part() {
    local name=$1 seconds=$2 file=$3 start=$SECONDS left=$((${HARDWARE_SECONDS:-3600} - SECONDS))
    shift 3
    [ $left -ge $seconds ] || seconds=$left
    [ $seconds -gt 3 ] || { echo "$name no time for $file" | tee -a "$out/parts.txt"; return; }
    timeout --signal=INT --kill-after=10 "$seconds" "$@" >"$out/$file" 2>"$out/$file.log"
    local code=$?
    [ -s "$out/$file.log" ] || rm "$out/$file.log"
    [ $code = 0 ] || failed=1
    printf '%-8s exit %-3s %4d s  %s\n' "$name" "$code" $((SECONDS - start)) "$file" | tee -a "$out/parts.txt"
}
: >"$out/parts.txt"
if command -v nvidia-smi >/dev/null; then
    nvidia-smi -q >"$out/nvidia-smi.txt"
    nvidia-smi --query-gpu=timestamp,name,clocks.sm,clocks.mem,power.draw,temperature.gpu --format=csv -l 1 >"$out/clocks.csv" &
elif command -v rocm-smi >/dev/null; then
    while sleep 1; do rocm-smi --showclocks --showpower --showtemp --csv; done >"$out/clocks.csv" 2>/dev/null &
fi
[ -z "${!:-}" ] || trap "kill $!" EXIT

# The first minutes: what there is, whether it computes rightly, and rates of few and of many contacts, planar and spatial.
part doctor 20 doctor.json "$CAROM" doctor --require "$device" --json
for scene in rocking-block cube-on-edge quadruped-trot disk-stack; do
    part work "$(limit 60)" "work-$scene.json" \
        "$CAROM" bench $scene --device "$device" --work "$(work 1000000000)" --within 10 --json
done
part work64 "$(limit 60)" work-f64.json \
    "$CAROM" bench rocking-block --device "$device" --work "$(work 1000000000)" --within 10 --precision f64 --json
# What the host's processor does of the same work.
part cpu "$(limit 60)" work-cpu.json "$CAROM" bench --device cpu --work "$(work 100000000)" --within 3 --json
# Then every shader beside its twin, and the rates of every scene.
part twins "$(limit 300)" twins.txt "$TESTS" --nocapture
part all "$(limit 300)" bench.json "$CAROM" bench --device "$device" --seconds 0.2 --json
exit $failed
