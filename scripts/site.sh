#!/usr/bin/env bash
# Builds the site into target/site, ready for any server of files, and says how long that took. A link or
# an anchor that leads nowhere is an error. SITE_REPOSITORY is the address of the repository, for links to its files.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
    if ! command -v apt-get >/dev/null; then
        echo "Python 3 with venv is missing." >&2
        exit 1
    fi
    root=""
    [ "$(id -u)" = 0 ] || root=sudo
    $root apt-get update -qq
    $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3 python3-venv
fi

environment=target/site-python
[ -x "$environment/bin/python" ] || python3 -m venv "$environment"
"$environment/bin/pip" install --quiet --disable-pip-version-check 'zensical>=0.0.73,<0.1' 'mkdocstrings-python>=2,<3'
begun=$(date +%s%N)
"$environment/bin/python" scripts/site_pages.py target/site-pages
"$environment/bin/zensical" build --clean --strict --config-file mkdocs.yml
echo "target/site: $(find target/site -name '*.html' | wc -l) pages in $((($(date +%s%N) - begun) / 1000000)) ms"
