use super::interval::MET;
use super::{Conditions, ContactPhase, Found, IntervalStart, TangentMode};

/// Limit of sweeps over all contacts.
const SWEEPS: usize = 20_000;
/// Number of sweeps between two checks of the conditions.
const LOOK: usize = 50;

/// The impulse of an interval by projected sweeps over its contacts, which all change at once.
/// Sweeps start from the impulse of least norm with all constraints active, so that redundant
/// contacts share the load:
///
/// ```text
/// pi_n <- max(0, pi_n - u+_n / (k W_nn))             (compressing),
/// pi_t <- P(pi_t - u+_t / (k w)),   |P| <= mu pi_n   (not sliding)
/// ```
///
/// with `k` acting contacts, `P` the projection onto the friction disk and `w` the trace of the
/// contact's tangential block of `W`; friction of sliding contacts is proportional to their load.
/// The result depends neither on frames nor on the order of contacts. Source: \[J99\]. Deviation:
/// all contacts at once. If all loads are given, friction minimises a convex energy, and sweeps
/// converge to the unique velocity; otherwise convergence is not proved. Guarantee: ends; the
/// violation measures the accuracy.
pub fn sweeps(start: &IntervalStart<'_>) -> Found {
    let (equations, m) = (start.equations, start.phases.len());
    let (w, mu) = (equations.delassus, equations.friction);
    let states: Vec<TangentMode> = (0..m).map(|i| start.at_first(i)).collect();
    let acting: Vec<usize> = (0..m).filter(|&i| states[i] != TangentMode::Observing).collect();
    let part = 1.0 / acting.len().max(1) as f64;
    let mut impulse = start.impulse(&states);
    for sweep in 1..=SWEEPS {
        let u = start.u + w * &impulse;
        for &i in &acting {
            let rows = equations.tangents(i);
            let along = match states[i] {
                TangentMode::Sliding => {
                    equations.tangential(start.u, i).map(|x| x / start.speed(start.u, i))
                }
                _ => [0.0; 2],
            };
            let gain = w[(i, i)]
                - rows.clone().zip(along).map(|(row, s)| mu[i] * s * w[(i, row)]).sum::<f64>();
            let load = match start.phases[i] {
                ContactPhase::Compressing if gain > 0.0 => {
                    (impulse[i] - part * u[i] / gain).max(0.0)
                }
                ContactPhase::Compressing => 0.0,
                _ => start.left[i],
            };
            impulse[i] = load;
            let weight = equations.tangential_effect(i) * equations.axes as f64;
            let [x, y] = equations.tangential(&impulse, i);
            let [vx, vy] = equations
                .tangential(&u, i)
                .map(|v| if weight > 0.0 { part * v / weight } else { 0.0 });
            let (size, most) = ((x - vx).hypot(y - vy), mu[i] * load);
            let shrink = if size > most { most / size } else { 1.0 };
            let friction = match states[i] {
                TangentMode::Sliding => along.map(|s| -mu[i] * load * s),
                _ => [(x - vx) * shrink, (y - vy) * shrink],
            };
            rows.zip(friction).for_each(|(row, l)| impulse[row] = l);
        }
        if sweep % LOOK == 0 {
            let conditions = Conditions::new(start, &impulse, &states);
            let work = LOOK * impulse.len() * (impulse.len() + 30);
            let done = conditions.largest() <= 0.1 * MET * conditions.change();
            let diverged = !impulse.iter().all(|l| l.is_finite());
            if done || diverged || !equations.limits.spend(work as f64) {
                break;
            }
        }
    }
    let state = |i: usize| match states[i] {
        TangentMode::Rolling if start.speed(&impulse, i) >= (1.0 - 1e-9) * mu[i] * impulse[i] => {
            TangentMode::Impending
        }
        state => state,
    };
    let idle = |i: usize| start.phases[i] == ContactPhase::Compressing && impulse[i] == 0.0;
    let tangents = (0..m).map(|i| if idle(i) { TangentMode::Inactive } else { state(i) }).collect();
    Found::new(start, impulse, tangents)
}
