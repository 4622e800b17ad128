//! The exact set of outcomes, as arrays.

use std::ptr::null;

use carom_analysis::{ExactSet, Reach};

use crate::arrays::limit;
use crate::code::Code;
use crate::handle::{Handle, call};

/// The exact set of the current velocity, with its arrays.
pub(crate) struct Found {
    pub(crate) set: ExactSet,
    vertices: Vec<f64>,
    modes: Vec<u8>,
    facet_vertices: Vec<usize>,
    first_vertex: Vec<usize>,
    first_facet: Vec<usize>,
    first_facet_vertex: Vec<usize>,
}

/// The set that was found of a planar inelastic impact: the velocities with which it can end,
/// whatever the order of impulses, in doubles and without a proof that none is missing. A union of
/// P polytopes, none of which lies in another one. The arrays belong to
/// the handle and live until the next call of `carom_exact_set`, `carom_set_velocity`,
/// `carom_prepare` or `carom_free`.
#[derive(Debug)]
#[repr(C)]
pub struct Set {
    /// Number P of polytopes.
    pub polytopes: usize,
    /// Largest dimension of a polytope.
    pub dimension: usize,
    /// Whether every point is an outcome, or a limit of such, up to rounding; otherwise the set is
    /// an enclosure of motions without end, which may be far too large.
    pub tight: bool,
    /// Vertices (V,n) of all polytopes, in the coordinates of the velocity.
    pub vertices: *const f64,
    /// Polytope i has the vertices `first_vertex[i] .. first_vertex[i + 1]` (P + 1).
    pub first_vertex: *const usize,
    /// Polytope i has the facets `first_facet[i] .. first_facet[i + 1]` (P + 1); a point has none.
    pub first_facet: *const usize,
    /// Facet j has the entries `first_facet_vertex[j] .. first_facet_vertex[j + 1]` of
    /// `facet_vertices` (F + 1).
    pub first_facet_vertex: *const usize,
    /// Rows of `vertices` that lie on the facets.
    pub facet_vertices: *const usize,
    /// What each contact does (P,m) in the interior of each polytope: `CAROM_LIFT` or another.
    pub modes: *const u8,
}

impl Set {
    const NONE: Set = Set {
        polytopes: 0,
        dimension: 0,
        tight: false,
        vertices: null(),
        first_vertex: null(),
        first_facet: null(),
        first_facet_vertex: null(),
        facet_vertices: null(),
        modes: null(),
    };
}

impl Found {
    fn new(set: ExactSet) -> Self {
        let [mut first_vertex, mut first_facet, mut first_facet_vertex] = [const { Vec::new() }; 3];
        let (mut vertices, mut modes, mut facet_vertices) = (Vec::new(), Vec::new(), Vec::new());
        let (mut vertex, mut facet) = (0, 0);
        for part in set.polytopes() {
            first_vertex.push(vertex);
            first_facet.push(facet);
            for on in &part.shape.facets {
                first_facet_vertex.push(facet_vertices.len());
                facet_vertices.extend(on.iter().map(|i| vertex + i));
            }
            vertices.extend(part.shape.vertices.iter().flatten());
            modes.extend(part.contacts.iter().map(|mode| *mode as u8));
            vertex += part.shape.vertices.len();
            facet += part.shape.facets.len();
        }
        first_vertex.push(vertex);
        first_facet.push(facet);
        first_facet_vertex.push(facet_vertices.len());
        Found {
            set,
            vertices,
            modes,
            facet_vertices,
            first_vertex,
            first_facet,
            first_facet_vertex,
        }
    }

    fn arrays(&self) -> Set {
        let or_null =
            |numbers: &[usize]| if numbers.is_empty() { null() } else { numbers.as_ptr() };
        Set {
            polytopes: self.first_vertex.len() - 1,
            dimension: self.set.dimension(),
            tight: self.set.is_tight(),
            vertices: self.vertices.as_ptr(),
            first_vertex: self.first_vertex.as_ptr(),
            first_facet: self.first_facet.as_ptr(),
            first_facet_vertex: self.first_facet_vertex.as_ptr(),
            facet_vertices: or_null(&self.facet_vertices),
            modes: self.modes.as_ptr(),
        }
    }
}

/// Finds the exact set of outcomes of the present velocity, in doubles, and keeps it for questions.
/// For planar inelastic problems of up to six contacts; with one and two it takes a fraction of a
/// millisecond, with more it may not end within `seconds` (0: no limit), which is an error.
/// Allocates memory. The set is that of the law `routh` with all rates, whatever law the options
/// have. `set` may be NULL; after an error it has no polytopes, and no arrays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_exact_set(handle: *mut Handle, seconds: f64, set: *mut Set) -> Code {
    if let Some(set) = unsafe { set.as_mut() } {
        *set = Set::NONE;
    }
    let find = |handle: &mut Handle| {
        handle.found = None;
        let reach = Reach { seconds: limit(seconds)?, ..Reach::fast() };
        let found = Found::new(reach.set(handle.sampler()?.current())?);
        if let Some(set) = unsafe { set.as_mut() } {
            *set = found.arrays();
        }
        handle.found = Some(found);
        Ok(())
    };
    unsafe { call(handle, find) }
}
