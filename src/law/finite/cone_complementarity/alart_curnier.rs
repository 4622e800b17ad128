use nalgebra::{Matrix3, Vector2, Vector3};

use carom_core::cones::newton::Local;

/// The equations of one contact with friction `mu`, impulse `l` and velocity `u` after the impact,
/// and their derivatives:
///
/// ```text
/// ln - max(0, ln - u_n) = 0,    lt - P_r(lt - u_t) = 0,    r = mu max(0, ln - u_n),
/// ```
///
/// with `P_r` the projection onto the disk of radius `r`. Their solutions satisfy
/// `0 <= ln _|_ u_n >= 0`, `|lt| <= mu ln`, with friction opposite to sliding. Source: \[AC91\],
/// with the penalty 1.
pub fn alart_curnier(mu: f64, l: Vector3<f64>, u: Vector3<f64>) -> Local {
    let y = l - u;
    let mut at = Local { value: l, by_impulse: Matrix3::identity(), by_velocity: Matrix3::zeros() };
    if y[0] <= 0.0 {
        return at;
    }
    at.value[0] = u[0];
    (at.by_impulse[(0, 0)], at.by_velocity[(0, 0)]) = (0.0, 1.0);
    let (radius, slip) = (mu * y[0], y[1].hypot(y[2]));
    if slip <= radius {
        for a in 1..3 {
            at.value[a] = u[a];
            (at.by_impulse[(a, a)], at.by_velocity[(a, a)]) = (0.0, 1.0);
        }
        return at;
    }
    let way = Vector2::new(y[1], y[2]) / slip;
    for a in 1..3 {
        at.value[a] = l[a] - radius * way[a - 1];
        at.by_impulse[(a, 0)] = -mu * way[a - 1];
        at.by_velocity[(a, 0)] = mu * way[a - 1];
        for b in 1..3 {
            let across = f64::from(u8::from(a == b)) - way[a - 1] * way[b - 1];
            at.by_impulse[(a, b)] -= radius / slip * across;
            at.by_velocity[(a, b)] = radius / slip * across;
        }
    }
    at
}
