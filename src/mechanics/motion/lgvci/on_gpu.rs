//! Copies of a motion on a GPU.

use super::flight::close;
use super::lanes::{COLLISIONS, ITERATIONS};
use super::replica::{Replica, Setting};
use super::shape::{BodyShape, Polyhedron, ShapePart};
use super::state::BodyState;
use super::step::HALVINGS;
use crate::motion::ending::MotionEnding;
use carom_core::error::Result;
use carom_core::real::Real;
use carom_engine::gpu::{Gpu, March};
use carom_shaders::kernels::copies::{
    BODY_NUMBERS, COPY_NUMBERS, CUBOID, ELLIPSOID, LEFT, MarchUniform, POLYHEDRON,
};

/// The reason why copies of a shape are computed on the CPU alone; `None` where the GPU can compute
/// them.
pub fn on_the_cpu(shape: &BodyShape<f64>, gpu: &Gpu) -> Option<String> {
    let programs = |part: &ShapePart<f64>| match part {
        ShapePart::Intersection(_) => Some("intersections of ellipsoids run on the CPU"),
        ShapePart::Convex(_) => Some("bodies of functions run on the CPU"),
        _ => None,
    };
    if let Some(why) = shape.parts.iter().find_map(programs) {
        return Some(why.to_string());
    }
    let most = gpu.report.limits().rounds();
    (rounds(shape) * (HALVINGS + 1) > most)
        .then(|| "a shape of so many corners runs on the CPU".to_string())
}

/// A bound on the rounds of loops of a flight and a gap.
fn rounds<T>(shape: &BodyShape<T>) -> usize {
    let corners = |part: &ShapePart<T>| match part {
        ShapePart::Polyhedron(polyhedron) => polyhedron.vertices.len(),
        _ => 0,
    };
    // The gap is computed twice, for the point of the collision.
    4 + ITERATIONS + 2 * shape.parts.iter().map(|part| 1 + corners(part)).sum::<usize>()
}

/// Copies of one motion.
#[derive(Debug)]
pub struct OnGpu<'a, T> {
    setting: &'a Setting<T>,
    march: March<'a>,
}

impl<'a, T: Real> OnGpu<'a, T> {
    /// Builds the kernel.
    ///
    /// # Errors
    /// Those of [`March::new`].
    pub fn new(gpu: &'a Gpu, setting: &'a Setting<T>) -> Result<Self> {
        let body = &setting.body;
        let mut numbers = vec![body.mass, body.offset, setting.time_step];
        numbers.extend([close::<T>(), T::EPSILON].map(T::from_f64));
        let rows = [&body.inertia[..], &body.inverse[..], &[body.gravity, body.normal]];
        numbers.extend_from_slice(rows.concat().as_flattened());
        debug_assert_eq!(numbers.len(), BODY_NUMBERS);
        let mut kinds = Vec::new();
        for part in &body.shape.parts {
            let place = numbers.len() as u32;
            let (kind, count) = match part {
                ShapePart::Ellipsoid(_) => (ELLIPSOID, 0),
                ShapePart::Cuboid(..) => (CUBOID, 0),
                ShapePart::Polyhedron(polyhedron) => (POLYHEDRON, polyhedron.vertices.len()),
                // Shapes with these run on the CPU.
                ShapePart::Intersection(_) | ShapePart::Convex(_) => continue,
            };
            if let ShapePart::Ellipsoid(image) | ShapePart::Cuboid(image, _) = part {
                numbers.extend(image.center);
                numbers.extend_from_slice(image.half.as_flattened());
            }
            if let ShapePart::Cuboid(_, rounding)
            | ShapePart::Polyhedron(Polyhedron { rounding, .. }) = part
            {
                numbers.push(*rounding);
            }
            if let ShapePart::Polyhedron(polyhedron) = part {
                numbers.extend_from_slice(polyhedron.vertices.as_flattened());
            }
            kinds.push([kind as u32, place, count as u32, 0]);
        }
        let uniform = MarchUniform {
            parts: kinds.len() as u32,
            budget: gpu.report.limits().rounds() as u32,
            rounds: rounds(&body.shape) as u32,
            iterations: ITERATIONS as u32,
            halvings: HALVINGS as u32,
            collisions: COLLISIONS.min(setting.max_collisions),
            ..MarchUniform::default()
        };
        Ok(OnGpu { setting, march: March::new(gpu, &numbers, &kinds, uniform)? })
    }

    /// Most copies at a time.
    pub fn most(&self) -> u64 {
        self.march.most()
    }

    /// Moves copies as [`advance`](super::advance) does; a step that the kernel leaves is taken by
    /// [`Replica::step`].
    ///
    /// # Errors
    /// A device that was lost or ran out of memory.
    pub fn advance(
        &self,
        copies: &mut [Replica<T>],
        until: u64,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<()> {
        loop {
            let mut moving: Vec<&mut Replica<T>> =
                copies.iter_mut().filter(|copy| copy.goes_on(until)).collect();
            if moving.is_empty() || stopped() {
                return Ok(());
            }
            let mut numbers = Vec::with_capacity(moving.len() * COPY_NUMBERS);
            let mut words = Vec::with_capacity(moving.len());
            for copy in &moving {
                numbers.extend(copy.state.numbers());
                numbers.extend([copy.initial, copy.energy_error]);
                words.push([0, u32::try_from(until - copy.steps).unwrap_or(u32::MAX), 0, 0]);
            }
            let (numbers, after) = self.march.run(&numbers, &words, stopped)?;
            let found = numbers.as_chunks::<COPY_NUMBERS>().0.iter().zip(words.iter().zip(&after));
            for (copy, (numbers, ([_, before, ..], [left, after, collisions, _]))) in
                moving.iter_mut().zip(found)
            {
                let [state @ .., _, error] = numbers;
                copy.state = BodyState::of_numbers(state);
                copy.energy_error = *error;
                copy.steps += u64::from(before - after);
                copy.collisions += u64::from(*collisions);
                if !copy.state.is_finite() {
                    copy.ending = MotionEnding::NotFinite;
                } else if *left == LEFT {
                    copy.step(self.setting, |_| ());
                }
            }
        }
    }
}
