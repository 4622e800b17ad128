# What run.sh and impacts.sh share: messages, rows for peers that are missing, and packages of Debian. Reads $rows.

say() { echo "$*" >&2; }

# missing WHO WHY [SCENE]: a row instead of numbers.
missing() {
    say "$1: $2"
    printf '{"who": "%s", "missing": "%s", "scene": "%s"}\n' "$1" "$2" "${3:-}" >>"$rows"
}

# debian PACKAGE...: whether the packages are there, after installing them if need be.
debian() {
    local root=
    dpkg -s "$@" >/dev/null 2>&1 && return
    command -v apt-get >/dev/null || return
    [ "$(id -u)" = 0 ] || root=sudo
    say "installing $*"
    { $root apt-get update -qq && $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
        --no-install-recommends "$@"; } >&2
}
