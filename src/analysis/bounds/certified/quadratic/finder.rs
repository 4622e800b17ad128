//! Search for a quadratic function that never rises along the law and bounds `c.v` at ends.

use nalgebra::{DMatrix, DVector};

use super::certificate::{Certificate, Claim, Fall, Function, Piece, Region, aims, needed};
use super::form::{Expression, Form};
use super::frame::{Contact, Frame};
use carom_core::cones::conic::{ConicProgram, ConicRow, Limits};

/// Bases in which forms are diagonally dominant, one for each claim.
pub type Bases = Vec<DMatrix<f64>>;

/// Maximum weight of a function; unbounded in regions without motions otherwise.
const LARGEST: f64 = 100.0;

/// Weights of the function, the first variables of the program.
struct Layout {
    r: usize,
    contacts: usize,
    pieces: bool,
}

impl Layout {
    fn linear(&self, k: usize) -> usize {
        1 + k
    }

    fn square(&self, k: usize, l: usize) -> usize {
        let (low, high) = (k.min(l), k.max(l));
        1 + self.r + high * (high + 1) / 2 + low
    }

    fn stored(&self, i: usize) -> usize {
        1 + self.r + self.r * (self.r + 1) / 2 + i
    }

    fn kink(&self, i: usize) -> usize {
        self.stored(self.contacts) + i
    }

    fn bend(&self, i: usize, k: usize) -> usize {
        self.kink(self.contacts) + i * self.r + k
    }

    fn pair(&self, i: usize, j: usize) -> usize {
        self.bend(self.contacts, 0) + i * self.contacts + j
    }

    fn count(&self) -> usize {
        if self.pieces { self.pair(self.contacts, 0) } else { self.stored(self.contacts) }
    }

    fn function(&self, x: &[f64]) -> Function {
        let (r, m) = (self.r, self.contacts);
        let piece = |i: usize| Piece {
            kink: x[self.kink(i)],
            bend: DVector::from_fn(r, |k, _| x[self.bend(i, k)]),
        };
        let product =
            |i: usize, j: usize| if i < j && self.pieces { x[self.pair(i, j)] } else { 0.0 };
        Function {
            constant: x[0],
            linear: DVector::from_fn(r, |k, _| x[self.linear(k)]),
            square: DMatrix::from_fn(r, r, |k, l| x[self.square(k, l)]),
            pieces: if self.pieces { (0..m).map(piece).collect() } else { Vec::new() },
            pair: DMatrix::from_fn(m, m, product),
            stored: (0..m).map(|i| x[self.stored(i)].max(0.0)).collect(),
        }
    }
}

/// Variables of a claim: weights of products in the order of [`Claim`].
#[derive(Default)]
struct Places {
    ball: usize,
    approach: Vec<Option<usize>>,
    aside: Vec<Option<usize>>,
    slide: usize,
    disk: usize,
    parallel: usize,
    rising: Vec<usize>,
    tangents: usize,
    r: usize,
}

impl Places {
    fn claim(&self, x: &[f64]) -> Claim {
        // Margin against solver errors: no factor may become negative.
        let cone = |at: usize, size: usize| {
            let b = DVector::from_column_slice(&x[at + 1..at + 1 + size]);
            (x[at].max(b.norm() * (1.0 + 1e-12)), b)
        };
        let all = |places: &[Option<usize>], size: usize| {
            places.iter().map(|at| at.map(|at| cone(at, size))).collect()
        };
        let rising = |at: &usize| DVector::from_column_slice(&x[*at..at + self.r]);
        let slides = self.tangents > 0;
        Claim {
            ball: x[self.ball].max(0.0),
            approach: all(&self.approach, self.r),
            aside: if slides { all(&self.aside, self.tangents) } else { Vec::new() },
            slide: slides.then(|| cone(self.slide, self.tangents)),
            disk: if slides { x[self.disk].max(0.0) } else { 0.0 },
            parallel: if self.tangents == 2 { x[self.parallel] } else { 0.0 },
            rising: self.rising.iter().map(rising).collect(),
        }
    }
}

/// Program under construction.
struct Program<'a> {
    frame: &'a Frame,
    layout: Layout,
    count: usize,
    nonnegative: Vec<ConicRow>,
    round: Vec<Vec<ConicRow>>,
}

impl Program<'_> {
    fn block(&mut self, size: usize) -> usize {
        self.count += size;
        self.count - size
    }

    fn at_least_zero(&mut self, at: usize) {
        self.nonnegative.push((vec![(at, -1.0)], 0.0));
    }

    /// Variables `(b0, b)` with `|b| <= b0`.
    fn cone(&mut self, size: usize) -> usize {
        let at = self.block(1 + size);
        self.round.push((at..at + 1 + size).map(|k| (vec![(k, -1.0)], 0.0)).collect());
        at
    }

    /// Variables `w` that rise along all pushes.
    fn rising(&mut self) -> usize {
        let at = self.block(self.frame.dimension());
        let row = |x: &DVector<f64>| -> ConicRow {
            (x.iter().enumerate().map(|(k, x)| (at + k, -x)).collect(), 0.0)
        };
        for contact in &self.frame.contacts {
            self.round.push(std::iter::once(&contact.push).chain(&contact.rub).map(row).collect());
        }
        at
    }

    /// Change of the function along a push, as a form with expressions as entries.
    fn change(&self, contact: &Contact, fall: (usize, f64, &Region)) -> Form {
        let (j, share, Region { signs }) = fall;
        let (frame, layout) = (self.frame, &self.layout);
        let r = frame.dimension();
        let mut form = Form::new(1 + r + contact.tangents.len());
        let negative = |i: &usize| layout.pieces && signs[*i] < 0;
        let normal = |i: usize| form_of(&frame.contacts[i].normal);
        let size = form.size();
        let push = |x: &DVector<f64>| {
            // x.g
            let rub = contact.rub.iter().map(|rub| -share * rub.dot(x));
            std::iter::once(contact.push.dot(x)).chain(vec![0.0; r]).chain(rub).collect::<Vec<_>>()
        };
        for k in 0..r {
            let g = push(&DVector::from_fn(r, |l, _| f64::from(u8::from(l == k))));
            let mut slope: Vec<Expression> = vec![vec![(layout.linear(k), 1.0)]];
            slope.extend((0..r).map(|l| vec![(layout.square(k, l), 1.0)]));
            form.add(&g, &slope, 1.0);
        }
        for i in (0..signs.len()).filter(negative) {
            let n = normal(i);
            let mut slope: Vec<Expression> = vec![vec![(layout.kink(i), 1.0)]];
            slope.extend((0..r).map(|k| vec![(layout.bend(i, k), 1.0)]));
            form.add(&push(&frame.contacts[i].normal), &slope, -1.0);
            // bend.g, an expression for each entry of z
            let mut bent: Vec<Expression> = vec![Vec::new(); size];
            bent[0] = (0..r).map(|k| (layout.bend(i, k), contact.push[k])).collect();
            for (a, rub) in contact.rub.iter().enumerate() {
                bent[1 + r + a] = (0..r).map(|k| (layout.bend(i, k), -share * rub[k])).collect();
            }
            form.add(&n, &bent, -1.0);
            for l in (i + 1..signs.len()).filter(negative) {
                let weight = |x: Vec<f64>| -> Vec<Expression> {
                    x.into_iter().map(|x| vec![(layout.pair(i, l), x)]).collect()
                };
                form.add(&push(&frame.contacts[i].normal), &weight(normal(l)), 1.0);
                form.add(&push(&frame.contacts[l].normal), &weight(n.clone()), 1.0);
            }
        }
        if contact.restitution > 0.0 {
            let e = if signs[j] < 0 { contact.restitution } else { 1.0 };
            form.add(&normal(j), &[vec![(layout.stored(j), 1.0)]], -e * e);
        }
        form
    }

    /// Function minus a direction.
    fn excess(&self, direction: &DVector<f64>) -> Form {
        let (layout, r) = (&self.layout, self.frame.dimension());
        let mut form = Form::new(1 + r);
        let mut first: Vec<Expression> = vec![vec![(0, 1.0)]];
        first.extend((0..r).map(|k| vec![(layout.linear(k), 1.0)]));
        form.add(&[1.0], &first, 1.0);
        for k in 0..r {
            let mut unit = vec![0.0; 1 + r];
            unit[1 + k] = 0.5;
            let mut row: Vec<Expression> = vec![Vec::new()];
            row.extend((0..r).map(|l| vec![(layout.square(k, l), 1.0)]));
            form.add(&unit, &row, 1.0);
            form.constant(0, 1 + k, -direction[k]);
        }
        form
    }

    /// Subtracts products with new weights from a form.
    fn subtract(&mut self, form: &mut Form, region: &Region, contact: Option<&Contact>) -> Places {
        let (r, frame) = (self.frame.dimension(), self.frame);
        let tangents = contact.map_or(0, |contact| contact.tangents.len());
        let ball = self.block(1);
        self.at_least_zero(ball);
        form.entry(0, 0, ball, -1.0);
        (0..r).for_each(|k| form.entry(1 + k, 1 + k, ball, 1.0));
        let (mut approach, mut aside) = (Vec::new(), Vec::new());
        for (i, &sign) in region.signs.iter().enumerate() {
            if sign == 0 {
                approach.push(None);
                aside.push(None);
                continue;
            }
            let n = form_of(&(&frame.contacts[i].normal * f64::from(sign)));
            let at = self.cone(r);
            let factor: Vec<Expression> = (0..=r).map(|k| vec![(at + k, 1.0)]).collect();
            form.add(&n, &factor, -1.0);
            approach.push(Some(at));
            aside.push((tangents > 0).then(|| {
                let at = self.cone(tangents);
                form.add(&n, &slide_of(r, (0..=tangents).map(|a| vec![(at + a, 1.0)])), -1.0);
                at
            }));
        }
        let mut places = Places { ball, approach, aside, tangents, r, ..Places::default() };
        if let Some(contact) = contact.filter(|_| tangents > 0) {
            places.slide = self.cone(tangents);
            let free = self.block(2);
            self.at_least_zero(free);
            (places.disk, places.parallel) = (free, free + 1);
            form.entry(0, 0, places.disk, -1.0);
            for (a, tangent) in contact.tangents.iter().enumerate() {
                let at = 1 + r + a;
                for (k, x) in tangent.iter().enumerate() {
                    form.entry(at, 1 + k, places.slide, -x);
                    form.entry(0, 1 + k, places.slide + 1 + a, *x);
                }
                form.entry(at, at, places.disk, 1.0);
            }
            if let [u, v] = &contact.tangents[..] {
                for k in 0..r {
                    form.entry(1 + r, 1 + k, places.parallel, -v[k]);
                    form.entry(2 + r, 1 + k, places.parallel, u[k]);
                }
            }
        }
        for a in aims(tangents) {
            let at = self.rising();
            let mut w: Vec<Expression> =
                vec![frame.before.iter().enumerate().map(|(k, y)| (at + k, -y)).collect()];
            w.extend((0..r).map(|k| vec![(at + k, 1.0)]));
            let one = std::iter::once(1.0).chain(vec![0.0; r]).chain(a.iter().copied());
            form.add(&one.collect::<Vec<_>>(), &w, -1.0);
            places.rising.push(at);
        }
        places
    }

    /// Constrains a form to be scaled diagonally dominant in a basis, hence positive semidefinite.
    fn dominant(&mut self, form: &Form, basis: &DMatrix<f64>) {
        let turned = form.turned(basis);
        let size = form.size();
        let mut rows: Vec<ConicRow> = (0..size).map(|p| turned.row(p, p, 1.0)).collect();
        for p in 0..size {
            for q in 0..p {
                let at = self.block(2);
                // a >= 0, b >= 0, x^2 <= a b for the diagonal shares a and b.
                self.round.push(vec![
                    (vec![(at, -1.0), (at + 1, -1.0)], 0.0),
                    (vec![(at, -1.0), (at + 1, 1.0)], 0.0),
                    turned.row(p, q, 2.0),
                ]);
                rows[p].0.push((at, 1.0));
                rows[q].0.push((at + 1, 1.0));
            }
        }
        self.nonnegative.extend(rows);
    }
}

/// Linear function of `y` as coefficients by entry of `z`.
fn form_of(vector: &DVector<f64>) -> Vec<f64> {
    std::iter::once(0.0).chain(vector.iter().copied()).collect()
}

/// Expressions of a constant and of the entries of `t`, by entry of `z`.
fn slide_of(r: usize, mut all: impl Iterator<Item = Expression>) -> Vec<Expression> {
    let constant = all.next().unwrap_or_default();
    std::iter::once(constant).chain(vec![Expression::new(); r]).chain(all).collect()
}

/// Best function whose claims are diagonally dominant in given bases, one for each of [`needed`]
/// and one for the ends; and bases for a better function.
///
/// ```text
/// minimise    V(y-)
/// subject to  -(change of V along each push) - products = sum of forms of two coordinates
///             V - direction.y - products = sum of forms of two coordinates where impacts end
/// ```
///
/// Relaxed from a semidefinite program: scaled diagonally dominant forms replace the cone of
/// positive semidefinite forms, and approach it as bases turn \[AH17\].
pub fn find(
    frame: &Frame,
    direction: &DVector<f64>,
    pieces: bool,
    bases: Option<&Bases>,
    limits: &Limits,
) -> Option<(Certificate, Bases)> {
    let layout = Layout { r: frame.dimension(), contacts: frame.contacts.len(), pieces };
    let count = layout.count();
    let mut program = Program { frame, layout, count, nonnegative: Vec::new(), round: Vec::new() };
    let (mut forms, mut places) = (Vec::new(), Vec::new());
    let needed = needed(frame, pieces);
    for (j, share, region) in &needed {
        let contact = &frame.contacts[*j];
        let mut form = program.change(contact, (*j, *share, region)).negated();
        places.push(program.subtract(&mut form, region, Some(contact)));
        forms.push(form);
    }
    let mut form = program.excess(direction);
    places.push(program.subtract(&mut form, &Region::of_ends(frame.contacts.len()), None));
    forms.push(form);
    for (k, form) in forms.iter().enumerate() {
        let unit = DMatrix::identity(form.size(), form.size());
        program.dominant(form, bases.map_or(&unit, |bases| &bases[k]));
    }
    for i in 0..frame.contacts.len() {
        program.at_least_zero(program.layout.stored(i));
    }
    let weights = 1..program.layout.count();
    let bounded = weights.flat_map(|at| [1.0, -1.0].map(|sign| (vec![(at, sign)], LARGEST)));
    program.nonnegative.extend(bounded);

    let Program { layout, count, nonnegative, round, .. } = program;
    let mut conic = ConicProgram::minimise(objective(frame, &layout, count), limits);
    conic.nonnegative(nonnegative);
    round.into_iter().for_each(|cone| conic.round(cone));
    let x = conic.solve()?.x;
    let bases = forms.iter().map(|form| form.value(&x).symmetric_eigen().eigenvectors).collect();
    let ends = places.pop()?.claim(&x);
    let falls = needed.into_iter().zip(places).map(|((contact, share, region), places)| Fall {
        contact,
        share,
        region,
        claim: places.claim(&x),
    });
    Some((Certificate { function: layout.function(&x), falls: falls.collect(), ends }, bases))
}

/// Coefficients of the variables in the value of the function at the velocity before the impact.
fn objective(frame: &Frame, layout: &Layout, count: usize) -> Vec<f64> {
    let (r, y, m) = (layout.r, &frame.before, layout.contacts);
    let mut objective = vec![0.0; count];
    objective[0] = 1.0;
    for k in 0..r {
        objective[layout.linear(k)] = y[k];
        (0..r).for_each(|l| objective[layout.square(k, l)] += 0.5 * y[k] * y[l]);
    }
    let normal = |i: usize| frame.contacts[i].normal.dot(y).min(0.0);
    for i in (0..m).filter(|_| layout.pieces) {
        objective[layout.kink(i)] = -normal(i);
        (0..r).for_each(|k| objective[layout.bend(i, k)] = -normal(i) * y[k]);
        (i + 1..m).for_each(|j| objective[layout.pair(i, j)] = normal(i) * normal(j));
    }
    objective
}
