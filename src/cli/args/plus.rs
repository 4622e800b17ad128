//! The flags of the law plus.

use crate::Plus;

use super::values::nonnegative;

/// The options of the law plus.
#[derive(Debug, clap::Args)]
pub struct PlusArgs {
    /// plus: the largest change of a sliding direction in an interval, rad [default: 0.01].
    #[arg(long, value_name = "RAD", value_parser = nonnegative, allow_negative_numbers = true)]
    pub(super) theta_max: Option<f64>,
    /// plus: a contact slides from this tangential speed on, m/s [default: 0.1].
    #[arg(long, value_name = "V", value_parser = nonnegative, allow_negative_numbers = true)]
    pub(super) v_transition: Option<f64>,
    /// plus: from this normal speed on the coefficient of restitution is that of the file, m/s;
    /// slower impacts have a larger one [default: 0.1].
    #[arg(long, value_name = "V", value_parser = nonnegative, allow_negative_numbers = true)]
    pub(super) v_plastic: Option<f64>,
    /// plus: below this normal speed the coefficient of restitution is 0, m/s [default: 0.01].
    #[arg(long, value_name = "V", value_parser = nonnegative, allow_negative_numbers = true)]
    pub(super) v_capture: Option<f64>,
}

impl PlusArgs {
    /// The law with these options.
    pub fn law(&self) -> Plus {
        let default = Plus::default();
        Plus {
            theta_max: self.theta_max.unwrap_or(default.theta_max),
            v_transition: self.v_transition.unwrap_or(default.v_transition),
            v_plastic: self.v_plastic.unwrap_or(default.v_plastic),
            v_capture: self.v_capture.unwrap_or(default.v_capture),
            restitution: None,
        }
    }

    /// The flags, and whether each is given.
    pub fn given(&self) -> [(&'static str, bool); 4] {
        [
            ("--theta-max", self.theta_max.is_some()),
            ("--v-transition", self.v_transition.is_some()),
            ("--v-plastic", self.v_plastic.is_some()),
            ("--v-capture", self.v_capture.is_some()),
        ]
    }
}
