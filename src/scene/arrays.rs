//! Problems in arrays: `M` (n,n), `Jn` (m,n), `Jt` (m,n or 2m,n), `mu` (m, or one for all), `v`
//! (n), and perhaps `restitution` (m, or one for all).

use carom_core::error::Result;
use carom_core::problem::{ContactProblem, ProblemSpec};

/// The arrays, and the corresponding keys of a problem file.
pub(super) const ARRAYS: [(&str, &str); 6] = [
    ("M", "mass"),
    ("Jn", "normal"),
    ("Jt", "tangent"),
    ("mu", "friction"),
    ("restitution", "restitution"),
    ("v", "velocity"),
];

/// The contact problem with these numbers; errors name the arrays.
pub(super) fn problem(spec: &ProblemSpec) -> Result<ContactProblem> {
    ContactProblem::new(spec.clone()).map_err(|mut error| {
        for (array, key) in ARRAYS {
            let renamed = |text: String| text.replace(&format!("{key}["), &format!("{array}["));
            error.what = renamed(error.what);
            error.at = error.at.map(|at| if at == key { array.to_string() } else { renamed(at) });
            error.hint = error
                .hint
                .map(|hint| renamed(hint).replace(&format!("`{key}`"), &format!("`{array}`")));
        }
        error
    })
}
