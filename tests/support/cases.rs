//! How many random cases a test takes.

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

/// Most contacts of a scene that tests sample by the thousand: a sample of the others takes
/// milliseconds.
pub const FEW: usize = 5;

/// `few` cases, or `many` where the environment says `CAROM_MORE_CASES=1`.
pub fn cases<T>(few: T, many: T) -> T {
    if std::env::var("CAROM_MORE_CASES").is_ok_and(|value| value == "1") { many } else { few }
}

/// Random cases, the same in every run. `CAROM_MORE_CASES=1` draws new ones; `PROPTEST_RNG_SEED`
/// names others.
pub fn random_cases(count: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    let rng_seed = match default.rng_seed {
        RngSeed::Random => cases(RngSeed::Fixed(1), RngSeed::Random),
        named => named,
    };
    ProptestConfig { cases: count, rng_seed, failure_persistence: None, ..default }
}

/// A table in text: a row a line, with cells between `|` or ` => `. `\n` is the end of a line in a
/// cell; a line that begins with blanks goes on with the one before.
pub fn table<const N: usize>(text: &str) -> Vec<[String; N]> {
    let rows = text.trim_matches('\n').replace("\n    ", " ").replace(" => ", " | ");
    let row = |line: &str| {
        let cells = line.split('|').map(|cell| cell.trim().replace("\\n", "\n"));
        cells.collect::<Vec<_>>().try_into().unwrap_or_else(|_| panic!("{N} cells: {line}"))
    };
    rows.lines().map(row).collect()
}
