//! Confidence limits of a probability, from counts.

/// Bisections of a probability, enough for double precision.
const BISECTIONS: u32 = 60;

/// The largest probability `p` of an event that occurred `k` times in `n` independent trials, with
/// confidence `1 - b`:
///
/// ```text
/// P(Binomial(n, p) <= k) = b;   for k = 0: p = 1 - b^(1/n)
/// ```
///
/// 1 without trials. `b` is in (0, 1). Source: C. J. Clopper, E. S. Pearson: The use of confidence
/// or fiducial limits illustrated in the case of the binomial. Biometrika 26 (1934) 404-413.
/// Guarantee: over the trials, the result is below the true probability with a probability of at
/// most `b`.
pub fn upper_limit(k: u64, n: u64, b: f64) -> f64 {
    if k >= n {
        return 1.0;
    }
    if k == 0 {
        return -((b.ln() / n as f64).exp_m1());
    }
    let (mut low, mut high) = (k as f64 / n as f64, 1.0);
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (low + high);
        if at_most(k, n, middle) > b { low = middle } else { high = middle }
    }
    high
}

/// Number of trials without the event after which its probability is at most `p`, with confidence
/// `1 - b`.
pub fn trials(p: f64, b: f64) -> u64 {
    (b.ln() / (-p).ln_1p()).ceil().max(1.0) as u64
}

/// `P(Binomial(n, p) <= k)`
fn at_most(k: u64, n: u64, p: f64) -> f64 {
    // The terms C(n, j) p^j (1 - p)^(n - j), by recurrence.
    let mut term = n as f64 * (-p).ln_1p();
    let (mut sum, mut largest) = (1.0, term);
    for j in 0..k {
        term += ((n - j) as f64 / (j + 1) as f64).ln() + (p / (1.0 - p)).ln();
        if term > largest {
            sum *= (largest - term).exp();
            largest = term;
        }
        sum += (term - largest).exp();
    }
    (largest + sum.ln()).exp().min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_those_of_tables() {
        // One-sided 95 % limits; k = 0 is closed form, the others solve the binomial sum by hand.
        assert!((upper_limit(0, 299, 0.05) - 0.009_969_1).abs() < 1e-7);
        assert_eq!(trials(0.01, 0.05), 299);
        assert_eq!(upper_limit(5, 5, 0.05), 1.0);
        // (1 - p)^2 + 2 p (1 - p) = 1 - p^2 = 0.05
        assert!((upper_limit(1, 2, 0.05) - 0.95_f64.sqrt()).abs() < 1e-12);
        // 1 - p^10 = 0.05
        assert!((upper_limit(9, 10, 0.05) - 0.95_f64.powf(0.1)).abs() < 1e-12);
    }

    #[test]
    fn sums_of_binomials_are_those_of_enumeration() {
        for p in [0.1, 0.35, 0.8] {
            for k in 0..8 {
                let outcomes = (0u32..1 << 8).filter(|bits| bits.count_ones() <= k);
                let weight = |bits: u32| {
                    let ones = bits.count_ones() as i32;
                    f64::powi(p, ones) * f64::powi(1.0 - p, 8 - ones)
                };
                let expected: f64 = outcomes.map(weight).sum();
                assert!((at_most(u64::from(k), 8, p) - expected).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn many_trials_do_not_underflow() {
        let p = upper_limit(2000, 1_000_000, 0.05);
        assert!(p > 0.002 && p < 0.0021, "{p}");
    }
}
