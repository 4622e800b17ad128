#!/usr/bin/env bash
# Times carom and other solvers, one core each, on the same impulse steps, and prints a page with one table. Installs
# what the peers need (Debian packages, and wheels into a cache folder); a peer that cannot be had gets a row that
# says so. Debian or Ubuntu.
# Usage: benches/peers/run.sh [--json FILE] > benches/results/peers.md
# STEPS (20000) of each scene, ROUNDS (3) of everything, CORE (the last one allowed) to run on.
set -euo pipefail
json=
[ "${1:-}" != --json ] || json=$(realpath "$2")
cd "$(dirname "$0")/../.."

drake=1.51.0
mujoco=4.0.0
scenes="rocking-block box-and-wall disk-stack compass-gait ramone"
rounds=${ROUNDS:-3}
core=${CORE:-$(taskset -cp $$ | grep -o '[0-9]*$')}
pin="timeout 900 taskset -c $core"
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 RAYON_NUM_THREADS=1 NODEVICE_SELECT=1
cache=${XDG_CACHE_HOME:-$HOME/.cache}/carom-peers
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rows=$work/rows
here=benches/peers

. $here/install.sh

# wheel PACKAGE==VERSION: the same for a Python wheel, without what it depends on: only its library is used.
wheel() {
    if [ ! -x "$cache/bin/pip" ]; then
        python3 -m venv "$cache" >&2 || { debian python3-venv && python3 -m venv --clear "$cache" >&2; } || return
    fi
    "$cache/bin/pip" install --quiet --no-deps "$1" >&2
}

prepare_siconos() {
    debian gcc libc6-dev libsiconos-numerics-dev &&
        gcc -O2 -o "$work/siconos" $here/siconos.c -I/usr/include/siconos -I/usr/include/siconos/numerics \
            -lsiconos_numerics -lm
}
prepare_drake() {
    debian g++ libeigen3-dev && wheel drake==$drake || return
    local site
    site=$(echo "$cache"/lib/python3*/site-packages)
    g++ -O2 -std=c++17 -o "$work/drake" $here/drake.cpp -I/usr/include/eigen3 "$site/pydrake/lib/libdrake.so" \
        -Wl,-rpath,"$site/pydrake/lib" -Wl,-rpath-link,"$site/drake.libs"
}
prepare_mujoco() {
    debian gcc libc6-dev && wheel mujoco-core==$mujoco || return
    local site
    site=$(echo "$cache"/lib/python3*/site-packages/mujoco)
    gcc -O2 -o "$work/mujoco" $here/mujoco.c -I"$site/include" "$site/libmujoco.so.$mujoco" -Wl,-rpath,"$site" -lm
}

cargo build --release --quiet --bin carom --example peer-steps
bin=${CARGO_TARGET_DIR:-target}/release

peers=
for peer in siconos drake mujoco; do
    if prepare_$peer; then
        peers+=" $peer"
    else
        only=
        [ $peer != mujoco ] || only=rocking-block
        missing $peer "could not be installed or built here" $only
    fi
done
siconos=$(dpkg-query -W -f '${Version}' libsiconos-numerics-dev 2>/dev/null || true)
printf '{"commit": "%s", "processor": "%s", "rounds": %s, "versions": "carom %s, Siconos %s, Drake %s, MuJoCo %s, %s"}\n' \
    "$(git rev-parse --short HEAD 2>/dev/null || echo unknown)" "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | sed 's/^ //')" \
    "$rounds" "$("$bin/carom" --version | cut -d' ' -f2)" "${siconos:--}" $drake $mujoco "$(rustc --version | cut -d' ' -f1,2)" \
    >>"$rows"

# Everyone's best counts; rounds far apart in time keep another program's busy minute out of it.
for round in $(seq "$rounds"); do
    for scene in $scenes; do
        say "round $round: $scene"
        $pin "$bin/examples/peer-steps" "$scene" "${STEPS:-20000}" "$work/steps" >>"$rows"
        case $scene in disk*) samples=5e4 ;; *) samples=1e6 ;; esac
        for precision in f64 f32 f64 f32; do
            $pin "$bin/carom" sample "$scene" --samples $samples --device cpu --threads 1 --precision $precision \
                --json --max-rejected 1 | python3 $here/table.py --sample "$scene" >>"$rows"
        done
        $pin "$bin/carom" bench "$scene" --device cpu --quick --seconds 0.3 --json |
            python3 $here/table.py --bench "$scene" >>"$rows"
        for peer in $peers; do
            [ "$peer" != mujoco ] || [ "$scene" = rocking-block ] || continue
            $pin "$work/$peer" "$scene" "$work/steps" >>"$rows" || missing "$peer" "ended with an error" "$scene"
        done
    done
done
printf '{"load": %s, "cores": %s}\n' "$(cut -d' ' -f2 /proc/loadavg)" "$(nproc --all)" >>"$rows"
python3 $here/table.py "$rows" ${json:+"$json"}
