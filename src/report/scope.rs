//! The quantities that pictures of a problem show, and the panels that show them.

use super::outline::{area, outline};
use super::plot::{Axis, Panel};
use carom_analysis::bounds::{Bound, BoundKind, Limits, bound_until};
use carom_core::error::{Error, Result};
use carom_core::problem::ContactProblem;

/// Contacts that have a panel.
const CONTACTS: usize = 8;
/// Samples from which the area of a set is measured, about.
const RANKED: usize = 8192;
/// A set is a line where its area is below this part of its box.
const LINE: f64 = 1e-6;

/// The corners of a polygon in a panel.
pub type Polygon = Vec<[f64; 2]>;

/// Sides of a polygon of bounds; bounds from the exact set take no time.
fn sides(kind: BoundKind) -> usize {
    if kind == BoundKind::Exact { 360 } else { 48 }
}

/// A number of a velocity after the impact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quantity {
    /// An entry of `v+`.
    Coordinate(usize),
    /// The normal velocity of a contact.
    Normal(usize),
    /// The tangential velocity of a contact; in space its length.
    Tangent(usize),
}

/// A panel and the quantities on its axes.
pub struct View {
    /// The panel.
    pub panel: Panel,
    axes: [Quantity; 2],
}

impl View {
    /// The view with names by which its panel can be chosen.
    fn called(self, names: &[&str]) -> Self {
        View { panel: self.panel.called(names), ..self }
    }

    /// The scales of both axes; 1 where there is none.
    pub fn scales(&self) -> [f64; 2] {
        [0, 1].map(|i| self.panel.axes[i].scale).map(|x| if x > 0.0 { x } else { 1.0 })
    }
}

/// A problem whose velocities are drawn.
pub struct Scope<'a> {
    problem: &'a ContactProblem,
    /// `|v-|_M`: no velocity can be larger without a gain of energy.
    speed: f64,
}

impl<'a> Scope<'a> {
    /// The quantities of a problem.
    pub fn new(problem: &'a ContactProblem) -> Self {
        let energy = problem.kinetic_energy(problem.velocity().as_slice());
        Scope { problem, speed: (2.0 * energy).sqrt() }
    }

    /// All quantities that an axis can show, each with its name as `--axes` writes it.
    fn quantities(&self) -> impl Iterator<Item = (Quantity, String)> + '_ {
        let problem = self.problem;
        let of_contact = move |(i, name): (usize, &String)| {
            let tangent = (Quantity::Tangent(i), format!("{name}.tangent"));
            let tangent = (problem.tangents_per_contact() > 0).then_some(tangent);
            [Some((Quantity::Normal(i), format!("{name}.normal"))), tangent].into_iter().flatten()
        };
        let coordinates = problem.coordinates().iter().cloned().enumerate();
        let coordinates = coordinates.map(|(i, name)| (Quantity::Coordinate(i), name));
        coordinates.chain(problem.contacts().iter().enumerate().flat_map(of_contact))
    }

    /// The names of all quantities that an axis can show.
    pub fn names(&self) -> Vec<String> {
        self.quantities().map(|(_, name)| name).collect()
    }

    /// The values of the quantities at a velocity (n).
    pub fn values(&self, velocity: &[f64]) -> Vec<f64> {
        self.quantities().map(|(quantity, _)| self.value(quantity, velocity)).collect()
    }

    /// The names of the quantities on the axes of a panel.
    pub fn names_of(&self, view: &View) -> [String; 2] {
        let name =
            |axis| self.quantities().find(|(quantity, _)| *quantity == axis).map(|(_, name)| name);
        view.axes.map(|axis| name(axis).unwrap_or_default())
    }

    fn value(&self, quantity: Quantity, v: &[f64]) -> f64 {
        let along = |row: usize| -> f64 {
            self.problem.jacobian().row(row).iter().zip(v).map(|(a, b)| a * b).sum()
        };
        match quantity {
            Quantity::Coordinate(i) => v[i],
            Quantity::Normal(i) => along(i),
            Quantity::Tangent(i) => match self.tangents(i)[..] {
                [row] => along(row),
                ref rows => rows.iter().fold(0.0, |length: f64, &row| length.hypot(along(row))),
            },
        }
    }

    fn tangents(&self, contact: usize) -> Vec<usize> {
        let (m, d) = (self.problem.contact_count(), self.problem.tangents_per_contact());
        (m + contact * d..m + (contact + 1) * d).collect()
    }

    /// The two coordinates with the largest area of the set in the kinetic metric, measured on
    /// evenly spaced samples. Where all areas vanish, the two coordinates with the widest ranges.
    fn widest(&self, velocities: &[&[f64]]) -> Option<[Quantity; 2]> {
        let n = self.problem.coordinate_count();
        let some: Vec<&[f64]> = (velocities.iter().copied())
            .step_by(velocities.len().div_ceil(RANKED).max(1))
            .collect();
        let weight = |i: usize| self.problem.mass()[(i, i)].sqrt();
        let range = |i: usize| weight(i) * self.range(Quantity::Coordinate(i), velocities);
        let ranges: Vec<f64> = (0..n).map(range).collect();
        let area = |i: usize, j: usize| {
            let corners = outline(some.iter().map(|v| [v[i], v[j]]).collect());
            let area = weight(i) * weight(j) * area(&corners);
            // Rounding makes an area of a line.
            if area > LINE * ranges[i] * ranges[j] { area } else { 0.0 }
        };
        let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
        let largest = pairs.map(|(i, j)| (area(i, j), i, j)).max_by(|a, b| a.0.total_cmp(&b.0));
        match largest {
            Some((area, i, j)) if area > 0.0 => Some([i, j].map(Quantity::Coordinate)),
            _ => {
                let all = (0..n).map(|i| (Quantity::Coordinate(i), weight(i))).collect();
                self.two(all, velocities)
            }
        }
    }

    /// The width of the range of a quantity.
    fn range(&self, quantity: Quantity, velocities: &[&[f64]]) -> f64 {
        let values = velocities.iter().map(|v| self.value(quantity, v));
        let (low, high) =
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        if low <= high { high - low } else { 0.0 }
    }

    /// The two quantities with the widest weighted ranges, in their given order.
    fn two(
        &self,
        quantities: Vec<(Quantity, f64)>,
        velocities: &[&[f64]],
    ) -> Option<[Quantity; 2]> {
        let mut ranked: Vec<(usize, f64)> = (quantities.iter())
            .map(|&(quantity, weight)| weight * self.range(quantity, velocities))
            .enumerate()
            .collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        let mut taken: Vec<usize> = ranked.into_iter().take(2).map(|(i, _)| i).collect();
        taken.sort_unstable();
        let [a, b] = taken[..] else { return None };
        Some([quantities[a].0, quantities[b].0])
    }

    /// The panels with these axes, or else the two coordinates on which the set is largest, and
    /// each contact.
    ///
    /// # Errors
    /// Axes that the problem does not have.
    pub fn views(&self, velocities: &[&[f64]], axes: &[String]) -> Result<Vec<View>> {
        if !axes.is_empty() {
            return axes.iter().map(|axes| self.named(axes)).collect();
        }
        let problem = self.problem;
        let m = problem.contact_count();
        let coordinates =
            self.widest(velocities).unwrap_or([Quantity::Coordinate(0), Quantity::Normal(0)]);
        let title = "Velocity after the impact".to_string();
        let mut views = vec![self.view(title, coordinates).called(&["velocity"])];
        if problem.tangents_per_contact() > 0 {
            views.extend((0..m.min(CONTACTS)).map(|i| self.contact(i)));
        } else {
            let normals = (0..m).map(|i| (Quantity::Normal(i), 1.0)).collect();
            let two = self.two(normals, velocities);
            views.extend(two.map(|axes| {
                let view = self.view("Contact velocity after the impact".to_string(), axes);
                view.called(&["contacts"])
            }));
        }
        Ok(views)
    }

    /// The coordinates that were chosen for the panel of velocities, and the contacts without a
    /// panel, in words.
    pub fn about(&self, views: &[View], axes: &[String], panels: &[String]) -> String {
        let mut text = String::new();
        let is_shown = |name: &str| panels.is_empty() || panels.iter().any(|panel| panel == name);
        if let ([Quantity::Coordinate(i), Quantity::Coordinate(j)], true) =
            (views[0].axes, axes.is_empty() && is_shown("velocity"))
        {
            let [a, b] = [i, j].map(|i| &self.problem.coordinates()[i]);
            text += &format!("; velocity in {a} and {b}, on which the set is largest");
        }
        let m = self.problem.contact_count();
        let with_panels = axes.is_empty() && self.problem.tangents_per_contact() > 0;
        if with_panels && m > CONTACTS && is_shown("contacts") {
            text += &format!("; {CONTACTS} of {m} contacts have a panel");
        }
        text
    }

    fn contact(&self, i: usize) -> View {
        let name = &self.problem.contacts()[i];
        let axes = [Quantity::Tangent(i), Quantity::Normal(i)];
        let mut view = self.view(format!("Contact {name}"), axes).called(&["contacts", name]);
        for (axis, name) in view.panel.axes.iter_mut().zip(["tangential", "normal"]) {
            // 0 is in view: there the contact sticks.
            axis.origin = true;
            axis.name = name.to_string();
        }
        view
    }

    fn view(&self, title: String, axes: [Quantity; 2]) -> View {
        View { panel: Panel::new(title, axes.map(|axis| self.axis(axis))), axes }
    }

    fn named(&self, axes: &str) -> Result<View> {
        let pair = |(comma, _): (usize, &str)| {
            Some([self.quantity(axes[..comma].trim())?, self.quantity(axes[comma + 1..].trim())?])
        };
        let wrong = || {
            let [coordinates, contacts] =
                [self.problem.coordinates(), self.problem.contacts()].map(|names| names.join(", "));
            let contact = &self.problem.contacts()[0];
            let what = format!("expected two axes, A,B, of this problem, found `{axes}`");
            Error::usage(what).option("axes").hint(format!(
                "the coordinates are {coordinates}; contacts are shown by {contact}.normal and, with friction, {contact}.tangent; the \
                 contacts are {contacts}"
            ))
        };
        let found = axes.match_indices(',').find_map(pair);
        found.map(|axes| self.view(String::new(), axes)).ok_or_else(wrong)
    }

    fn quantity(&self, name: &str) -> Option<Quantity> {
        let problem = self.problem;
        let of = |suffix: &str| {
            let contact = name.strip_suffix(suffix)?;
            problem.contacts().iter().position(|known| known == contact)
        };
        let tangent = || of(".tangent").filter(|_| problem.tangents_per_contact() > 0);
        (problem.coordinate(name).map(Quantity::Coordinate))
            .or_else(|| of(".normal").map(Quantity::Normal))
            .or_else(|| tangent().map(Quantity::Tangent))
    }

    fn axis(&self, quantity: Quantity) -> Axis {
        let problem = self.problem;
        let delassus = |row: usize| problem.delassus()[(row, row)];
        let (name, unit, scale) = match quantity {
            Quantity::Coordinate(i) => {
                let inverse = 1.0 / problem.mass()[(i, i)];
                let name = problem.coordinates()[i].clone();
                (name, problem.unit(i).unwrap_or("SI units"), inverse)
            }
            Quantity::Normal(i) => {
                (format!("{}, normal", problem.contacts()[i]), "m/s", delassus(i))
            }
            Quantity::Tangent(i) => {
                let largest = self.tangents(i).into_iter().map(delassus).fold(0.0, f64::max);
                (format!("{}, tangential", problem.contacts()[i]), "m/s", largest)
            }
        };
        Axis { scale: self.speed * scale.sqrt(), ..Axis::new(name, unit) }
    }

    /// The coefficients (n) of a quantity, if it is linear in the velocity.
    fn row(&self, quantity: Quantity) -> Option<Vec<f64>> {
        let along = |row: usize| self.problem.jacobian().row(row).iter().copied().collect();
        match quantity {
            Quantity::Coordinate(i) => {
                let n = self.problem.coordinate_count();
                Some((0..n).map(|k| if k == i { 1.0 } else { 0.0 }).collect())
            }
            Quantity::Normal(i) => Some(along(i)),
            Quantity::Tangent(i) => match self.tangents(i)[..] {
                [row] => Some(along(row)),
                _ => None,
            },
        }
    }

    /// A polygon around each panel's outcomes, from bounds in many directions, empty where a
    /// quantity is not linear; the kind of the bounds; whether all are proved.
    ///
    /// # Errors
    /// See [`bound_until`].
    pub fn bounds(
        &self,
        views: &[View],
        kind: BoundKind,
        limits: &Limits,
    ) -> Result<(Vec<Polygon>, BoundKind, bool)> {
        let mut all: Vec<Bound> = Vec::new();
        let polygons = views.iter().map(|view| self.bounded(view, kind, limits, &mut all));
        let polygons = polygons.collect::<Result<_>>()?;
        let kind = all.iter().map(|bound| bound.kind).find(|of| *of != kind).unwrap_or(kind);
        Ok((polygons, kind, all.iter().all(Bound::is_proved)))
    }

    /// A side of such a polygon: `(a, b) = (cos angle, sin angle)` and the bound of `a x + b y`,
    /// with x and y in the scales of the axes; `None` where a quantity is not linear.
    ///
    /// # Errors
    /// See [`bound_until`].
    pub fn side(
        &self,
        view: &View,
        kind: BoundKind,
        angle: f64,
        limits: &Limits,
    ) -> Result<Option<([f64; 2], Bound)>> {
        let [Some(a), Some(b)] = view.axes.map(|axis| self.row(axis)) else { return Ok(None) };
        let (scale, (sin, cos)) = (view.scales(), angle.sin_cos());
        let c: Vec<f64> =
            a.iter().zip(&b).map(|(a, b)| cos * a / scale[0] + sin * b / scale[1]).collect();
        Ok(Some(([cos, sin], bound_until(self.problem, &c, kind, limits)?)))
    }

    fn bounded(
        &self,
        view: &View,
        kind: BoundKind,
        limits: &Limits,
        all: &mut Vec<Bound>,
    ) -> Result<Polygon> {
        let (scale, count) = (view.scales(), sides(kind));
        let angle = |k: usize| std::f64::consts::TAU * k as f64 / count as f64;
        let sides = (0..count).map(|k| self.side(view, kind, angle(k), limits));
        let Some(sides) = sides.collect::<Result<Option<Vec<_>>>>()? else {
            return Ok(Vec::new());
        };
        all.extend(sides.iter().map(|(_, bound)| *bound));
        // The corner at which neighbouring sides meet.
        let corner = |k: usize| {
            let (([a, b], near), ([c, d], far)) = (sides[k], sides[(k + 1) % count]);
            let (h, g) = (near.value, far.value);
            let det = a * d - b * c;
            [scale[0] * (h * d - g * b) / det, scale[1] * (a * g - c * h) / det]
        };
        Ok((0..count).map(corner).collect())
    }

    /// The points of velocities, panel by panel.
    pub fn points(&self, views: &[View], velocities: &[&[f64]]) -> Vec<Polygon> {
        let of = |view: &View| {
            velocities.iter().map(|v| view.axes.map(|axis| self.value(axis, v))).collect()
        };
        views.iter().map(of).collect()
    }
}
