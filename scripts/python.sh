#!/usr/bin/env bash
# Tests the Python package: builds a wheel with the libraries that the tests of the engine have built, installs it into a virtual
# environment of its own, checks types and stubs, and runs pytest. Arguments go to pytest.
set -euo pipefail
cd "$(dirname "$0")/.."
export NODEVICE_SELECT=1 # Mesa's device-select layer complains where there is no desktop session

python=$(command -v python3.13 || command -v python3.12 || command -v python3.11 || command -v python3 || true)
usable() { "$python" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }
if [ -z "$python" ] || ! usable; then
    if ! command -v apt-get >/dev/null; then
        echo "Python 3.11 or later with venv is missing." >&2
        exit 1
    fi
    root=""
    [ "$(id -u)" = 0 ] || root=sudo
    $root apt-get update -qq
    $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3 python3-venv
    python=$(command -v python3)
    usable || { echo "This system's Python is older than 3.11." >&2; exit 1; }
fi

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
environment=$target/python
[ -x "$environment/bin/python" ] || "$python" -m venv "$environment"
"$environment/bin/pip" install --quiet --disable-pip-version-check 'maturin>=1.16,<2' 'numpy>=1.26'
rm -rf "$target/wheels"
(cd python && "$environment/bin/maturin" build --interpreter "$environment/bin/python" --target-dir "$target" --out "$target/wheels")
"$environment/bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps "$target"/wheels/carom-*.whl
"$environment/bin/pip" install --quiet --disable-pip-version-check "$(ls "$target"/wheels/carom-*.whl)[test]"
"$environment/bin/carom" --version
(cd python && "$environment/bin/mypy")
# The installed package, not the sources, which the folder of the tests does not hold.
cd python/tests
exec "$environment/bin/pytest" --import-mode=importlib -p no:cacheprovider "$@"
