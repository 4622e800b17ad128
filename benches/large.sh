#!/usr/bin/env bash
# Large runs, as a Markdown page: statistics of 1e9 samples, 1e8 samples to Parquet beside the disk's own rate, which `dd`
# measures with as many bytes right after, and samples of up to 32 contacts. Best of two, with many contacts of three. Needs
# GNU time, Python 3, and 20 GB of disk under TMPDIR.
# Usage: benches/large.sh > benches/results/large.md
set -euo pipefail
cd "$(dirname "$0")/.."
export NODEVICE_SELECT=1
cargo build --release --quiet
carom=target/release/carom
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "# Large runs"
echo
echo "- commit $(git rev-parse --short HEAD), carom $("$carom" --version | cut -d' ' -f2)"
echo "- processor: $(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | sed 's/^ //'), $(nproc) cores"
echo "- command: \`benches/large.sh\`"
echo
echo "| run | seconds | samples/s | memory | disk |"
echo "|---|---|---|---|---|"
for precision in f32 f64; do
    for run in 1 2; do
        LC_ALL=C command time -f %M -o "$work/kb" "$carom" sample rocking-block --samples 1e9 --device cpu \
            --precision $precision --json >"$work/report" 2>/dev/null
        python3 -c '
import json, sys
seconds = json.load(open(sys.argv[1]))["seconds"]["total"]
print(seconds, int(open(sys.argv[2]).read().split()[-1]) // 1024)' "$work/report" "$work/kb"
    done | sort -g | head -1 | {
        read -r seconds mb
        python3 -c "print(f'| statistics of 1e9 samples, {\"$precision\"} | {$seconds:.1f} | {1e3 / $seconds:.3g} M | $mb MB | |')"
    }
done
for run in 1 2; do
    sync
    LC_ALL=C command time -f "%e %M" -o "$work/time" sh -c "'$carom' sample rocking-block --samples 1e8 --device cpu \
        --precision f32 --out '$work/samples.parquet' --json >/dev/null 2>&1 && sync '$work/samples.parquet'"
    bytes=$(stat -c %s "$work/samples.parquet")
    rm "$work/samples.parquet"
    start=$(date +%s.%N)
    dd if=/dev/zero of="$work/zeros" bs=4M count=$((bytes / 4194304)) conv=fdatasync status=none
    end=$(date +%s.%N)
    rm "$work/zeros"
    echo "$(tail -1 "$work/time") $bytes $(python3 -c "print($end - $start)")"
done | sort -g | head -1 | {
    read -r seconds kb bytes alone
    python3 -c "
rate, own = $bytes / $seconds / 1e6, $bytes / $alone / 1e6
print(f'| 1e8 samples to Parquet, f32, synced | {$seconds:.1f} | {1e2 / $seconds:.3g} M | {$kb // 1024} MB | {$bytes / 1e9:.2f} GB: {rate:.0f} MB/s, {rate / own:.2f} of the {own:.0f} MB/s of dd |')"
}

echo
echo "## Many contacts"
for options in "--process events" "--process inclusion" "--process inclusion --space" "--process steps --space --facets 8"; do
    echo
    echo "\`benches/contacts.py $options\`"
    echo
    # shellcheck disable=SC2086
    python3 benches/contacts.py --carom "$carom" $options
done
