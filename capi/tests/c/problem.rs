//! Problems as arrays of C, and handles that release themselves.

use std::ffi::{CStr, CString};
use std::ptr::null;

use carom_c::*;
use carom_core::problem::ContactProblem;

/// The arrays of a problem.
pub struct Arrays {
    sizes: [usize; 3],
    order: u32,
    matrices: [Vec<f64>; 3],
    friction: Vec<f64>,
    restitution: Option<Vec<f64>>,
    pub velocity: Vec<f64>,
}

impl Arrays {
    pub fn of(problem: &ContactProblem, order: u32) -> Self {
        let spec = problem.spec();
        let matrix = |rows: &[Vec<f64>]| match order {
            ROW_MAJOR => rows.concat(),
            _ => (0..spec.velocity.len()).flat_map(|j| rows.iter().map(move |r| r[j])).collect(),
        };
        Arrays {
            sizes: [spec.velocity.len(), spec.normal.len(), problem.tangents_per_contact()],
            order,
            matrices: [matrix(&spec.mass), matrix(&spec.normal), matrix(&spec.tangent)],
            friction: problem.friction().to_vec(),
            restitution: spec.restitution.clone(),
            velocity: spec.velocity.clone(),
        }
    }

    /// The numbers as the examples read them.
    pub fn text(&self, name: &str) -> String {
        let n = self.sizes[0];
        let row = |row: &[f64]| row.iter().map(f64::to_string).collect::<Vec<_>>().join(" ") + "\n";
        let matrix = |matrix: &Vec<f64>| matrix.chunks(n).map(row).collect::<String>();
        let [mass, normal, tangent] = self.matrices.each_ref().map(matrix);
        let sizes = self.sizes.map(|size| size.to_string()).join(" ");
        let (friction, velocity) = (row(&self.friction), row(&self.velocity));
        format!(
            "# The scene {name}: n, m, d; M (n,n), Jn (m,n), Jt (d m,n), friction (m), v (n)\n\
             {sizes}\n{mass}{normal}{tangent}{friction}{velocity}"
        )
    }

    /// The structure, which points into the arrays.
    pub fn problem(&self) -> Problem {
        let [mass, normal, tangent] = [0, 1, 2].map(|i| self.matrices[i].as_ptr());
        Problem {
            coordinates: self.sizes[0],
            contacts: self.sizes[1],
            tangents: self.sizes[2],
            constraints: 0,
            order: self.order,
            mass,
            normal,
            tangent,
            bilateral: null(),
            friction: self.friction.as_ptr(),
            restitution: self.restitution.as_ref().map_or(null(), |e| e.as_ptr()),
            velocity: self.velocity.as_ptr(),
        }
    }
}

/// A handle.
pub struct Impact(pub *mut Handle);

impl Impact {
    pub fn new(options: &str) -> Self {
        let impact = Impact(carom_new());
        let options = CString::new(options).unwrap();
        impact.succeeds(unsafe { carom_set_options(impact.0, options.as_ptr()) });
        impact
    }

    /// A scene, prepared.
    pub fn scene(name: &str, options: &str) -> (Self, ContactProblem) {
        let (impact, problem) = (Impact::new(options), carom_scene::load(name).unwrap());
        impact.succeeds(impact.prepare(&Arrays::of(&problem, ROW_MAJOR).problem()));
        (impact, problem)
    }

    pub fn prepare(&self, problem: &Problem) -> Code {
        unsafe { carom_prepare(self.0, problem) }
    }

    pub fn message(&self) -> String {
        unsafe { CStr::from_ptr(carom_last_error(self.0)) }.to_str().unwrap().to_string()
    }

    #[track_caller]
    pub fn succeeds(&self, code: Code) {
        assert_eq!(code, Code::CaromOk, "{}", self.message());
    }
}

impl Drop for Impact {
    fn drop(&mut self) {
        unsafe { carom_free(self.0) }
    }
}

/// Arrays for outcomes.
pub struct Rows {
    pub velocity: Vec<f64>,
    pub impulse: Vec<f64>,
    pub status: Vec<u8>,
    pub residual: Vec<f64>,
    pub accepted: Vec<u8>,
    pub outcomes: Outcomes,
}

impl Rows {
    pub fn new(capacity: usize, problem: &ContactProblem) -> Box<Self> {
        let (n, k) = (problem.coordinate_count(), problem.jacobian().nrows());
        let mut rows = Box::new(Rows {
            velocity: vec![f64::NAN; capacity * n],
            impulse: vec![f64::NAN; capacity * k],
            status: vec![99; capacity],
            residual: vec![f64::NAN; capacity],
            accepted: vec![99; capacity],
            outcomes: Outcomes {
                capacity,
                count: 0,
                velocity: std::ptr::null_mut(),
                impulse: std::ptr::null_mut(),
                status: std::ptr::null_mut(),
                residual: std::ptr::null_mut(),
                accepted: std::ptr::null_mut(),
            },
        });
        rows.outcomes.velocity = rows.velocity.as_mut_ptr();
        rows.outcomes.impulse = rows.impulse.as_mut_ptr();
        rows.outcomes.status = rows.status.as_mut_ptr();
        rows.outcomes.residual = rows.residual.as_mut_ptr();
        rows.outcomes.accepted = rows.accepted.as_mut_ptr();
        rows
    }

    #[track_caller]
    pub fn sample(&mut self, impact: &Impact, first: u64) {
        impact.succeeds(unsafe { carom_sample(impact.0, first, 0.0, &mut self.outcomes) });
        assert_eq!(self.outcomes.count, self.outcomes.capacity);
    }
}
