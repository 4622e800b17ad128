//! Parsers of option values.

use carom_analysis::{Arithmetic, BoundKind, Wrt};
use carom_core::error::Error;
use carom_engine::run::{COUNT, NONNEGATIVE, POSITIVE, Range, SHARE};
use carom_engine::{Device, Precision};
use carom_law::finite::compliant::Stribeck;
use carom_law::finite::propagative::Kind as SequenceKind;
use carom_law::{
    Compliant, ContactModel, DarbouxKeller, FiniteLaw, Hypothesis, Law, Plus, Sampler,
};
use carom_report::plot::PictureSize;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde_json::Value;

/// The devices of `carom bench`.
#[derive(Clone, Debug)]
pub struct Devices {
    /// Which; `Auto`: the CPU and the adapters.
    pub wanted: Device,
    /// Whether `Auto` takes software adapters too.
    pub software: bool,
}

/// A part of the samples, or of the files of a data set.
#[derive(Clone, Copy, Debug)]
pub struct Shard {
    pub number: u64,
    pub of: u64,
}

pub fn shard(text: &str) -> Result<Shard, String> {
    let parts = text.split_once('/').map(|(i, n)| (i.trim().parse(), n.trim().parse()));
    match parts {
        Some((Ok(number), Ok(of))) if number < of => Ok(Shard { number, of }),
        _ => Err("expected I/N with I from 0 to N - 1, such as 0/8".to_string()),
    }
}

/// The number of a sample, from 0 to 2^63 - 1, as [`samples`].
pub fn sample(text: &str) -> Result<u64, String> {
    match text {
        "0" => Ok(0),
        _ => samples(text).map_err(|error| error.replace("from 1", "from 0")),
    }
}

/// One of `all` by its name; each alias stands for a name, and is not listed.
fn one_of<T: Copy + Send + Sync>(
    all: &'static [T],
    name: fn(T) -> &'static str,
    aliases: &'static [(&'static str, &'static str)],
) -> impl TypedValueParser<Value = T> {
    let listed = all.iter().map(move |value| {
        let of_value = aliases.iter().filter(move |(_, meant)| *meant == name(*value));
        PossibleValue::new(name(*value)).aliases(of_value.map(|(alias, _)| *alias))
    });
    PossibleValuesParser::new(listed).map(move |word| {
        let meant = aliases.iter().find(|(alias, _)| *alias == word).map(|(_, meant)| *meant);
        let named = |value: &&T| name(**value) == meant.unwrap_or(&word);
        *all.iter().find(named).unwrap_or(&all[0])
    })
}

pub fn hypothesis() -> impl TypedValueParser<Value = Hypothesis> {
    one_of(&Hypothesis::ALL, Hypothesis::name, &[])
}

pub fn kind() -> impl TypedValueParser<Value = BoundKind> {
    one_of(&BoundKind::ALL, BoundKind::name, &[])
}

pub fn model() -> impl TypedValueParser<Value = ContactModel> {
    one_of(&ContactModel::ALL, ContactModel::name, &[])
}

pub fn sequences() -> impl TypedValueParser<Value = SequenceKind> {
    one_of(&[SequenceKind::Minimal, SequenceKind::Admissible], SequenceKind::name, &[])
}

pub fn arithmetic() -> impl TypedValueParser<Value = Arithmetic> {
    one_of(&Arithmetic::ALL, Arithmetic::name, &[])
}

pub fn precision() -> impl TypedValueParser<Value = Precision> {
    one_of(&Precision::ALL, Precision::name, &[])
}

pub fn wrt() -> impl TypedValueParser<Value = Wrt> {
    one_of(&Wrt::ALL, Wrt::name, &[("mu", "friction")])
}

fn number(text: &str, fits: impl Fn(&f64) -> bool, expected: &str) -> Result<f64, String> {
    text.parse().ok().filter(fits).ok_or_else(|| expected.to_string())
}

fn ranged(text: &str, range: Range) -> Result<f64, String> {
    number(text, |x| range.holds(*x), &range.expected())
}

pub fn setting(text: &str) -> Result<(String, f64), String> {
    let expected = || "expected NAME=NUMBER, such as theta=90, without a unit".to_string();
    let (name, value) = text.split_once('=').ok_or_else(expected)?;
    let value: f64 = value.trim().parse().map_err(|_| expected())?;
    if value.is_finite() { Ok((name.trim().to_string(), value)) } else { Err(expected()) }
}

/// Two numbers, A..B with A < B.
pub fn range(text: &str) -> Result<(f64, f64), String> {
    let expected = || "expected A..B with A < B, such as 1e-5..1e5".to_string();
    let (low, high) = text.split_once("..").ok_or_else(expected)?;
    let bound = |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.is_finite());
    match (bound(low), bound(high)) {
        (Some(low), Some(high)) if low < high => Ok((low, high)),
        _ => Err(expected()),
    }
}

pub fn sweep(text: &str) -> Result<(String, f64, f64), String> {
    let expected = || "expected NAME=A..B with A < B, such as theta=60..180".to_string();
    let (name, range) = text.split_once('=').ok_or_else(expected)?;
    let (low, high) = self::range(range).map_err(|_| expected())?;
    Ok((name.trim().to_string(), low, high))
}

pub fn spread(text: &str) -> Result<f64, String> {
    number(text, |x| x.is_finite() && *x >= 0.0, "expected a finite number >= 0")
}

pub fn angle(text: &str) -> Result<f64, String> {
    let expected = "expected an angle from 0 to pi, in rad";
    number(text, |x| (0.0..std::f64::consts::PI).contains(x), expected)
}

pub fn speed(text: &str) -> Result<f64, String> {
    let expected = "expected a factor from 1e-9 to 1e9, such as 0.1 for slow motion";
    number(text, |x| (1e-9..=1e9).contains(x), expected)
}

pub fn outcomes(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count @ 1..=64) => Ok(count),
        _ => Err("expected a whole number from 1 to 64".to_string()),
    }
}

pub fn contact(text: &str) -> Result<usize, String> {
    text.trim().parse().map_err(|_| "expected the number of a contact, counted from 0".to_string())
}

pub fn law(text: &str) -> Result<String, String> {
    match Law::named(text) {
        Some(law) => Ok(law.name().to_string()),
        None if FiniteLaw::NAMES.contains(&text) => Err(format!(
            "a law with finitely many outcomes: `carom resolve WHAT --law {text}` lists them"
        )),
        None => Err(format!("no such law; expected one of {}", Law::NAMES.join(", "))),
    }
}

pub fn drawn_law(text: &str) -> Result<Value, String> {
    match text {
        DarbouxKeller::NAME | Compliant::NAME => Ok(text.into()),
        _ => match law(text) {
            Ok(law) => Ok(law.into()),
            Err(e) => Err(format!("{e}, {}, {}", DarbouxKeller::NAME, Compliant::NAME)),
        },
    }
}

pub fn beside_law(text: &str) -> Result<String, String> {
    match text {
        Plus::NAME | Compliant::NAME => Ok(text.to_string()),
        _ => Err(format!("expected {} or {}", Plus::NAME, Compliant::NAME)),
    }
}

/// Parses one to three numbers: the speed, peak and viscous coefficient of [`Stribeck`].
pub fn stribeck(text: &str) -> Result<Stribeck, String> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    let [speed, peak, viscous] = match numbers.as_deref() {
        Ok(&[v]) => [v, 1.0, 0.0],
        Ok(&[v, peak]) => [v, peak, 0.0],
        Ok(&[v, peak, viscous]) => [v, peak, viscous],
        _ => [f64::NAN; 3],
    };
    let law = Stribeck { speed, peak, viscous };
    let finite = [speed, peak, viscous].iter().all(|x| x.is_finite());
    let fits = finite && speed > 0.0 && peak >= 1.0 && viscous >= 0.0;
    fits.then_some(law).ok_or_else(|| {
        "expected a speed > 0, a ratio >= 1 and a number >= 0, such as 0.01 or 0.01,1.2,0"
            .to_string()
    })
}

/// What `--law` says of `carom plot`.
pub const HELP_DRAWN_LAW: &str = "The impact law: routh (the set); single impacts in random order: sequential (with \
    friction; in space with restitution) or propagative (reflections, without); plus (one outcome for each draw of \
    --uncertainty; without it the course of its one outcome); darboux-keller, for the hodograph and the impulse of its \
    outcome; or compliant, for its course";

pub fn size(text: &str) -> Result<PictureSize, String> {
    text.parse().map_err(|error: Error| error.what)
}

pub fn sampler(text: &str) -> Result<Sampler, String> {
    text.parse().map_err(|error: Error| error.what)
}

pub fn device(text: &str) -> Result<Device, String> {
    Device::try_from(text.to_string()).map_err(|error| error.what)
}

pub fn devices(text: &str) -> Result<Devices, String> {
    if text.trim() == "all" {
        return Ok(Devices { wanted: Device::Auto, software: true });
    }
    Ok(Devices { wanted: device(text)?, software: false })
}

pub fn seconds(text: &str) -> Result<f64, String> {
    number(text, |s| *s > 0.0 && *s <= 3600.0, "expected a number above 0, up to 3600, in s")
}

/// A whole number from 1 to 2^63 - 1, with an exponent or one of k, M, G.
pub fn samples(text: &str) -> Result<u64, String> {
    let expected =
        "expected a whole number from 1 to 2^63 - 1, such as 65536, 1e6, 10k or 1M".to_string();
    if let Ok(number) = text.parse::<u64>() {
        return if (1..1 << 63).contains(&number) { Ok(number) } else { Err(expected) };
    }
    let number = match text.char_indices().next_back() {
        Some((at, 'k')) => format!("{}e3", &text[..at]),
        Some((at, 'M')) => format!("{}e6", &text[..at]),
        Some((at, 'G')) => format!("{}e9", &text[..at]),
        _ => text.to_string(),
    };
    match number.parse::<f64>() {
        Ok(x) if x.fract() == 0.0 && x >= 1.0 && x < (1_u64 << 63) as f64 => Ok(x as u64),
        _ => Err(expected),
    }
}

/// The number of a sample: as [`samples`], or 0.
pub fn sample_number(text: &str) -> Result<u64, String> {
    let expected = |_| "expected a whole number from 0 to 2^63 - 1, such as 17 or 1e6".to_string();
    if text.trim() == "0" { Ok(0) } else { samples(text).map_err(expected) }
}

pub fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "expected a whole number from 0 to 2^64 - 1".to_string())
}

pub fn max_steps(text: &str) -> Result<u32, String> {
    let steps = samples(text).ok().and_then(|steps| u32::try_from(steps).ok());
    steps.ok_or_else(|| format!("{}, such as 1000 or 1e5", COUNT.expected()))
}

pub fn threads(text: &str) -> Result<u32, String> {
    let threads = text.parse().ok().filter(|threads| (1..=4096).contains(threads));
    threads.ok_or_else(|| "expected a whole number from 1 to 4096".to_string())
}

pub fn positive(text: &str) -> Result<f64, String> {
    ranged(text, POSITIVE)
}

pub fn nonnegative(text: &str) -> Result<f64, String> {
    ranged(text, NONNEGATIVE)
}

/// Parses the number of samples of a score with pairwise distances. A score uses four times this
/// number, so 1024 take 134 MB of distances for each thread.
pub fn paired(text: &str) -> Result<u64, String> {
    let expected =
        "expected a whole number from 1 to 1024: scores compare each sample with every other";
    samples(text).ok().filter(|count| *count <= 1024).ok_or_else(|| expected.to_string())
}

pub fn share(text: &str) -> Result<f64, String> {
    ranged(text, SHARE)
}
