use nalgebra::{DMatrix, DVector};

use super::{Acting, Friction, IntervalEquations};

/// Limit of Newton steps.
const STEPS: usize = 50;
/// Relative tolerance of friction at its limit.
const ACCURACY: f64 = 1e-8;
/// Relative error of friction near the smallest compliance: the rounding of the equations.
const BLUR: f64 = 1e-6;
/// Smallest compliance, relative to a contact's own response: small enough for rolling, large
/// enough to select among redundant impulses.
const LEAST: f64 = 1e-8;
/// The largest compliance; friction is then 0.
const MOST: f64 = 1e12;
/// Step of the difference quotients.
const DIFFERENCE: f64 = 1e-7;

/// The impulse with impending slip at the contacts `slipping` (indices in `acting`), from contact
/// velocity `u`.
///
/// ```text
/// u+_t = -c pi_t,   c >= 0,   |pi_t| = mu pi_n;   s = u+_t/|u+_t| = -pi_t/|pi_t|
/// ```
///
/// Newton's method finds the compliances `c`, with derivatives by differences. Source: \[USD15\]
/// (2.9). Deviations: the unknowns are compliances instead of directions, so that redundant
/// contacts share loads like compliant ones. A contact with the smallest `c` may roll within its
/// cone, if other contacts have begun to slip too or if redundant impulses can be shared in this
/// way: it has no direction of slip. Guarantee: ends; without convergence, friction is still at its
/// limit, but its direction is inaccurate.
pub fn impending(
    equations: &IntervalEquations<'_>,
    u: &DVector<f64>,
    acting: &mut [Acting],
    slipping: &[usize],
) -> DVector<f64> {
    let k = slipping.len();
    // The unit of a contact's compliance is its own response.
    let unit =
        |place: usize| equations.tangential_effect(acting[place].contact).max(f64::MIN_POSITIVE);
    let units: Vec<f64> = slipping.iter().map(|&place| unit(place)).collect();
    let mut trial = acting.to_vec();
    let mut solve = |c: &[f64]| {
        for ((&place, c), unit) in slipping.iter().zip(c).zip(&units) {
            trial[place].friction = Friction::Held(c * unit);
        }
        let impulse = equations.impulse(u, &trial);
        // The margin of friction below its limit, relative to the friction.
        let margin = slipping.iter().map(|&place| {
            let i = trial[place].contact;
            let [x, y] = equations.tangential(&impulse, i);
            let size = x.hypot(y);
            if size > 0.0 { equations.friction[i] * impulse[i] / size - 1.0 } else { f64::INFINITY }
        });
        let margin: Vec<f64> = margin.collect();
        (impulse, margin)
    };
    let mut c = vec![LEAST; k];
    let (mut impulse, mut margin) = solve(&c);
    for _ in 0..STEPS {
        if equations.limits.is_over() {
            break;
        }
        let solved = |j: usize| {
            let held = c[j] <= 10.0 * LEAST && margin[j] >= -BLUR;
            held || margin[j].abs() <= ACCURACY || c[j] >= MOST
        };
        if (0..k).all(solved) {
            for &place in slipping {
                let i = acting[place].contact;
                let [x, y] = equations.tangential(&impulse, i);
                let over = x.hypot(y) / (equations.friction[i] * impulse[i]);
                if over > 1.0 {
                    equations.tangents(i).for_each(|row| impulse[row] /= over);
                }
            }
            return impulse;
        }
        let free: Vec<usize> = (0..k).filter(|&j| c[j] > LEAST || margin[j] < 0.0).collect();
        let mut slopes = DMatrix::zeros(free.len(), free.len());
        for (column, &j) in free.iter().enumerate() {
            let mut moved = c.clone();
            let step = DIFFERENCE * c[j].max(1e-3);
            moved[j] += step;
            let (_, other) = solve(&moved);
            for (row, &i) in free.iter().enumerate() {
                slopes[(row, column)] = (other[i] - margin[i]) / step;
            }
        }
        let wanted = DVector::from_iterator(free.len(), free.iter().map(|&j| -margin[j]));
        let newton = slopes.clone().lu().solve(&wanted);
        for (at, &j) in free.iter().enumerate() {
            // The compliance grows if friction is too large, and shrinks if it is too small.
            let own = if margin[j] < 0.0 { 9.0 * c[j] + 0.1 } else { -0.9 * c[j] };
            let step = newton.as_ref().map_or(own, |step| step[at]);
            let sensible = step * own > 0.0 && margin[j] < 10.0;
            c[j] = (c[j] + if sensible { step } else { own })
                .clamp(0.1 * c[j], 10.0 * c[j] + 10.0)
                .clamp(LEAST, MOST);
        }
        (impulse, margin) = solve(&c);
    }
    for &place in slipping {
        let [x, y] = equations.tangential(&impulse, acting[place].contact);
        let size = x.hypot(y);
        let s = if size > 0.0 { [-x / size, -y / size] } else { [0.0; 2] };
        acting[place].friction = Friction::Along(s);
    }
    equations.impulse(u, acting)
}
