//! Numbers and names in reports.

use std::fmt::Write;

use crate::ContactProblem;
pub use crate::digits::{grouped, number, number_above, short};
use crate::outcome::modes::Mode;

/// A line of a report's head.
pub fn line(text: &mut String, key: &str, value: &str) {
    let _ = writeln!(text, "{key:<12}{value}");
}

/// The range of numbers, or their common value.
pub fn ranged(numbers: &[f64]) -> String {
    let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let most = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if least < most { format!("{} to {}", short(least), short(most)) } else { short(least) }
}

/// The name and the sizes of the problem.
pub fn problem_line(problem: &ContactProblem) -> String {
    let kind = ["frictionless", "planar", "spatial"][problem.tangents_per_contact()];
    let (n, m) = (problem.coordinate_count(), problem.contact_count());
    let name = printable(problem.name());
    let name = if name.is_empty() { "(no name)" } else { &name };
    format!("{name}: {kind}, {}, {}", count(n, "coordinate"), count(m, "contact"))
}

/// The number of samples in the set, and the number left out.
pub fn kept(accepted: u64, samples: u64) -> String {
    let left_out = match samples - accepted {
        0 => String::new(),
        count => format!(", {} left out", grouped(count)),
    };
    format!("{} accepted samples{left_out}", grouped(accepted))
}

/// The letter of a contact mode in reports.
pub fn letter(mode: Mode, tangents: usize) -> char {
    match mode {
        Mode::Lift => 'L',
        Mode::Stick => 'S',
        Mode::Slide if tangents == 1 => '+',
        Mode::Slide => '~',
        Mode::SlideBack => '-',
    }
}

/// A name without characters that control a terminal.
pub fn printable(name: &str) -> String {
    name.replace(char::is_control, " ")
}

/// A number rounded to three digits.
pub fn three_digits(x: f64) -> f64 {
    format!("{x:.2e}").parse().unwrap_or(x)
}

/// A share; 100 % and 0 % only if exact.
pub fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "-".to_string();
    }
    let share = 100.0 * part as f64 / whole as f64;
    let bounded = if part == 0 || part == whole { share } else { share.clamp(0.01, 99.99) };
    format!("{bounded:.2} %")
}

/// A number of things, such as `2 contacts`.
pub fn count(n: usize, of: &str) -> String {
    let plural = match (n, of.ends_with('s')) {
        (1, _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{} {of}{plural}", grouped(n as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_to_be_read() {
        assert_eq!([count(1, "toss"), count(2, "toss")], ["1 toss", "2 tosses"]);
        assert_eq!(percent(1, 1_000_000), "0.01 %");
        assert_eq!(percent(999_999, 1_000_000), "99.99 %");
        assert_eq!(percent(3, 3), "100.00 %");
        assert_eq!(percent(0, 0), "-");
        assert_eq!(count(1, "contact"), "1 contact");
    }
}
