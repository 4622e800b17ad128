//! Design: parameters with which the order of simultaneous impacts does not matter.

use std::collections::BTreeMap;

use nalgebra::{DMatrix, DVector};

use super::{Document, Parameter};
use carom_core::error::{Error, Result};
use carom_core::lcp::{Root, System};
use carom_core::problem::ContactProblem;
use carom_core::rng::stream::unit;
use carom_core::rng::{Purpose, Stream};
use carom_law::Propagative;
use carom_law::finite::propagative::Kind;
use carom_mechanics::model::{Contact, Surface};

/// Largest inner product, and largest gap over the length, of an accepted design.
pub const TOLERANCE: f64 = 1e-11;
/// Largest number of iterations of the search.
const ITERATIONS: usize = 500;
/// Number of random velocities; fewer where more than two contacts make each one costly.
const DRAWS: [usize; 2] = [256, 32];
/// Most rejected draws per random velocity.
const TRIES: usize = 100;

/// Result of the design: a scene whose free parameters were changed until its contacts are
/// independent.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    /// The problem's name.
    pub name: String,
    /// The names of the contacts (m).
    pub contacts: Vec<String>,
    /// The scene before the design.
    pub before: DesignState,
    /// The scene with the new parameters; without an accepted design, the best attempt.
    pub after: DesignState,
    /// Norm of the changes of the free parameters, each divided by its scale.
    pub distance: f64,
    /// The length in m by which gaps are divided: the greatest distance of two contacts, or 1.
    pub length: f64,
    /// Number of steps of the search.
    pub iterations: usize,
    /// Largest relative distance of the random velocities from the scene's.
    pub spread: f64,
    /// The reason why the result is no design; `None` for an accepted one.
    pub fault: Option<String>,
}

/// A scene at given parameter values.
#[derive(Clone, Debug, PartialEq)]
pub struct DesignState {
    /// All parameters.
    pub parameters: Vec<Parameter>,
    /// Normalised inner products `<u_i,u_j> = u_i M^-1 u_j' / (|u_i| |u_j|)` of the normals (m,m).
    pub gram: DMatrix<f64>,
    /// Gaps of the contacts (m) in m.
    pub gaps: Vec<f64>,
    /// The effect of the order of impacts; `None` where the scene is invalid with these values.
    pub indeterminacy: Option<Indeterminacy>,
}

/// The distance of outcomes of elastic reflections: `xi = |p_a - p_b| / |p-|` in the kinetic
/// metric, the largest value over the admissible outcomes of a velocity. Outcomes closer than
/// [`DISTINCT`](carom_core::outcome::listed::DISTINCT) count as one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Indeterminacy {
    /// The distance at the scene's velocity.
    pub scene: f64,
    /// The largest value over the random velocities.
    pub largest: f64,
    /// The mean over the random velocities.
    pub mean: f64,
    /// Number of random velocities.
    pub draws: usize,
}

/// Changes the free parameters of a scene as little as possible, until the order of impacts no
/// longer matters.
///
/// ```text
/// min |y|   subject to  <u_i,u_j> = 0 for every pair,  gap_i / length = 0 for every contact,
///                       parameter_k = start_k + scale_k y_k within its bounds
/// ```
///
/// The contacts are the contacts of the scene at the values `set`; each evaluation identifies them
/// again. If normals are pairwise orthogonal in the kinetic metric, every order of reflections has
/// the same outcome. Source: \[SM14\] Theorem 2 and Sec. VII-B, a root of the underdetermined
/// system. Deviation: the gaps are equations too, and the nearest root is sought. `xi` is also
/// computed for random velocities `v + spread |v|_M / sqrt(n) L^-T z`, `M = L L'`, `z` uniform in
/// `[-1,1]^n`, with which every contact approaches; every run draws the same velocities. Guarantee:
/// see [`System::nearest`]; an accepted design meets the equations to [`TOLERANCE`] and has the
/// same contacts when it is loaded.
///
/// # Errors
/// See [`Document::problem`]; a file that is no scene, no free parameter, a single contact, a
/// negative spread.
pub fn design(document: &Document, set: &[(&str, f64)], spread: f64) -> Result<Design> {
    let problem = document.problem(set)?;
    if !(spread.is_finite() && spread >= 0.0) {
        let what = format!("a spread is a finite number >= 0, found {spread}");
        return Err(Error::usage(what).at("spread"));
    }
    let refuse = |what: &str, hint: &str| {
        Err(Error::input(what).hint(hint).in_text(document.name(), "", 0..0))
    };
    let parameters = document.parameters(set)?;
    let free: Vec<&Parameter> = parameters.iter().filter(|parameter| parameter.free).collect();
    if free.is_empty() {
        return refuse(
            "there is no free parameter",
            "in the scene, `[parameters]` marks them with `free = true`",
        );
    }
    if problem.contact_count() < 2 {
        return refuse(
            "there is one contact only",
            "with one contact there is no order of impacts",
        );
    }
    let followed = Followed::of(document, set, problem.contacts())?;
    let values = |y: &DVector<f64>| -> Vec<f64> {
        let of = |(p, y): (&&Parameter, &f64)| (p.value + p.scale * y).max(p.min).min(p.max);
        free.iter().zip(y).map(of).collect()
    };
    let moved = |y: &DVector<f64>| {
        let mut all = set.to_vec();
        all.retain(|(name, _)| !free.iter().any(|parameter| parameter.name == *name));
        all.extend(free.iter().map(|parameter| parameter.name.as_str()).zip(values(y)));
        all
    };
    let bound = |bound: fn(&Parameter) -> f64| {
        DVector::from_iterator(free.len(), free.iter().map(|p| (bound(p) - p.value) / p.scale))
    };
    let system = System {
        value: |y: &DVector<f64>| Some(followed.equations(&followed.at(document, &moved(y))?)),
        lower: bound(|p| p.min),
        upper: bound(|p| p.max),
        tolerance: TOLERANCE,
    };
    let lost =
        || Error::input("the contacts cannot be followed").in_text(document.name(), "", 0..0);
    let Root { point, iterations, found, .. } = system.nearest(ITERATIONS).ok_or_else(lost)?;

    let state = |set: &[(&str, f64)], problem: Option<&ContactProblem>| -> Result<DesignState> {
        let (gram, gaps) = followed.at(document, set).ok_or_else(lost)?;
        let indeterminacy = problem.map(|problem| indeterminacy(problem, spread)).transpose()?;
        Ok(DesignState { parameters: document.parameters(set)?, gram, gaps, indeterminacy })
    };
    let set_after = moved(&point);
    let designed = document.problem(&set_after);
    let fault = match &designed {
        _ if !found => {
            Some("no design was found within the bounds; this is the best one".to_string())
        }
        Err(error) => Some(format!("the scene cannot be built: {}", error.what)),
        Ok(other) if other.contacts() != problem.contacts() => {
            Some(format!("the contacts are no longer the same: {}", other.contacts().join(", ")))
        }
        Ok(_) => None,
    };
    Ok(Design {
        name: problem.name().to_string(),
        contacts: problem.contacts().to_vec(),
        before: state(set, Some(&problem))?,
        after: state(&set_after, designed.as_ref().ok())?,
        distance: point.norm(),
        length: followed.length,
        iterations,
        spread,
        fault,
    })
}

/// Key of a candidate contact: the pair, the index of the candidate, the number of candidates of
/// the pair.
type Key = (Surface, usize, usize, usize);

/// The contacts of a scene, identified again after its parameters have changed.
struct Followed {
    keys: Vec<Key>,
    length: f64,
}

impl Followed {
    fn of(document: &Document, set: &[(&str, f64)], names: &[String]) -> Result<Self> {
        document.setting(set, |setting| {
            let poses = setting.model.poses(&setting.motion.position);
            let mut touching = setting.model.contacts(&poses, f64::INFINITY).map(keyed)?;
            touching.retain(|(_, contact)| contact.touch.gap <= setting.tolerance);
            if touching.len() != names.len() {
                return Err(Error::input("contacts of overlapping shapes cannot be followed")
                    .in_text(document.name(), "", 0..0));
            }
            let points: Vec<_> = touching.iter().map(|(_, contact)| contact.touch.point).collect();
            let distances = points.iter().flat_map(|a| points.iter().map(move |b| (a - b).norm()));
            let length = distances.fold(0.0, f64::max);
            let keys = touching.into_iter().map(|(key, _)| key).collect();
            Ok(Followed { keys, length: if length > 0.0 { length } else { 1.0 } })
        })
    }

    /// Inner products (m,m) and gaps (m); `None` where the scene is invalid, a contact has
    /// vanished, or another pair overlaps.
    fn at(&self, document: &Document, set: &[(&str, f64)]) -> Option<(DMatrix<f64>, Vec<f64>)> {
        let found = document.setting(set, |setting| {
            let poses = setting.model.poses(&setting.motion.position);
            let all = keyed(setting.model.contacts(&poses, f64::INFINITY)?);
            let overlaps = |(key, contact): &(Key, Contact)| {
                !self.keys.contains(key) && contact.touch.gap < -setting.tolerance
            };
            let find = |key: &Key| {
                all.iter().find(|(other, _)| other == key).map(|(_, contact)| contact.clone())
            };
            let Some(contacts) = self.keys.iter().map(find).collect::<Option<Vec<_>>>() else {
                return Ok(None);
            };
            let Some(mass) = setting.model.mass_matrix(&poses).cholesky() else { return Ok(None) };
            if all.iter().any(overlaps) {
                return Ok(None);
            }
            let normals = setting.model.normal_rows(&poses, &contacts);
            let w = &normals * mass.solve(&normals.transpose());
            let gram = DMatrix::from_fn(w.nrows(), w.nrows(), |i, j| {
                w[(i, j)] / (w[(i, i)] * w[(j, j)]).sqrt()
            });
            let gaps: Vec<f64> = contacts.iter().map(|contact| contact.touch.gap).collect();
            Ok(Some((gram, gaps)))
        });
        found.ok().flatten()
    }

    /// Residuals of the equations: inner products of pairs, then gaps over the length.
    fn equations(&self, (gram, gaps): &(DMatrix<f64>, Vec<f64>)) -> DVector<f64> {
        let pairs = (0..gaps.len()).flat_map(|j| (0..j).map(move |i| gram[(i, j)]));
        DVector::from_vec(pairs.chain(gaps.iter().map(|gap| gap / self.length)).collect())
    }
}

/// All candidate contacts, with their keys.
fn keyed(contacts: Vec<Contact>) -> Vec<(Key, Contact)> {
    let mut places: BTreeMap<(Surface, usize), usize> = BTreeMap::new();
    let count = |contact: Contact| {
        let place = places.entry((contact.first, contact.second)).or_default();
        *place += 1;
        (*place - 1, contact)
    };
    let counted: Vec<(usize, Contact)> = contacts.into_iter().map(count).collect();
    let key = |(place, contact): (usize, Contact)| {
        let (first, second) = (contact.first, contact.second);
        ((first, second, place, places[&(first, second)]), contact)
    };
    counted.into_iter().map(key).collect()
}

/// The indeterminacy of a problem, at its velocity and at random velocities around it.
fn indeterminacy(problem: &ContactProblem, spread: f64) -> Result<Indeterminacy> {
    let law = Propagative {
        restitution: Some(1.0),
        sequences: Some(Kind::Admissible),
        ..Propagative::default()
    };
    let xi = |problem: &ContactProblem| Ok(law.resolve(problem)?.about.indeterminacy);
    let wanted = DRAWS[usize::from(problem.contact_count() > 2)];
    let mut drawn = Vec::with_capacity(wanted);
    let mut moved = problem.clone();
    for k in 0..TRIES * wanted {
        let Some(velocity) = draw(problem, spread, k as u64).filter(|_| drawn.len() < wanted)
        else {
            break;
        };
        moved.set_velocity(&velocity)?;
        if moved.contact_velocity().rows(0, problem.contact_count()).iter().all(|&u| u < 0.0) {
            drawn.push(xi(&moved)?);
        }
    }
    Ok(Indeterminacy {
        scene: xi(problem)?,
        largest: drawn.iter().copied().fold(0.0, f64::max),
        mean: drawn.iter().fold(0.0, |sum, xi| sum + xi) / drawn.len().max(1) as f64,
        draws: drawn.len(),
    })
}

/// Random velocity number `k` around a problem's velocity, which must not be 0.
fn draw(problem: &ContactProblem, spread: f64, k: u64) -> Option<Vec<f64>> {
    let (v, n) = (problem.velocity(), problem.coordinate_count());
    let size = (2.0 * problem.kinetic_energy(v.as_slice())).sqrt();
    let stream = Stream::new(0, k);
    let z = |j: usize, _| 2.0 * f64::from(unit(stream.draw(0, Purpose::User, j as u32))) - 1.0;
    let z = DVector::from_fn(n, z) * (spread * size / (n as f64).sqrt());
    let factor = problem.mass().clone().cholesky().filter(|_| size > 0.0)?;
    Some((v + factor.l().tr_solve_lower_triangular(&z)?).as_slice().to_vec())
}
