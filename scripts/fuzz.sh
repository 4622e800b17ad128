#!/usr/bin/env bash
# scripts/fuzz.sh MINUTES [TARGET]: changed files and random problems (tests/fuzz) with new seeds. Prints what fails, and at the end what
# became of the cases of each target. Failing inputs go to a folder (FUZZ_DIR, else target/fuzz), each with what is wrong and how to repeat it.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -ge 1 ] && [ $# -le 2 ] || { echo "usage: scripts/fuzz.sh MINUTES [TARGET]" >&2; exit 2; }
end=$((SECONDS + 60 * $1))
mkdir -p "${FUZZ_DIR:=${CARGO_TARGET_DIR:-target}/fuzz}"
rm -f "$FUZZ_DIR"/counts-*
CAROM_FUZZ_DIR=$(realpath "$FUZZ_DIR")
export CAROM_FUZZ_DIR CAROM_FUZZ_TARGET=${2:-}
cargo test --quiet --test fuzz --no-run
while [ $SECONDS -lt $end ]; do
    export CAROM_FUZZ_SECONDS=$((end - SECONDS))
    # Messages of commands go to stderr. A case that ends the program is kept by its name, and the next ones follow.
    if cargo test --quiet --test fuzz -- --ignored --exact long::long --nocapture 2>"$CAROM_FUZZ_DIR/messages"; then
        break
    fi
    case=$(cat "$CAROM_FUZZ_DIR/running")
    echo "$case ended the program: $(tail -n 1 "$CAROM_FUZZ_DIR/messages")" | tee -a "$CAROM_FUZZ_DIR/ended.txt"
    export CAROM_FUZZ_SEED=$(date +%s)
done
cat "$CAROM_FUZZ_DIR"/counts-*
