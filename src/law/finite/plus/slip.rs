use nalgebra::{DMatrix, DVector};

use super::{Acting, Friction, IntervalEquations};

/// Most steps of Newton's method.
const STEPS: usize = 50;
/// Relative error of friction within which it is at its limit.
const ACCURACY: f64 = 1e-8;
/// Relative error of friction with a compliance near the least one: the rounding of these
/// equations.
const BLUR: f64 = 1e-6;
/// The least compliance, over a contact's own response: small enough that a contact with it rolls,
/// large enough to choose among redundant impulses.
const LEAST: f64 = 1e-8;
/// The largest compliance, with which friction is 0.
const MOST: f64 = 1e12;
/// Step of the difference quotients.
const DIFFERENCE: f64 = 1e-7;

/// The impulse with which the contacts at the places `slipping` of `acting` are in impending slip,
/// from contact velocity `u`.
///
/// ```text
/// u+_t = -c pi_t,   c >= 0,   |pi_t| = mu pi_n;   s = u+_t/|u+_t| = -pi_t/|pi_t|
/// ```
///
/// Newton's method finds the compliances `c`, with derivatives from differences. Source: \[USD15\]
/// (2.9). Deviations: the unknowns are the compliances instead of the directions, so that redundant
/// contacts share as compliant ones. A contact with the least `c` may roll within its cone, where
/// other contacts have begun to slip too or where redundant impulses can be shared that way: such a
/// contact has no direction of slip. Guarantee: ends; where the method did not converge, friction
/// is still at its limit, but its direction is off.
pub fn impending(
    equations: &IntervalEquations<'_>,
    u: &DVector<f64>,
    acting: &mut [Acting],
    slipping: &[usize],
) -> DVector<f64> {
    let k = slipping.len();
    // A contact's own response is the unit of its compliance.
    let unit =
        |place: usize| equations.tangential_effect(acting[place].contact).max(f64::MIN_POSITIVE);
    let units: Vec<f64> = slipping.iter().map(|&place| unit(place)).collect();
    let mut trial = acting.to_vec();
    let mut solve = |c: &[f64]| {
        for ((&place, c), unit) in slipping.iter().zip(c).zip(&units) {
            trial[place].friction = Friction::Held(c * unit);
        }
        let impulse = equations.impulse(u, &trial);
        // By what part friction is below its limit, relative to the limit.
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
            // The compliance grows where friction is too large, and shrinks where it is too small.
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
