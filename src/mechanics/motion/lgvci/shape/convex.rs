//! Convex bodies from a function: implicit `f(x) <= 0`, or a support function.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use super::ellipsoid::Support;
use super::quadrature::{COUNT, integrate};
use crate::motion::lgvci::algebra::{
    Mat3, Vec3, add, apply, apply_transposed, cross, dot, norm, scaled, sub,
};
use carom_core::error::{Error, Result};
use carom_core::expression::{Bend, Expression, ExpressionShape, Fault, Interval, Jet};

/// Number of directions in which convexity is checked.
pub const DIRECTIONS: usize = 2000;
/// Relative curvature inwards, compared with the size of the body, that counts as rounding.
const ROUNDING: f64 = 1e-9;
/// Maximum number of Newton steps, and of halvings in a line search.
const STEPS: usize = 100;
const HALVINGS: usize = 60;
/// Most sections of a ray.
const SECTIONS: usize = 200;
/// Largest size, over a length of 1 m, at which the end of a ray is sought.
const FARTHEST: f64 = 1e9;
/// Tolerances of the outer and the inner quadrature, relative to the ball around the body.
const OUTER: f64 = 1e-10;
const INNER: f64 = 1e-11;

/// Meaning of the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The body is where `f(x, y, z) <= 0`.
    Implicit,
    /// Support function `h(n)` of the body, for unit vectors `n = (x, y, z)`.
    Support,
}

/// Smooth convex body around the origin of its frame.
///
/// A convex function `G` that is homogeneous of degree 1 describes it: for `f(x) <= 0` the gauge
/// `g`, the inverse of the factor by which a vector reaches the boundary; for a support function
/// `h` itself, `G(v) = |v| h(v / |v|)`. Each follows from the other by a minimum on a plane: `1 /
/// h(n) = min g(v), n.v = 1`, and `1 / g(v) = min h(n), n.v = 1`.
#[derive(Clone, Debug, PartialEq)]
pub struct Convex {
    form: Form,
    function: Arc<Expression>,
    center: Vec3,
    turn: Mat3,
    /// Whether the rules of composition prove convexity.
    proved: bool,
    /// Maximum of `1 / G` for an implicit body, of `G` for a support function, over the sampled
    /// directions.
    reach: f64,
}

impl Convex {
    /// The body of a function of `x`, `y`, `z`, turned and moved to `center`.
    ///
    /// Convexity is proved by rules of composition if they apply; otherwise the curvature is
    /// checked in [`DIRECTIONS`] directions only.
    ///
    /// # Errors
    /// A function without value or derivatives at a sampled point; a body that does not contain the
    /// origin of its frame, is not bounded, or is not convex there.
    pub fn new(form: Form, function: Expression, center: Vec3, turn: &Mat3) -> Result<Self> {
        let shape = function.value(&[ExpressionShape::name(Interval::ALL); 3]);
        let proved =
            |shape: ExpressionShape| matches!(shape.bend, Bend::Convex | Bend::Quasiconvex);
        let proved = form == Form::Implicit && shape.is_ok_and(proved);
        let function = Arc::new(function);
        let mut body = Convex { form, function, center, turn: *turn, proved, reach: 0.0 };
        let smooth = "the boundary has to be smooth; a union is a list of shapes";
        let fault = |Fault { what, .. }: Fault| Error::input(what).hint(smooth);
        if form == Form::Implicit {
            let inside = body.jet([0.0; 3]).map_err(fault)?.value;
            if inside >= 0.0 {
                let what = format!("the body does not hold the origin, where f = {inside}");
                return Err(Error::input(what).hint("f(0, 0, 0) < 0; `center` moves the body"));
            }
        }
        for u in directions(DIRECTIONS) {
            let at = format!("in the direction {:.3}, {:.3}, {:.3}", u[0], u[1], u[2]);
            if form == Form::Support {
                body.jet(u).map_err(fault)?;
            }
            let Some(jet) = body.gauge(u).filter(|jet| jet.value.is_finite() && jet.value > 0.0)
            else {
                let what = match form {
                    Form::Implicit => format!("the body has no end {at}"),
                    Form::Support => format!("the support function is not > 0 {at}"),
                };
                return Err(Error::input(what).hint("it is bounded, and holds the origin"));
            };
            let [e, d] = tangents(u);
            let [a, b, c] = [[e, e], [e, d], [d, d]].map(|[x, y]| dot(x, apply(&jet.hessian, y)));
            let least = 0.5 * (a + c - ((a - c) * (a - c) + 4.0 * b * b).sqrt());
            if least < -ROUNDING * jet.value {
                let what = format!("the function does not bend as that of a convex body {at}");
                return Err(Error::input(what));
            }
            let far = if form == Form::Implicit { 1.0 / jet.value } else { jet.value };
            body.reach = body.reach.max(far);
        }
        Ok(body)
    }

    /// Whether the body is known to be convex; otherwise it was checked in [`DIRECTIONS`]
    /// directions.
    pub fn is_proved(&self) -> bool {
        self.proved
    }

    /// The least `q . x` of the body, and its point.
    ///
    /// For an implicit body this is the point with the gradient of `f` opposite to `q`. Newton's
    /// method with line search finds it on the gauge, which is convex, from any start. Source:
    /// \[TL24\] Sec. 6.2, (62), (63) and Remark 6.2, which leave the method for the minimum open.
    /// Accuracy: rounding; for the point on a flat face its cube root.
    pub fn support(&self, q: Vec3) -> Support {
        let away = scaled(apply_transposed(&self.turn, q), -1.0);
        let point = match self.form {
            Form::Implicit => {
                let (v, jet) = self.least(away);
                scaled(v, 1.0 / jet.value)
            }
            Form::Support => self.gauge(away).map_or([0.0; 3], |jet| jet.gradient),
        };
        let point = add(self.center, apply(&self.turn, point));
        Support { value: dot(q, point), point }
    }

    /// The body moved by `by`.
    pub fn moved(&self, by: Vec3) -> Self {
        Convex { center: add(self.center, by), ..self.clone() }
    }

    /// The origin of the function's frame, and the rotation of its axes.
    pub fn pose(&self) -> (Vec3, &Mat3) {
        (self.center, &self.turn)
    }

    /// The moments `int (1, x, y, z, xx, yy, zz, xy, xz, yz) dV` in the frame of the function.
    ///
    /// With the distance `r(d)` of the boundary along unit vectors `d` they are
    /// `int (r^3/3, r^4/4 d, r^5/5 d d') dd` over the sphere. Accuracy: 1e-10 of the ball
    /// around the body, as adaptive quadrature estimates it.
    pub fn moments(&self) -> [f64; COUNT] {
        let r = self.reach;
        let volume = r * r * r;
        let sizes = [1.0, r, r, r, r * r, r * r, r * r, r * r, r * r, r * r];
        let [outer, inner] = [OUTER, INNER].map(|part| sizes.map(|size| part * volume * size));
        integrate(&[-1.0, 1.0], 2, &outer, &mut |z| {
            let across = (1.0 - z * z).max(0.0).sqrt();
            integrate(&[0.0, TAU], 4, &inner, &mut |angle| {
                let d = [across * angle.cos(), across * angle.sin(), z];
                let r = self.radius(d);
                let (third, fourth) = (r * r * r / 3.0, r * r * r * r / 4.0);
                let fifth = r * r * r * r * r / 5.0;
                let [x, y, z] = d;
                let second = [x * x, y * y, z * z, x * y, x * z, y * z].map(|x| fifth * x);
                let [xx, yy, zz, xy, xz, yz] = second;
                [third, fourth * x, fourth * y, fourth * z, xx, yy, zz, xy, xz, yz]
            })
        })
    }

    /// The distance of the boundary from the origin along a unit vector.
    fn radius(&self, d: Vec3) -> f64 {
        match self.form {
            Form::Implicit => self.ray(d).unwrap_or(f64::NAN),
            Form::Support => self.least(d).1.value,
        }
    }

    /// The function at a point.
    fn jet(&self, point: Vec3) -> Result<Jet, Fault> {
        self.function.value(&Jet::variables(point))
    }

    /// The minimum of `G` on the plane `q . v = 1`.
    fn least(&self, q: Vec3) -> (Vec3, Jet) {
        let mut v = scaled(q, 1.0 / dot(q, q));
        let nothing = Jet { value: f64::NAN, gradient: [0.0; 3], hessian: [[0.0; 3]; 3] };
        let mut here = self.gauge(v).unwrap_or(nothing);
        let [e, d] = tangents(scaled(q, 1.0 / norm(q)));
        let slope = |jet: &Jet| [dot(e, jet.gradient), dot(d, jet.gradient)];
        let steepness = |jet: &Jet| slope(jet)[0].hypot(slope(jet)[1]);
        for _ in 0..STEPS {
            let [s, t] = slope(&here);
            if s.hypot(t) <= f64::EPSILON * norm(here.gradient) {
                break;
            }
            let [a, b, c] = [[e, e], [e, d], [d, d]].map(|[x, y]| dot(x, apply(&here.hessian, y)));
            // Where the boundary is flat or has no curvature, the step is along the slope.
            let room = ROUNDING * ROUNDING * here.value / dot(v, v) + a.max(c) * f64::EPSILON;
            let (a, c) = (a + room, c + room);
            let det = a * c - b * b;
            let newton = [(b * t - c * s) / det, (b * s - a * t) / det];
            let downwards = det > 0.0 && newton.iter().all(|x| x.is_finite());
            let [x, y] =
                if downwards { newton } else { [-s, -t].map(|x| x * dot(v, v) / here.value) };
            let change = add(scaled(e, x), scaled(d, y));
            let falls = |part: f64| {
                let next = add(v, scaled(change, part));
                let jet = self.gauge(next)?;
                let enough = here.value + 1e-4 * part * (s * x + t * y);
                let rounding = 4.0 * f64::EPSILON * here.value;
                let better = jet.value <= enough && jet.value < here.value - rounding
                    || jet.value <= here.value + rounding && steepness(&jet) < steepness(&here);
                better.then_some((next, jet))
            };
            match (0..HALVINGS).find_map(|k| falls(0.5_f64.powi(k as i32))) {
                Some(found) => (v, here) = found,
                None => break,
            }
        }
        (v, here)
    }

    /// `G` with its derivatives; `None` where the function has none.
    fn gauge(&self, v: Vec3) -> Option<Jet> {
        let size = norm(v);
        let u = scaled(v, 1.0 / size);
        match self.form {
            // g = 1/t at t v on the boundary; its gradient is n = grad f / (f' x), and its second
            // derivatives are D^2 g = t P' D^2 f P / (f' x), P = I - x n'.
            Form::Implicit => {
                let x = scaled(u, self.ray(u)?);
                let jet = self.jet(x).ok()?;
                let along = dot(jet.gradient, x);
                let n = scaled(jet.gradient, 1.0 / along);
                let t = norm(x) / size;
                let project = |w: Vec3| sub(w, scaled(x, dot(n, w)));
                let hessian = bent(&jet.hessian, t / along, project);
                (along > 0.0).then_some(Jet { value: 1.0 / t, gradient: n, hessian })
            }
            // G = |v| h(v/|v|): gradient h u + P h', second derivatives
            // (P D^2 h P + (h - h' u) P) / |v|, P = I - u u'.
            Form::Support => {
                let Jet { value: h, gradient, hessian } = self.jet(u).ok()?;
                let along = dot(gradient, u);
                let project = |w: Vec3| sub(w, scaled(u, dot(u, w)));
                let mut hessian = bent(&hessian, 1.0 / size, project);
                for i in 0..3 {
                    for j in 0..3 {
                        let unit = if i == j { 1.0 } else { 0.0 };
                        hessian[i][j] += (h - along) / size * (unit - u[i] * u[j]);
                    }
                }
                Some(Jet {
                    value: h * size,
                    gradient: add(scaled(u, h - along), gradient),
                    hessian,
                })
            }
        }
    }

    /// Distance at which a ray from the origin along a unit vector leaves an implicit body, by
    /// bracketed secants.
    fn ray(&self, u: Vec3) -> Option<f64> {
        // A point without value is outside.
        let at = |s: f64| (s, self.function.value(&scaled(u, s)).unwrap_or(f64::INFINITY));
        let first = if self.reach > 0.0 { self.reach } else { 1.0 };
        let (mut last, mut here) = (at(0.0), at(first));
        while here.1 <= 0.0 {
            (last, here) = (here, at(2.0 * here.0));
            if here.0 > FARTHEST * first {
                return None;
            }
        }
        let (mut low, mut high) = (last.0, here.0);
        for k in 0..SECTIONS {
            let secant = here.0 - here.1 * (here.0 - last.0) / (here.1 - last.1);
            let inside = secant > low && secant < high && k % 8 != 7;
            (last, here) = (here, at(if inside { secant } else { 0.5 * (low + high) }));
            if here.1 > 0.0 {
                high = here.0
            } else {
                low = here.0
            }
            let moved = (here.0 - last.0).abs().min(high - low);
            if here.1 == 0.0 || moved <= f64::EPSILON * here.0 {
                return Some(here.0);
            }
        }
        None
    }
}

/// `factor P' H P` with a projection `w -> P w`.
fn bent(h: &Mat3, factor: f64, project: impl Fn(Vec3) -> Vec3) -> Mat3 {
    let unit = |i: usize| [0, 1, 2].map(|k| if k == i { 1.0 } else { 0.0 });
    let columns = [0, 1, 2].map(|i| project(unit(i)));
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| factor * dot(columns[i], apply(h, columns[j]))))
}

/// Two unit vectors across a third one, and across each other.
fn tangents(u: Vec3) -> [Vec3; 2] {
    let least = (0..3).min_by(|i, j| u[*i].abs().total_cmp(&u[*j].abs())).unwrap_or(0);
    let axis = [0, 1, 2].map(|k| if k == least { 1.0 } else { 0.0 });
    let e = cross(u, axis);
    let e = scaled(e, 1.0 / norm(e));
    [e, cross(u, e)]
}

/// Evenly spread unit vectors: a golden-angle spiral, plus the axes.
fn directions(count: usize) -> impl Iterator<Item = Vec3> {
    let golden = PI * (3.0 - 5.0_f64.sqrt());
    let spiral = (0..count).map(move |k| {
        let z = 1.0 - (2.0 * k as f64 + 1.0) / count as f64;
        let (across, (sin, cos)) = ((1.0 - z * z).sqrt(), (golden * k as f64).sin_cos());
        [across * cos, across * sin, z]
    });
    let axes =
        (0..3).flat_map(|i| [1.0, -1.0].map(|s| [0, 1, 2].map(|k| if k == i { s } else { 0.0 })));
    axes.chain(spiral)
}
