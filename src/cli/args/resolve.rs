use super::asked::{Asked, OfPlus};
use super::compliant::CompliantArgs;
use super::problem::ProblemArgs;
use super::values::{contact, hypothesis, max_steps, sequences, share};
use carom_core::error::{Error, Result};
use carom_law::finite::propagative::Kind as SequenceKind;
use carom_law::{
    AnitescuPotra, ConeComplementarity, DarbouxKeller, FiniteLaw, Hypothesis, Propagative, Routh,
    Sequential,
};

/// Find the outcomes of an impact law that has finitely many, all of them.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  carom resolve box-and-wall\n  carom resolve box-and-wall --law plus --restitution 0.3"
)]
pub struct ResolveArgs {
    #[command(flatten, next_help_heading = "Problem")]
    pub problem: ProblemArgs,
    /// The impact law: anitescu-potra (all contacts at once), cone-complementarity (the same with
    /// circular friction cones), convex-relaxation (its relaxation to a convex program), sequential
    /// (one after the other), propagative (elastic reflections in every order), darboux-keller (one
    /// spatial contact, with friction and restitution), plus (rounds of compression and expansion
    /// at all contacts at once, with friction and restitution) or compliant (springs and dampers at
    /// the contacts).
    #[arg(long, value_name = "LAW", value_parser = name)]
    law: Option<String>,
    /// sequential: the contact to begin with, counted from 0; the others follow in order [default:
    /// each in turn].
    #[arg(long, value_name = "K", value_parser = contact, allow_negative_numbers = true)]
    start: Option<usize>,
    /// sequential: the order in which the contacts are looked at, again and again: 1,0,2.
    #[arg(long, value_name = "I,J,..", value_delimiter = ',', value_parser = contact, conflicts_with = "start")]
    #[arg(allow_negative_numbers = true)]
    order: Option<Vec<usize>>,
    /// Coefficient of restitution of all contacts, instead of the file's.
    #[arg(long, value_name = "E", value_parser = share, allow_negative_numbers = true)]
    pub restitution: Option<f64>,
    /// propagative: list only the minimal or only the admissible sequences [default: both].
    #[arg(long, value_name = "WHICH", value_parser = sequences())]
    sequences: Option<SequenceKind>,
    /// propagative: length of the longest sequence [default: two contacts: the bound; more: what
    /// 1e5 sequences allow].
    #[arg(long, value_name = "L", value_parser = max_steps, allow_negative_numbers = true)]
    max_length: Option<u32>,
    /// darboux-keller: what the coefficient of restitution is a ratio of: stronge (energies),
    /// poisson (impulses) or newton (velocities) [default: stronge].
    #[arg(long, value_name = "H", value_parser = hypothesis())]
    pub hypothesis: Option<Hypothesis>,
    /// anitescu-potra, spatial problems: facets K of the friction cones, an even number from 4 to
    /// 32 [default: 16].
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    facets: Option<u32>,
    /// cone-complementarity, spatial problems: random impulses from which solutions are sought
    /// [default: 8].
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    starts: Option<u32>,
    #[command(flatten)]
    plus: Asked<OfPlus>,
    #[command(flatten)]
    compliant: CompliantArgs,
    /// Report as JSON.
    #[arg(long)]
    pub json: bool,
}

impl ResolveArgs {
    /// The law asked for, if one is; options of other laws are refused.
    pub fn law(&self) -> Result<Option<FiniteLaw>> {
        let Some(asked) = self.law.as_deref() else { return Ok(None) };
        let sequential =
            Sequential { start: self.start, order: self.order.clone(), ..Sequential::default() };
        let max_length = self.max_length.map(|length| length as usize);
        let propagative =
            Propagative { sequences: self.sequences, max_length, ..Propagative::default() };
        let hypothesis = self.hypothesis.unwrap_or_default();
        let starts = self.starts.unwrap_or(ConeComplementarity::STARTS);
        // The laws that have flags, as the flags make them, and whether each flag is given.
        let laws = [
            (
                FiniteLaw::Sequential(sequential),
                vec![("--start", self.start.is_some()), ("--order", self.order.is_some())],
            ),
            (
                FiniteLaw::Propagative(propagative),
                vec![
                    ("--sequences", self.sequences.is_some()),
                    ("--max-length", self.max_length.is_some()),
                ],
            ),
            (
                FiniteLaw::DarbouxKeller(DarbouxKeller { hypothesis, restitution: None }),
                vec![("--hypothesis", self.hypothesis.is_some())],
            ),
            (
                FiniteLaw::AnitescuPotra(AnitescuPotra { facets: self.facets }),
                vec![("--facets", self.facets.is_some())],
            ),
            (
                FiniteLaw::ConeComplementarity(ConeComplementarity { starts }),
                vec![("--starts", self.starts.is_some())],
            ),
            (FiniteLaw::Plus(self.plus.plus()?), self.plus.flags()),
            (FiniteLaw::Compliant(self.compliant.compliant()), self.compliant.flags()),
        ];
        let mut wanted = None;
        for (law, options) in laws {
            let of = law.name();
            if asked == of {
                wanted = Some(law);
            } else if let Some((option, _)) = options.iter().find(|(_, given)| *given) {
                let what = format!("the law {asked} has no such option; it belongs to {of}");
                return Err(Error::usage(what).at(*option));
            }
        }
        Ok(wanted.or_else(|| FiniteLaw::named(asked)))
    }
}

fn name(text: &str) -> Result<String, String> {
    let expected = FiniteLaw::NAMES.join(", ");
    match text {
        _ if FiniteLaw::NAMES.contains(&text) => Ok(text.to_string()),
        Routh::NAME => Err(format!(
            "the law routh has a set of outcomes: see `carom sample`; expected one of {expected}"
        )),
        _ => Err(format!("no such law; expected one of {expected}")),
    }
}
