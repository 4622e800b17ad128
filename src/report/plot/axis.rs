//! The range of an axis, its ticks, and how they are written.

use super::Axis;

/// Relative differences below this value are rounding errors.
const ROUNDING: f64 = 1e-6;
/// Numbers below this value count as 0.
const SMALLEST: f64 = 1e-290;
/// Most decimals of a tick label; beyond, labels are differences from a base number.
const DECIMALS: i32 = 4;

/// The range of an axis: from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxisView {
    pub low: f64,
    pub high: f64,
}

impl AxisView {
    /// The view of some numbers, with room at both ends; where all numbers are equal, they are in
    /// the middle.
    pub fn of(numbers: impl Iterator<Item = f64>, axis: &Axis) -> AxisView {
        let start = if axis.origin { (0.0, 0.0) } else { (f64::INFINITY, f64::NEG_INFINITY) };
        let (low, high) = numbers.fold(start, |(low, high), x| (low.min(x), high.max(x)));
        if low > high {
            return AxisView { low: -1.0, high: 1.0 };
        }
        let largest = axis.scale.max(low.abs()).max(high.abs());
        if high - low <= ROUNDING * largest.max(SMALLEST) {
            let is_zero = low.abs().max(high.abs()) <= ROUNDING * largest;
            let middle = if is_zero { 0.0 } else { 0.5 * low + 0.5 * high };
            let room =
                if largest > SMALLEST { (0.5 * middle.abs()).max(0.1 * largest) } else { 1.0 };
            return AxisView { low: middle - room, high: middle + room };
        }
        let room = 0.06 * (high - low);
        AxisView { low: low - room, high: high + room }
    }

    /// The position of a number in the view: from 0 to 1.
    pub fn place(&self, x: f64) -> f64 {
        (x - self.low) / (self.high - self.low)
    }

    /// Whether a number is in view.
    pub fn shows(&self, x: f64) -> bool {
        (-1e-9..=1.0 + 1e-9).contains(&self.place(x))
    }
}

/// The ticks of an axis: positions, labels, and the title of the axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Ticks {
    /// Each tick and its text.
    pub ticks: Vec<(f64, String)>,
    /// The title: name, subtracted base number, power of ten, unit.
    pub title: String,
}

impl Ticks {
    /// About `wanted` round numbers in view, in this power of ten unless that takes many decimals.
    pub fn new(view: AxisView, axis: &Axis, wanted: f64, shared: Option<i32>) -> Ticks {
        let count = |step: f64| (view.high / step).floor() - (view.low / step).ceil() + 1.0;
        let steps = [1.0, 1.5, 2.25]
            .map(|more| round_step((view.high - view.low) / (more * wanted.max(2.0))));
        let step = steps.into_iter().find(|step| count(*step) >= 2.0).unwrap_or(steps[2]);
        let numbers = |view: AxisView| {
            let (first, last) = ((view.low / step).ceil(), (view.high / step).floor());
            let whole = (0..64).map(move |k| first + f64::from(k));
            whole.take_while(move |k| *k <= last).map(move |k| k * step)
        };
        let largest = view.low.abs().max(view.high.abs());
        // Where all numbers are near one another and far from 0, ticks are differences from one of
        // them.
        let base = match exponent(largest) - exponent(step) > DECIMALS {
            true => round_number(0.5 * view.low + 0.5 * view.high, exponent(step) + 1),
            false => 0.0,
        };
        let shifted = AxisView { low: view.low - base, high: view.high - base };
        let largest = shifted.low.abs().max(shifted.high.abs());
        let short = |power: &i32| base == 0.0 && power - exponent(step) <= DECIMALS;
        let power = shared.filter(short).unwrap_or(power(largest));
        let decimals = (power - exponent(step)).max(0) as usize;
        let written = |x: f64| {
            let text = format!("{:.decimals$}", scaled(x, -power));
            let is_zero = text.trim_start_matches('-').chars().all(|c| c == '0' || c == '.');
            if is_zero { "0".to_string() } else { text }
        };
        let ticks = numbers(shifted).map(|x| (x + base, written(x))).collect();
        let base = match base {
            0.0 => String::new(),
            base => {
                let sign = if base > 0.0 { '-' } else { '+' };
                let digits = (exponent(base.abs()) - exponent(step)).clamp(0, 15) as usize;
                format!(" {sign} {:.digits$e}", base.abs())
            }
        };
        let unit = match (power, axis.unit.as_str()) {
            (0, "") => String::new(),
            (0, unit) => format!(" ({unit})"),
            (power, "") => format!(" (1e{power})"),
            (power, unit) => format!(" (1e{power} {unit})"),
        };
        Ticks { ticks, title: format!("{}{base}{unit}", axis.name) }
    }
}

/// The power of ten in which numbers up to this size are written.
pub fn power(largest: f64) -> i32 {
    match exponent(largest) {
        -1..=3 => 0,
        power => power,
    }
}

fn exponent(x: f64) -> i32 {
    x.log10().floor() as i32
}

/// The next larger of 1, 2 and 5 times a power of ten.
fn round_step(step: f64) -> f64 {
    let power = step.log10().floor() as i32;
    let front = scaled(step, -power);
    let fits = |round: &f64| front <= round * (1.0 + 1e-9);
    scaled([1.0, 2.0, 5.0, 10.0].into_iter().find(fits).unwrap_or(10.0), power)
}

fn round_number(x: f64, power: i32) -> f64 {
    scaled(scaled(x, -power).round(), power)
}

/// `x 10^power`, without rounding errors of powers below 1.
fn scaled(x: f64, power: i32) -> f64 {
    if power >= 0 { x * 10_f64.powi(power) } else { x / 10_f64.powi(-power) }
}
