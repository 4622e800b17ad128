//! The forces of compliant contacts.

use carom_core::ContactProblem;
use carom_core::named;

named! {
    /// The normal force of a contact with penetration `x = -phi > 0` and its rate `x' = -u_n`;
    /// never below 0.
    #[derive(Default)]
    pub enum ContactModel {
        /// A spring and a damper: `k x + 2 z sqrt(k m) x'`, `1 / m = W_nn`. With damping ratio z <
        /// 1 a single contact has the restitution `e = exp(-2 z / s atan(s / z))`, `s = sqrt(1 -
        /// z^2)`; above, atan and s become artanh and `sqrt(z^2 - 1)`.
        #[default]
        KelvinVoigt = "kelvin-voigt",
        /// Hunt and Crossley's: `k x^(3/2) (1 + a x')`. A single contact of speed v has the
        /// restitution e with `y - log(1 + y) = -e y - log(1 - e y)`, `y = a v`.
        HuntCrossley = "hunt-crossley",
    }
}

impl ContactModel {
    /// The dimensionless damping of a single contact with restitution `e` in (0, 1).
    pub fn damping(self, e: f64) -> f64 {
        if e == 1.0 {
            return 0.0;
        }
        // In both models, restitution falls as damping grows.
        let gives_back = |z: f64| match self {
            ContactModel::KelvinVoigt => restitution(z),
            ContactModel::HuntCrossley => {
                let side = |e: f64| -e * z - (-e * z).ln_1p();
                let lost = z - z.ln_1p();
                let (mut low, mut high) = (0.0, 1.0_f64.min(1.0 / z));
                for _ in 0..200 {
                    let middle = 0.5 * (low + high);
                    if side(middle) < lost { low = middle } else { high = middle }
                }
                low
            }
        };
        let (mut low, mut high) = (0.0, 1.0);
        while gives_back(high) > e && high < 1e12 {
            high *= 2.0;
        }
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if gives_back(middle) > e { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    }
}

/// The restitution of a spring and a damper with damping ratio `z`.
pub fn restitution(z: f64) -> f64 {
    let s = (1.0 - z * z).abs().sqrt();
    let angle = match () {
        () if s < 1e-6 => 1.0,
        () if z < 1.0 => z / s * (s / z).atan(),
        () => z / s * (s / z).atanh(),
    };
    (-2.0 * angle).exp()
}

/// The damping ratio of an inelastic contact.
pub const INELASTIC: f64 = 10.0;

/// The force of one contact.
#[derive(Clone, Copy, Debug)]
pub struct Force {
    model: ContactModel,
    stiffness: f64,
    /// Kelvin and Voigt's model: N s/m. Hunt and Crossley's: s/m.
    damping: f64,
    /// The rate at which the force responds to a change of velocity, in 1/s.
    pub rate: f64,
}

impl Force {
    /// The forces of all contacts.
    pub fn all(
        problem: &ContactProblem,
        stiffness: &[f64],
        model: ContactModel,
        damping: Option<f64>,
    ) -> Vec<Force> {
        let speed = problem.contact_velocity().amax().max(f64::MIN_POSITIVE);
        let of = |i: usize| {
            let (k, w) = (stiffness[i], problem.delassus()[(i, i)]);
            let e = problem.restitution().map_or(0.0, |e| e[i]);
            let ratio = match damping {
                Some(ratio) => ratio,
                None if e > 0.0 => model.damping(e),
                None => INELASTIC,
            };
            let (damping, rate) = match model {
                ContactModel::KelvinVoigt => (2.0 * ratio * (k / w).sqrt(), (k * w).sqrt()),
                ContactModel::HuntCrossley => (ratio / speed, (k * w).powf(0.4) * speed.powf(0.2)),
            };
            Force { model, stiffness: k, damping, rate: rate * (1.0 + ratio) }
        };
        (0..problem.contact_count()).map(of).collect()
    }

    /// The energy of the spring at gap `phi`, in J.
    pub fn energy(&self, phi: f64) -> f64 {
        let x = (-phi).max(0.0);
        match self.model {
            ContactModel::KelvinVoigt => 0.5 * self.stiffness * x * x,
            ContactModel::HuntCrossley => 0.4 * self.stiffness * x * x * x.sqrt(),
        }
    }

    /// The force at gap `phi` and normal velocity `u`, and its derivatives by both.
    pub fn at(&self, phi: f64, u: f64) -> [f64; 3] {
        if phi >= 0.0 {
            return [0.0; 3];
        }
        let (k, d, x) = (self.stiffness, self.damping, -phi);
        let found = match self.model {
            ContactModel::KelvinVoigt => [k * x - d * u, -k, -d],
            ContactModel::HuntCrossley => {
                let (root, held) = (x.sqrt(), 1.0 - d * u);
                [k * x * root * held, -1.5 * k * root * held, -k * x * root * d]
            }
        };
        if found[0] > 0.0 { found } else { [0.0; 3] }
    }
}
