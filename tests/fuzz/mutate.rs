//! Changes of inputs: bytes, words and numbers of texts, values of JSON.

use serde_json::{Map, Value};

use crate::support::draws::Draws;

/// Numbers at which programs fail.
const NUMBERS: &str = "0 -0.0 1 -1 1e-320 1e308 -1e308 1e309 1e-400 nan inf -inf 2 0.5 1e-12 1e12 \
    1e100 1e-100 9007199254740993 18446744073709551615 18446744073709551616 -9223372036854775808 \
    4294967295 4294967296 65536 127 128 255 256 1e6 3.141592653589793 0x10 1_000 1e 07 .5";

/// Texts at which programs fail.
#[rustfmt::skip]
const TEXTS: [&str; 24] = [
    "", " ", "\"", "'", "\\", "\0", "\u{1b}[31m", "\u{7}", "é", "\u{202e}", "null", "true", "[]",
    "{}", "[[", "]]", "x", "../x", "%s", "-", "--", "a.b.c", "1,2,3", "\u{10FFFF}",
];

pub fn number(draws: &mut Draws) -> &'static str {
    let numbers: Vec<&str> = NUMBERS.split(' ').collect();
    numbers[draws.below(numbers.len())]
}

/// Changes a few bytes: flips, inserts, deletes, repeats and moves them, cuts the end off.
pub fn bytes(draws: &mut Draws, given: &[u8]) -> Vec<u8> {
    let mut bytes = given.to_vec();
    for _ in 0..[1, 1, 2, 4][draws.below(4)] {
        let place = |draws: &mut Draws, length: usize| draws.below(length.max(1)).min(length);
        let at = place(draws, bytes.len());
        let end = (at + 1 + draws.below(32)).min(bytes.len());
        match draws.below(9) {
            0 if at < bytes.len() => bytes[at] ^= 1 << draws.below(8),
            1 if at < bytes.len() => bytes[at] = draws.word() as u8,
            2 => bytes.insert(at, draws.word() as u8),
            3 => drop(bytes.drain(at..end)),
            4 => {
                let part = bytes[at..end].to_vec();
                let to = place(draws, bytes.len());
                bytes.splice(to..to, part);
            }
            5 => bytes.truncate(at),
            6 => {
                // A number of four bytes: often a size or a place.
                let words = [0, u32::MAX, 1 << 31, i32::MAX as u32, draws.word()];
                let word = words[draws.below(5)].to_le_bytes();
                let end = (at + 4).min(bytes.len());
                bytes[at..end].copy_from_slice(&word[..end - at]);
            }
            7 => {
                let times = 1 + draws.below(20);
                let part = bytes[at..end].repeat(times);
                bytes.splice(at..at, part);
            }
            _ if at < bytes.len() => bytes[at] = [0, 0xff, 0x7f, 0x80][draws.below(4)],
            _ => {}
        }
    }
    bytes
}

/// A text in words, numbers and single other characters.
fn tokens(text: &str) -> Vec<&str> {
    let kind = |c: char| if c.is_alphanumeric() || "_.+-".contains(c) { 0 } else { 1 };
    let mut tokens = Vec::new();
    let mut from = 0;
    let mut last = None;
    for (at, c) in text.char_indices() {
        if last.is_some_and(|last| last == 1 || last != kind(c)) {
            tokens.push(&text[from..at]);
            from = at;
        }
        last = Some(kind(c));
    }
    tokens.push(&text[from..]);
    tokens
}

/// Changes words and numbers of a text, takes others from `other`, changes lines, and now and then
/// bytes; one text in eight stays as it is.
pub fn text(draws: &mut Draws, given: &str, other: &str) -> Vec<u8> {
    let (words, strange) = (tokens(given), tokens(other));
    let mut words: Vec<String> = words.into_iter().map(str::to_string).collect();
    if draws.below(8) == 0 {
        return given.as_bytes().to_vec();
    }
    for _ in 0..[1, 1, 1, 2, 4][draws.below(5)] {
        if words.is_empty() {
            break;
        }
        // A word or a number, if one is near.
        let start = draws.below(words.len());
        let near = |i: &usize| words[*i].chars().any(char::is_alphanumeric);
        let at = (start..words.len()).find(near).unwrap_or(start);
        let is_number = words[at].parse::<f64>().is_ok();
        let new = match draws.below(12) {
            0..=2 if is_number => number(draws).to_string(),
            3..=8 if is_number => format!(
                "{:e}",
                words[at].parse::<f64>().unwrap_or(0.0) * 10f64.powf(draws.uniform(-12.0, 12.0))
            ),
            9 => TEXTS[draws.below(TEXTS.len())].to_string(),
            10 => String::new(),
            _ => strange[draws.below(strange.len())].to_string(),
        };
        words[at] = new;
    }
    let mut text = words.concat();
    if draws.below(8) == 0 {
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        let (a, b) = (draws.below(lines.len().max(1)), draws.below(lines.len().max(1)));
        if !lines.is_empty() {
            match draws.below(3) {
                0 => drop(lines.remove(a)),
                1 => lines.insert(b, lines[a]),
                _ => lines.swap(a, b),
            }
        }
        text = lines.concat();
    }
    if draws.below(8) == 0 { bytes(draws, text.as_bytes()) } else { text.into_bytes() }
}

/// A value that may stand where another one is expected.
fn strange(draws: &mut Draws) -> Value {
    match draws.below(9) {
        0 => Value::Null,
        1 => Value::Bool(true),
        2 => Value::Array(Vec::new()),
        3 => Value::Object(Map::new()),
        4 => TEXTS[draws.below(TEXTS.len())].into(),
        5 => vec![Value::from(draws.uniform(-1.0, 1.0)); draws.below(5)].into(),
        6 => (draws.word() as i32).into(),
        _ => number(draws).parse::<f64>().map_or(Value::Null, Value::from),
    }
}

/// Changes a value of JSON at a random place: another value, one more, one less, one twice.
pub fn json(draws: &mut Draws, value: &mut Value) {
    let inner = draws.below(5) > 0;
    match value {
        Value::Array(items) if inner && !items.is_empty() => {
            let at = draws.below(items.len());
            match draws.below(10) {
                0 => drop(items.remove(at)),
                1 => items.insert(at, items[at].clone()),
                2 => items.swap(0, at),
                _ => json(draws, &mut items[at]),
            }
        }
        Value::Object(entries) if inner && !entries.is_empty() => {
            let key = entries.keys().nth(draws.below(entries.len())).cloned().unwrap_or_default();
            match draws.below(12) {
                0 => drop(entries.remove(&key)),
                1 => drop(entries.insert(format!("{key}x"), Value::Null)),
                _ => json(draws, &mut entries[&key]),
            }
        }
        Value::Number(x) if draws.below(3) > 0 => {
            let x = x.as_f64().unwrap_or(0.0) * 10f64.powf(draws.uniform(-12.0, 12.0));
            *value = if draws.below(2) == 0 { x.into() } else { (-x).into() };
        }
        _ => *value = strange(draws),
    }
}
