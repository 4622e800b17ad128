#!/usr/bin/env bash
# Times carom's laws and other solvers, one core each, on the same random impacts in space, and prints a page with two tables: PLUS
# beside Simbody, cone complementarity beside Siconos. Installs what the peers need (Debian packages); a peer that cannot be had gets a
# row that says so. Debian or Ubuntu.
# Usage: benches/peers/impacts.sh > benches/results/impacts.md
# IMPACTS (1000) of each kind, ROUNDS (3) of everything, CORE (the last one allowed) to run on.
set -euo pipefail
cd "$(dirname "$0")/../.."

impacts=${IMPACTS:-1000}
rounds=${ROUNDS:-3}
core=${CORE:-$(taskset -cp $$ | grep -o '[0-9]*$')}
pin="timeout 900 taskset -c $core"
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 RAYON_NUM_THREADS=1
cache=${XDG_CACHE_HOME:-$HOME/.cache}/carom-peers
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rows=$work/rows
here=benches/peers
. $here/install.sh

# Debian builds Simbody with its debugging output, which takes most of the time: the solver itself is compiled here, from Debian's source.
simbody=3.7+dfsg
source=https://deb.debian.org/debian/pool/main/s/simbody/simbody_$simbody.orig.tar.xz
digest=c2e2a3e7def05ba4fda4b216d04d41bdc6477c0cfcec20bfce98c1005532dfb6
prepare_simbody() {
    local solver
    debian g++ libsimbody-dev curl ca-certificates xz-utils || return
    mkdir -p "$cache"
    solver=$(find "$cache" -path "*$simbody*" -name PLUSImpulseSolver.cpp)
    if [ -z "$solver" ]; then
        say "fetching $source"
        curl -fsSL -o "$work/simbody.tar.xz" "$source" &&
            echo "$digest  $work/simbody.tar.xz" | sha256sum -c --quiet >&2 &&
            mkdir -p "$cache/simbody-$simbody" &&
            tar -xf "$work/simbody.tar.xz" -C "$cache/simbody-$simbody" --wildcards '*/PLUSImpulseSolver.cpp' || return
        solver=$(find "$cache" -path "*$simbody*" -name PLUSImpulseSolver.cpp)
    fi
    g++ -O2 -DNDEBUG -w -std=c++17 -o "$work/plus" $here/simbody.cpp "$solver" -I/usr/include/simbody \
        -lSimTKsimbody -lSimTKmath -lSimTKcommon
}
prepare_siconos() {
    debian gcc libc6-dev libsiconos-numerics-dev &&
        gcc -O2 -o "$work/cones" $here/siconos_cones.c -I/usr/include/siconos -I/usr/include/siconos/numerics \
            -lsiconos_numerics -lm
}

cargo build --release --quiet --example peer-impacts
carom=${CARGO_TARGET_DIR:-target}/release/examples/peer-impacts

peers=
prepare_simbody && peers+=" plus" || missing "Simbody PLUSImpulseSolver" "could not be installed or built here" plus
prepare_siconos && peers+=" cones" || missing "Siconos" "could not be installed or built here" cones
version() { dpkg-query -W -f '${Version}' "$1" 2>/dev/null || echo -; }
printf '{"commit": "%s", "processor": "%s", "rounds": %s, "count": %s, "versions": "Simbody %s, Siconos %s, %s"}\n' \
    "$(git rev-parse --short HEAD 2>/dev/null || echo unknown)" "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | sed 's/^ //')" \
    "$rounds" "$impacts" "$(version libsimbody-dev)" "$(version libsiconos-numerics-dev)" "$(rustc --version | cut -d' ' -f1,2)" \
    >>"$rows"

# Everyone's best counts; rounds far apart in time keep another program's busy minute out of it.
for round in $(seq "$rounds"); do
    for what in plus/body/{1,2,4,8} plus/stack/{2,4,8} cones/body/{1,2,5,10,20} cones/stack/{2,5,10,20}; do
        IFS=/ read -r law kind contacts <<<"$what"
        count=$impacts
        [ "$law/$contacts" != cones/20 ] || count=$((impacts / 10))
        say "round $round: $what"
        $pin "$carom" "$law" "$kind" "$contacts" "$count" "$work/impacts" >>"$rows"
        case $peers in *$law*)
            $pin "$work/$law" "$law" "$kind" "$contacts" "$work/impacts" >>"$rows" 2>"$work/errors" || missing "a peer" "ended with an error" "$law"
            ;;
        esac
    done
done
printf '{"load": %s, "cores": %s}\n' "$(cut -d' ' -f2 /proc/loadavg)" "$(nproc --all)" >>"$rows"
python3 $here/impacts.py "$rows"
