use std::f64::consts::PI;

use carom_mechanics::model::spatial::{Attitude, Matrix, Vector};

/// The volume and moments of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Solid {
    /// The volume in m^3.
    pub volume: f64,
    pub centre: Vector,
    /// The inertia tensor about the centre, divided by the mass, in m^2.
    pub gyration: Matrix,
}

impl Solid {
    pub fn sphere(radius: f64) -> Solid {
        Solid::ellipsoid(Vector::repeat(radius))
    }

    /// An ellipsoid at the origin, by its half axes.
    pub fn ellipsoid(half: Vector) -> Solid {
        Solid::symmetric(4.0 / 3.0 * PI * half.product(), half.component_mul(&half) / 5.0)
    }

    /// A box at the origin, by its half sides.
    pub fn cuboid(half: Vector) -> Solid {
        Solid::symmetric(8.0 * half.product(), half.component_mul(&half) / 3.0)
    }

    /// A cylinder along z about the origin.
    pub fn cylinder(radius: f64, half: f64) -> Solid {
        let across = radius * radius / 4.0;
        Solid::symmetric(
            PI * radius * radius * 2.0 * half,
            Vector::new(across, across, half * half / 3.0),
        )
    }

    /// A cylinder along z about the origin with half spheres on both ends.
    pub fn capsule(radius: f64, half: f64) -> Solid {
        let r2 = radius * radius;
        let (cylinder, ends) = (2.0 * half * PI * r2, 4.0 / 3.0 * PI * r2 * radius);
        // For a half sphere, the second moment along its axis about the flat side is r^2/5; the
        // centroid lies 3/8 r from the flat side.
        let along =
            cylinder * half * half / 3.0 + ends * (half * half + 0.75 * half * radius + r2 / 5.0);
        let across = cylinder * r2 / 4.0 + ends * r2 / 5.0;
        let volume = cylinder + ends;
        Solid::symmetric(volume, Vector::new(across, across, along) / volume)
    }

    /// A solid that is symmetric in the coordinate planes, from its mean squares of x, y and z.
    fn symmetric(volume: f64, squares: Vector) -> Solid {
        let gyration = Matrix::from_diagonal(&(Vector::repeat(squares.sum()) - squares));
        Solid { volume, centre: Vector::zeros(), gyration }
    }
}

/// A mass, its centre, and its inertia tensor about the centre.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Inertial {
    pub mass: f64,
    pub centre: Vector,
    pub inertia: Matrix,
}

impl Inertial {
    /// The inertial properties in an outer frame, where the present frame has this pose.
    pub fn seen(&self, origin: Vector, attitude: Attitude) -> Inertial {
        let turn = attitude.to_rotation_matrix();
        Inertial {
            mass: self.mass,
            centre: origin + attitude * self.centre,
            inertia: turn.matrix() * self.inertia * turn.matrix().transpose(),
        }
    }

    pub fn sum(parts: &[Inertial]) -> Inertial {
        let mass: f64 = parts.iter().map(|part| part.mass).sum();
        if mass == 0.0 {
            return Inertial::default();
        }
        let centre = parts.iter().map(|part| part.centre * part.mass).sum::<Vector>() / mass;
        let about = |part: &Inertial| {
            let arm = part.centre - centre;
            part.inertia
                + (Matrix::identity() * arm.norm_squared() - arm * arm.transpose()) * part.mass
        };
        Inertial { mass, centre, inertia: parts.iter().map(about).sum() }
    }
}
