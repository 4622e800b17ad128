#!/usr/bin/env bash
# scripts/capi.sh install PREFIX: builds the C interface and installs it: libraries, carom.h, carom.hpp, what CMake's
#                                 find_package(carom) and pkg-config read
# scripts/capi.sh test: compiles and runs the examples, with what scripts/test.sh has built
set -euo pipefail
cd "$(dirname "$0")/.."
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
version=$(sed -n 's/^version = "\(.*\)"/\1/p' capi/Cargo.toml | head -1)
# Before 1.0 a minor version may change the interface; capi/build.rs says so to the linker.
case $version in 0.*) interface=${version%.*} ;; *) interface=${version%%.*} ;; esac
case $(uname -s) in
Darwin) built=libcarom_c.dylib shared=libcarom.$version.dylib names="libcarom.$interface.dylib libcarom.dylib" system="-framework CoreFoundation" ;;
Linux) built=libcarom_c.so shared=libcarom.so.$version names="libcarom.so.$interface libcarom.so" system="-lgcc_s -lutil -lrt -lpthread -lm -ldl" ;;
*) echo "scripts/capi.sh knows Linux and macOS; elsewhere: cargo build --release --package carom-c" >&2; exit 1 ;;
esac

# put LIBRARIES PREFIX HOW...: what `install` installs; LIBRARIES is the folder with what cargo has built, and HOW puts
#                              one of them into place
put() {
    local libraries=$1 prefix=$2
    shift 2
    mkdir -p "$prefix/include" "$prefix/lib/pkgconfig" "$prefix/lib/cmake/carom"
    install -m 644 capi/include/carom.h capi/include/carom.hpp "$prefix/include"
    "$@" "$libraries/$built" "$prefix/lib/$shared"
    for name in $names; do ln -sf "$shared" "$prefix/lib/$name"; done
    "$@" "$libraries/libcarom_c.a" "$prefix/lib/libcarom.a"
    filled() { sed "s/@version@/$version/; s/@interface@/$interface/; s/@shared@/$shared/; s/@system@/$system/" "capi/cmake/$1.in"; }
    filled carom.pc >"$prefix/lib/pkgconfig/carom.pc"
    for name in caromConfig caromConfigVersion; do filled $name.cmake >"$prefix/lib/cmake/carom/$name.cmake"; done
}

case ${1:-} in
install)
    prefix=${2:?scripts/capi.sh install PREFIX}
    cargo build --release --package carom-c
    put "$target/release" "$prefix" install -m 755
    echo "carom $version is in $prefix"
    ;;
test)
    # Nothing is built where the tests have run.
    cargo test --quiet --workspace --exclude carom-web --exclude carom-proof --exclude carom-programs --no-run --test c
    folder=$target/capi
    rm -rf "$folder"
    put "$target/debug/deps" "$folder/carom" ln -s
    export PKG_CONFIG_PATH=$folder/carom/lib/pkgconfig LD_LIBRARY_PATH=$folder/carom/lib DYLD_LIBRARY_PATH=$folder/carom/lib
    flags="-I$folder/carom/include -Icapi/examples"
    warnings="-Wall -Wextra -Wpedantic -Werror"
    link="-L$folder/carom/lib -lcarom"
    ! command -v pkg-config >/dev/null || link=$(pkg-config --libs carom)
    cc -std=c99 $warnings $flags capi/examples/questions.c $link -lm -o "$folder/questions"
    # Eigen's headers are the system's, whose warnings are its own.
    [ ! -d /usr/include/eigen3 ] || flags="$flags -isystem /usr/include/eigen3"
    "$folder/questions" capi/examples/rocking-block.txt | diff - capi/examples/questions.out
    command -v c++ >/dev/null || { echo "There is no C++ compiler: carom.hpp was not tried." >&2; exit 0; }
    for program in capi/examples/loop.cpp capi/tests/wrapper.cpp; do
        c++ -std=c++17 -O1 $warnings $flags $program $link -o "$folder/$(basename $program .cpp)"
    done
    "$folder/loop" capi/examples/quadruped-trot.txt 20 16
    "$folder/wrapper"
    if command -v cmake >/dev/null; then
        cmake -S capi/examples -B "$folder/cmake" -DCMAKE_PREFIX_PATH="$folder/carom" >/dev/null
        cmake --build "$folder/cmake" >/dev/null
        "$folder/cmake/questions" capi/examples/rocking-block.txt | diff - capi/examples/questions.out
        "$folder/cmake/loop" capi/examples/rocking-block.txt 20 1000 1e-3
    fi
    ;;
*)
    sed -n '2,4s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
