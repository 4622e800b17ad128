//! Bodies, joints, shapes and contacts, in the plane and in space.

mod planar;
mod spatial;

use crate::support::draws::Draws;
use std::ops::{Deref, DerefMut};

/// Random models in two or three dimensions.
struct Models<const D: usize>(Draws);

impl<const D: usize> Models<D> {
    fn new(test: u64) -> Self {
        Models(Draws::new(test))
    }
}

impl<const D: usize> Deref for Models<D> {
    type Target = Draws;
    fn deref(&self) -> &Draws {
        &self.0
    }
}

impl<const D: usize> DerefMut for Models<D> {
    fn deref_mut(&mut self) -> &mut Draws {
        &mut self.0
    }
}
