//! Bodies, joints, shapes and contacts, in the plane and in space.

/// Contacts of all bodies with the wall and with each other, and how fast their gaps grow by finite
/// differences of poses before, now and after. A contact of bodies counts where `near` says so of
/// the gap of its touch, the distance, and by how much the rate differs on both sides.
macro_rules! contacts_with_rates {
    ($model:ident, $poses:expr, $eps:ident, $near:ident) => {{
        let (mut contacts, [behind, here, ahead]) = (Vec::new(), $poses);
        let place = |i: usize, poses: &[Pose]| $model.bodies()[i].shapes[0].placed(&poses[i]);
        for j in 0..$model.bodies().len() {
            let wall = &$model.walls()[0];
            for (k, touch) in wall.touches(&place(j, here)).enumerate() {
                let gap = |poses: &[Pose]| {
                    wall.touches(&place(j, poses)).nth(k).expect("the same vertex").gap
                };
                let rate = (gap(ahead) - gap(behind)) / (2.0 * $eps);
                contacts.push((Contact { first: Surface::Wall(0), second: j, touch }, rate));
            }
            for i in 0..j {
                let gap = |poses: &[Pose]| separation(&place(i, poses), &place(j, poses));
                let found = touches(&place(i, here), &place(j, here), 10.0);
                let least = found.into_iter().min_by(|a, b| a.gap.total_cmp(&b.gap));
                // The rate is two-sided where the same features stay nearest.
                let [before, now, after] = [behind, here, ahead].map(|poses| gap(poses));
                let (fore, back) = ((after - now) / $eps, (now - before) / $eps);
                if let Some(touch) = least
                    && $near(touch.gap, now, (fore - back).abs())
                {
                    let contact = Contact { first: Surface::Body(i), second: j, touch };
                    contacts.push((contact, (fore + back) / 2.0));
                }
            }
        }
        contacts
    }};
}

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
