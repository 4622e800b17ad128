use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Describe;
use carom_core::{ContactProblem, Error, Result};

/// The phases of an impact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Phases {
    /// Rounds, as long as contacts approach: one that does not approach yet observes.
    #[default]
    Rounds,
    /// One compression at all contacts, approaching or not, and one expansion: row C of \[USD15\]
    /// Fig. 14. Coefficients of restitution are those of the fastest approach.
    Once,
}

impl Phases {
    /// The name on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Phases::Rounds => "rounds",
            Phases::Once => "once",
        }
    }
}

/// PLUS, the law of Uchida, Sherman and Delp: rounds of compression and expansion with Poisson's
/// coefficient, each of them a sequence of intervals in which contacts slide, roll or begin to
/// slip, and share their loads by least squares.
///
/// ```text
/// a round:      contact i expands by e_i times its normal impulse of the compression before,
///               if it has one; else it compresses, if u_n < 0; else it observes
/// an interval:  min |pi|  with   W_n pi = -u_n, pi_n >= 0  (compressing),
///               pi_n = the impulse left to expand  (expanding),   W_t pi = -u_t  (rolling),
///               pi_t = -mu pi_n s  (sliding: s the direction of u_t,
///                                   impending slip: s the direction of u_t + W_t pi),
///               |pi_t| <= mu pi_n;   u <- u + alpha W pi
/// e_i = 0 where -u_n < v_capture, else max(e_min, 1 - (1 - e_min) (-u_n)/v_plastic),
///       u_n at the start of the round
/// ```
///
/// `alpha < 1` where a sliding velocity turns by more than `theta_max` or comes closer to 0 than
/// `v_transition`. Planar and spatial problems, with or without friction; `W` may be singular. One
/// outcome. Where no such impulse ends the approach, because friction pulls a sliding contact in
/// (`W_nn < mu W_nt s` for one contact alone), the contact jams: `s'(u_t + W_t pi) = 0` instead of
/// `W_n pi = -u_n`, after which the round goes on. This is a named deviation, counted in the
/// details. Source: \[USD15\]. Deviations: see `impact`, `active_set`, `sweeps`,
/// `IntervalEquations::impulse` and `impending` in `src/law/finite/plus/`; tolerances, which the
/// paper does not give, are parts of `max|u-|`. Guarantee: always ends;
/// [`Status::StepLimit`](carom_core::status::Status::StepLimit) after 20 000 rounds or 100 000
/// intervals, [`Status::Budget`](carom_core::status::Status::Budget) after the work that one
/// resolution may take, [`Status::Unsolved`](carom_core::status::Status::Unsolved) where no impulse
/// of an interval was found that meets its conditions. Without restitution (`e_min`, `v_plastic` 0)
/// energy does not grow with one contact, nor without friction; with several rough contacts nothing
/// is proved. With Poisson's coefficient above 0 friction may add more. Accuracy: of first order in
/// `theta_max`. The residual covers momentum, the friction cone of each round, Poisson's
/// coefficient and all conditions of the intervals: friction that opposes slip, compressing
/// contacts that do not approach at the end.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Plus {
    /// The phases of an impact.
    pub phases: Phases,
    /// The largest change of a sliding direction in an interval, in rad, below pi.
    #[schemars(range(min = 0))]
    pub theta_max: f64,
    /// A contact slides from this tangential speed on, in m/s.
    #[schemars(range(min = 0))]
    pub v_transition: f64,
    /// From this normal speed on the coefficient of restitution is the problem's, in m/s; slower
    /// impacts have a larger one.
    #[schemars(range(min = 0))]
    pub v_plastic: f64,
    /// Below this normal speed the coefficient of restitution is 0, in m/s.
    #[schemars(range(min = 0))]
    pub v_capture: f64,
    /// Least coefficient of restitution `e_min` of all contacts; `None`: the problem's, contact by
    /// contact, else 0.
    #[serde(skip)]
    pub restitution: Option<f64>,
}

impl Default for Plus {
    fn default() -> Self {
        Plus {
            phases: Phases::Rounds,
            theta_max: 0.01,
            v_transition: 0.1,
            v_plastic: 0.1,
            v_capture: 0.01,
            restitution: None,
        }
    }
}

impl Plus {
    /// The law's name.
    pub const NAME: &'static str = "plus";

    /// The coefficient of restitution of a contact with approach `speed` > 0 in m/s and least
    /// coefficient `least`.
    ///
    /// Source: \[USD15\] Fig. 2.
    pub fn coefficient(&self, least: f64, speed: f64) -> f64 {
        if speed < self.v_capture {
            0.0
        } else {
            least.max(1.0 - (1.0 - least) * speed / self.v_plastic)
        }
    }

    /// The least coefficient of restitution of each contact (m).
    pub(super) fn checked(&self, problem: &ContactProblem) -> Result<Vec<f64>> {
        let refused = |what: &str, found: f64, at: &str| {
            Err(Error::usage(format!("{what}, found {found}")).at(at))
        };
        if !(self.theta_max > 0.0 && self.theta_max < std::f64::consts::PI) {
            let what = "the largest change of direction lies between 0 and pi";
            return refused(what, self.theta_max, "theta_max");
        }
        let speeds = [
            (self.v_transition, "v_transition"),
            (self.v_plastic, "v_plastic"),
            (self.v_capture, "v_capture"),
        ];
        if let Some((speed, at)) =
            speeds.into_iter().find(|(speed, _)| !(0.0..=f64::INFINITY).contains(speed))
        {
            return refused("a speed is a number >= 0", speed, at);
        }
        match self.restitution {
            Some(e) if !(0.0..=1.0).contains(&e) => {
                refused("a coefficient of restitution lies in [0, 1]", e, "restitution")
            }
            given => {
                let m = problem.contact_count();
                let of_problem = || problem.restitution().map_or(vec![0.0; m], <[f64]>::to_vec);
                Ok(given.map_or_else(of_problem, |e| vec![e; m]))
            }
        }
    }
}

impl Describe for Plus {
    fn keys(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("phases", self.phases.name().into()),
            ("theta_max", self.theta_max.into()),
            ("v_transition", self.v_transition.into()),
            ("v_plastic", self.v_plastic.into()),
            ("v_capture", self.v_capture.into()),
        ]
    }
}
