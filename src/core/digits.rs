//! Number formatting for text output.

/// A number of a table with largest value `largest`: in fixed point if readable.
pub fn number(x: f64, largest: f64) -> String {
    if largest != 0.0 && !(1e-3..1e6).contains(&largest) {
        return format!("{:.5e}", x + 0.0);
    }
    // Adding zero turns -0 from rounding into 0.
    format!("{:.6}", (x * 1e6).round() / 1e6 + 0.0)
}

/// The number as text, rounded up: the printed number is at least `x`.
pub fn number_above(x: f64, largest: f64) -> String {
    let text = number(x, largest);
    if !x.is_finite() || text.parse::<f64>().is_ok_and(|written| written >= x) {
        return text;
    }
    let digit = if text.contains('e') { 10_f64.powf(x.abs().log10().floor() - 5.0) } else { 1e-6 };
    number(x + digit, largest)
}

/// Six significant digits, without trailing zeros.
pub fn short(x: f64) -> String {
    let rounded: f64 = format!("{x:.5e}").parse().unwrap_or(x);
    if rounded == 0.0 || (1e-4..1e6).contains(&rounded.abs()) {
        format!("{rounded}")
    } else {
        format!("{rounded:e}")
    }
}

/// `65 536`
pub fn grouped(x: u64) -> String {
    let digits = x.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// A shape in NumPy's notation.
pub fn shown(shape: &[usize]) -> String {
    match shape {
        [one] => format!("({one},)"),
        _ => format!("({})", shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_to_be_read() {
        assert_eq!(number(-1e-9, 1.0), "0.000000");
        assert_eq!(number(-0.25, 1.0), "-0.250000");
        assert_eq!(number(2.5e-7, 3e-7), "2.50000e-7");
        assert_eq!(number(0.0, 0.0), "0.000000");
        assert_eq!(number(-0.0, 1e-9), "0.00000e0");
        for (x, largest) in [
            (0.093018385, 1.0),
            (-0.0930183, 1.0),
            (1.234567e-9, 1e-8),
            (-9.999996e8, 1e9),
            (0.5, 1.0),
        ] {
            let above: f64 = number_above(x, largest).parse().unwrap();
            let most = x + 2e-6 * x.abs().max(1.0).min(largest) + 1e-5 * x.abs();
            assert!((x..=most).contains(&above), "{x}: {above}");
        }
        assert_eq!(number_above(0.5, 1.0), "0.500000");
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(65_536), "65 536");
        assert_eq!(grouped(1_000_000), "1 000 000");
        assert_eq!(short(0.533333333), "0.533333");
        assert_eq!(short(0.3), "0.3");
        assert_eq!(short(0.0), "0");
        assert_eq!(short(1.25e-7), "1.25e-7");
    }
}
