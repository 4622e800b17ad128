use super::algebra::{Mat3, Vec3, add, apply, apply_transposed, cross, dot, product, scaled};
use super::flight;
use super::shape::{BodyShape, Support};
use super::state::BodyState;

/// The constants of a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct RigidBody {
    /// The mass in kg.
    pub mass: f64,
    /// The inertia J about the mass centre, in the frame of the body, in kg m^2.
    pub inertia: Mat3,
    /// `J^-1`.
    pub inverse: Mat3,
    /// The acceleration of free fall in the world, in m/s^2.
    pub gravity: Vec3,
    /// The unit normal n of the plane in the world, towards the free side.
    pub normal: Vec3,
    /// The offset D of the plane `n . z + D = 0`, in m.
    pub offset: f64,
    /// The shape that can touch, in the frame of the body.
    pub shape: BodyShape,
}

impl RigidBody {
    /// State after a free flight of duration `tau`; `None` if it rotates too far for one step.
    ///
    /// `x' = x + tau g/m + tau^2/2 a`, `g' = g + m tau a`, `R' = R F`, `P' = F' P` with
    /// [`F`](flight::rotation) of `tau P`. The flight conserves the energy and `|P|` exactly, but
    /// for rounding. Source: \[TL24\] Sec. 5.1.2, the Hamiltonian form; the gravity `a` may have
    /// any direction.
    pub fn flight(&self, state: &BodyState, tau: f64) -> Option<BodyState> {
        let f =
            flight::rotation(&self.inertia, &self.inverse, scaled(state.angular_momentum, tau))?;
        let turn = flight::matrix(f);
        let fallen = scaled(self.gravity, tau * tau * 0.5);
        Some(BodyState {
            position: add(add(state.position, scaled(state.momentum, tau / self.mass)), fallen),
            attitude: product(&state.attitude, &turn),
            momentum: add(state.momentum, scaled(self.gravity, self.mass * tau)),
            angular_momentum: apply_transposed(&turn, state.angular_momentum),
        })
    }

    /// Gap between plane and body, `n . x + D + min q . rho` with `q = R' n`, in m, and the body's
    /// nearest point rho.
    ///
    /// Source: \[TL24\] (63), with the distance `D` of the plane from the origin.
    pub fn gap(&self, state: &BodyState) -> Support {
        let q = apply_transposed(&state.attitude, self.normal);
        let first = self.shape.support(q);
        Support {
            value: dot(self.normal, state.position) + self.offset + first.value,
            point: first.point,
        }
    }

    /// The rate at which the gap grows where `rho` is nearest, in m/s, and its change per unit
    /// impulse, in 1/kg.
    ///
    /// `n . g/m + P . J^-1 chi` and `1/m + chi . J^-1 chi`, with `chi = rho x q`.
    pub fn approach(&self, state: &BodyState, rho: Vec3) -> (f64, f64) {
        let chi = self.lever(state, rho);
        let turned = apply(&self.inverse, chi);
        (
            dot(self.normal, state.momentum) / self.mass + dot(state.angular_momentum, turned),
            1.0 / self.mass + dot(chi, turned),
        )
    }

    /// chi: the change of the angular momentum per unit impulse, in m.
    fn lever(&self, state: &BodyState, rho: Vec3) -> Vec3 {
        cross(rho, apply_transposed(&state.attitude, self.normal))
    }

    /// The state after the impulse `lambda n` at the point `rho` of the body: `g + lambda n`,
    /// `P + lambda chi`.
    ///
    /// With `lambda = -2 (n . g/m + P . J^-1 chi) / (1/m + chi . J^-1 chi)` the gap's rate is
    /// reversed and the energy is conserved. Source: \[TL24\] Theorem 4.4 and Corollary 4.6,
    /// frictionless and elastic.
    pub fn jump(&self, state: &BodyState, rho: Vec3, lambda: f64) -> BodyState {
        BodyState {
            momentum: add(state.momentum, scaled(self.normal, lambda)),
            angular_momentum: add(state.angular_momentum, scaled(self.lever(state, rho), lambda)),
            ..*state
        }
    }

    /// The energies in J of a state: of the mass centre's motion `|g|^2 / 2m`, of the rotation
    /// `P . J^-1 P / 2`, and in the field of gravity `-m a . x`, 0 at the origin.
    pub fn energies(&self, state: &BodyState) -> Vec3 {
        let half = 0.5;
        let spin = apply(&self.inverse, state.angular_momentum);
        [
            half * (dot(state.momentum, state.momentum) / self.mass),
            half * dot(state.angular_momentum, spin),
            -(self.mass * dot(self.gravity, state.position)),
        ]
    }

    /// The sum of the [`energies`](Self::energies), in J.
    pub fn total_energy(&self, state: &BodyState) -> f64 {
        let [translational, rotational, potential] = self.energies(state);
        translational + rotational + potential
    }
}
