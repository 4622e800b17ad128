//! The friction of compliant contacts.

/// Friction with a coefficient that depends on the sliding speed `s`.
///
/// ```text
/// mu(s) = mu (peak S(s/v)                            s < v
///             peak + (1 - peak) S((s/v - 1)/2)       v <= s < 3 v
///             1                                      above)   + mu viscous s
/// S(x) = 10 x^3 - 15 x^4 + 6 x^5
/// ```
///
/// A contact that should stick creeps. Source: \[USD15\] Sec. 4, a spline of three segments; the
/// paper prints neither the spline nor the end of its second segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stribeck {
    /// The speed `v` of maximal friction, m/s; > 0.
    pub speed: f64,
    /// The maximal coefficient, relative to fast sliding; >= 1.
    pub peak: f64,
    /// The relative growth of the coefficient with the speed, s/m; >= 0.
    pub viscous: f64,
}

impl Stribeck {
    /// `mu(s)/mu`, and its derivative.
    pub fn coefficient(&self, s: f64) -> [f64; 2] {
        let step = |x: f64| {
            let rest = 1.0 - x;
            [x * x * x * (10.0 + x * (6.0 * x - 15.0)), 30.0 * x * x * rest * rest]
        };
        let x = s / self.speed;
        let [part, slope] = if x < 1.0 {
            step(x).map(|y| self.peak * y)
        } else if x < 3.0 {
            let [part, slope] = step(0.5 * (x - 1.0));
            [self.peak + (1.0 - self.peak) * part, 0.5 * (1.0 - self.peak) * slope]
        } else {
            [1.0, 0.0]
        };
        [part + self.viscous * s, slope / self.speed + self.viscous]
    }

    /// `g = mu(s)/(mu s)`, so that friction is `-mu g u_t` times the load, and `(dg/ds)/s`.
    pub fn grip(&self, s: f64) -> [f64; 2] {
        // For smaller s, g equals its limit up to rounding.
        let s = s.max(1e-9 * self.speed);
        let [part, slope] = self.coefficient(s);
        [part / s, (slope - part / s) / (s * s)]
    }
}
