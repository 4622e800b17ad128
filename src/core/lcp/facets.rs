//! Friction cones with facets (polyhedral friction cones), for contacts with two tangent
//! directions.

use std::f64::consts::PI;

use crate::{Error, Result};

/// A friction cone of F facets, an even number, inscribed in Coulomb's circular one.
///
/// ```text
/// d_a = cos(pi a / T) t1 + sin(pi a / T) t2,  a = 0 .. T - 1,  T = F / 2,
/// lt = sum_a lt_a d_a  with  sum_a |lt_a| <= mu ln.
/// ```
///
/// The corners of the cone are `+-mu d_a`: friction along a corner reaches Coulomb's bound, and
/// along the middle of a facet `cos(pi / F)` times this bound. Source: \[ST96\]; in the signed form
/// of \[HP23\] (75), with one slack for a contact.
#[derive(Clone, Debug, PartialEq)]
pub struct Facets {
    axes: Vec<[f64; 2]>,
}

impl Facets {
    /// Smallest number of facets.
    pub const LEAST: u32 = 4;
    /// Largest number of facets.
    pub const MOST: u32 = 32;

    /// A cone of `count` facets: an even number from [`Facets::LEAST`] to [`Facets::MOST`].
    pub fn new(count: u32) -> Result<Self> {
        if !(Self::LEAST..=Self::MOST).contains(&count) || count % 2 == 1 {
            let (least, most) = (Self::LEAST, Self::MOST);
            return Err(Error::usage(format!(
                "a friction cone has an even number of facets from {least} to {most}, found {count}"
            ))
            .at("facets")
            .hint(
                "8 serve most purposes; the cone's friction lies up to 1 - cos(pi / facets) below Coulomb's",
            ));
        }
        let axes = count as usize / 2;
        let axis = |a: usize| {
            let (sin, cos) = (PI * a as f64 / axes as f64).sin_cos();
            [if 2 * a == axes { 0.0 } else { cos }, sin]
        };
        Ok(Facets { axes: (0..axes).map(axis).collect() })
    }

    /// The axes `d_a` (T) in the tangent directions `t1`, `t2`.
    pub fn axes(&self) -> &[[f64; 2]] {
        &self.axes
    }
}
