use super::values::{model, nonnegative, stribeck};
use carom_law::finite::compliant::Stribeck;
use carom_law::{Compliant, ContactModel};

/// The options of the law compliant.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct CompliantArgs {
    /// compliant: stiffness of all contacts, or of each: K1,K2,.., N/m (hunt-crossley: N/m^1.5);
    /// without gaps only their ratios count [default: 1e6].
    #[arg(long, value_name = "K,..", value_delimiter = ',', value_parser = nonnegative, allow_negative_numbers = true)]
    stiffness: Option<Vec<f64>>,
    /// compliant: how a contact pushes [default: kelvin-voigt].
    #[arg(long, value_name = "MODEL", value_parser = model())]
    model: Option<ContactModel>,
    /// compliant: damping ratio of all contacts [default: what restitution says; without it 10].
    /// Without restitution the impact ends when no contact approaches, whatever the damping; what
    /// the springs hold then is lost.
    #[arg(long, value_name = "Z", value_parser = nonnegative, allow_negative_numbers = true)]
    damping: Option<f64>,
    /// compliant: gaps of the contacts before the impact, m [default: 0].
    #[arg(long, value_name = "G1,G2,..", value_delimiter = ',', value_parser = nonnegative, allow_negative_numbers = true)]
    gaps: Option<Vec<f64>>,
    /// compliant: friction that depends on the speed: the speed at which it is largest, m/s; then
    /// its coefficient there over that of fast sliding [1], and viscous friction over it, s/m [0].
    #[arg(long, value_name = "V[,PEAK[,VISCOUS]]", value_parser = stribeck, allow_negative_numbers = true)]
    stribeck: Option<Stribeck>,
}

impl CompliantArgs {
    pub fn compliant(&self) -> Compliant {
        let otherwise = Compliant::default();
        Compliant {
            stiffness: self.stiffness.clone().unwrap_or(otherwise.stiffness),
            model: self.model.unwrap_or(otherwise.model),
            damping: self.damping,
            gaps: self.gaps.clone().unwrap_or(otherwise.gaps),
            stribeck: self.stribeck,
        }
    }

    /// The flags, and whether each is given.
    pub fn flags(&self) -> Vec<(&'static str, bool)> {
        vec![
            ("--stiffness", self.stiffness.is_some()),
            ("--model", self.model.is_some()),
            ("--damping", self.damping.is_some()),
            ("--gaps", self.gaps.is_some()),
            ("--stribeck", self.stribeck.is_some()),
        ]
    }
}
