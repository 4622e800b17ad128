#!/usr/bin/env bash
# Times copies of a cube that bounces on a plane: one after the other, in vector lanes, on a GPU, and in MuJoCo, in one run; prints a page.
# Installs the wheel of MuJoCo into a cache folder. Usage: benches/peers/motion.sh > benches/results/motion.md
set -euo pipefail
cd "$(dirname "$0")/../.."
export NODEVICE_SELECT=1
mujoco=4.0.0
cache=${XDG_CACHE_HOME:-$HOME/.cache}/carom-peers
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

[ -x "$cache/bin/pip" ] || python3 -m venv "$cache" >&2
"$cache/bin/pip" install --quiet --no-deps mujoco-core==$mujoco >&2
site=$(echo "$cache"/lib/python3*/site-packages/mujoco)
gcc -O2 -o "$work/mujoco" benches/peers/motion.c -I"$site/include" "$site/libmujoco.so.$mujoco" -Wl,-rpath,"$site" -lm
cargo bench --quiet --bench motion --no-run >&2

echo "# Copies of a rigid body that bounces on a plane"
echo
echo "- date: $(date -u +%F), commit $(git rev-parse --short HEAD)"
echo "- processor: $(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | sed 's/^ //'), $(nproc) cores; load before: $(cut -d' ' -f1 /proc/loadavg)"
echo "- command: \`benches/peers/motion.sh\`; the cube of \`scenes/motions/cube.toml\`, time step 0.01 s, 1000 steps, copies turned by 1e-3 rad"
echo "- carom: elastic and frictionless, collisions found to the last digit; times include starting copies, distances and quantiles."
echo "  MuJoCo: soft contacts that lose energy, with a solver at each step; no time of collision is sought. The two answer different"
echo "  questions; the table compares what a step costs, not what it is worth."
echo
MUJOCO=$work/mujoco cargo bench --quiet --bench motion
echo
echo "Load after: $(cut -d' ' -f1 /proc/loadavg)."
