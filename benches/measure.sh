#!/usr/bin/env bash
# Samples per second of every built-in scene, as a Markdown table: best of three runs of the release binary, kernel
# time with finishing and statistics; on a GPU the first run, which compiles the pipeline, does not count.
# Usage: benches/measure.sh > benches/results/NAME.md
set -euo pipefail
cd "$(dirname "$0")/.."
export NODEVICE_SELECT=1
cargo build --release --quiet
carom=target/release/carom

field() { python3 -c 'import json,sys; d=json.load(sys.stdin); print(d["samples"]/d["seconds"]["total"])'; }
best() {
    local most=0
    for _ in 1 2 3; do
        most=$("$carom" sample "$@" --json --max-rejected 1 | field | { read -r x; python3 -c "print(max($most, $x))"; })
    done
    python3 -c "x=$most; print(f'{x/1e6:.2f} M' if x >= 1e6 else f'{x/1e3:.0f} k')"
}

gpu=$("$carom" doctor --json | python3 -c 'import json,sys; a=json.load(sys.stdin)["adapters"]; print(a[0]["name"] + ", driver " + a[0]["driver"] if a else "")')
echo "# Samples per second"
echo
echo "- date: $(date -u +%F), commit $(git rev-parse --short HEAD), carom $("$carom" --version | cut -d' ' -f2)"
echo "- processor: $(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | sed 's/^ //'), $(nproc) cores; adapter: ${gpu:-none}"
echo "- command: \`benches/measure.sh\`; seed 0, default steps and solution choice, whole run (start of the engine excluded)"
echo
echo "| scene | samples | CPU f64, 1 thread | CPU f32, 1 thread | CPU f64, all cores | GPU f32 | GPU f64 |"
echo "|---|---|---|---|---|---|---|"
for scene in rocking-block compass-gait box-and-wall ramone disk-stack disk-stack-as-published; do
    case $scene in disk*) n=20k; many=100k ;; *) n=1M; many=8M ;; esac
    row="| $scene | $many, GPU $n"
    row+=" | $(best "$scene" --samples $many --device cpu --threads 1)"
    row+=" | $(best "$scene" --samples $many --device cpu --threads 1 --precision f32)"
    row+=" | $(best "$scene" --samples $many --device cpu)"
    for precision in f32 f64; do
        if [ -n "$gpu" ]; then
            "$carom" sample "$scene" --samples 64 --device gpu --precision $precision --json --max-rejected 1 >/dev/null
            row+=" | $(best "$scene" --samples $n --device gpu --precision $precision)"
        else
            row+=" | -"
        fi
    done
    echo "$row |"
done
