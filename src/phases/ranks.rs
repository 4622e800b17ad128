//! Problems by the rank of `W`, padded to one of four ranks, in double precision. Their code is
//! compiled in this package only, not in the packages that use it.

use carom_core::Status;

use crate::range::{MOST_CONTACTS, Range, factor};
use crate::sample::Sample;
use crate::{Impact, Watch};

macro_rules! ranks {
    ($($name:ident $rank:literal),*) => {
        /// A problem prepared for its Delassus matrix.
        #[derive(Clone, Debug)]
        pub enum Phases {
            $(#[doc = concat!("A rank up to ", $rank, ".")] $name(Prepared<$rank>)),*
        }

        /// The memory in which a sample is computed.
        #[derive(Clone, Debug)]
        pub enum Memory {
            $(
                #[doc = concat!("Memory for a rank up to ", $rank, ".")]
                $name(Box<Sampled<$rank>>)
            ),*
        }

        impl Phases {
            /// Prepares a problem with the Delassus matrix `w` (K,K), `K = 3 m`; `None` where the
            /// rank is undecided, or where number of contacts or rank is too large.
            pub fn new(w: &[f64]) -> Option<Self> {
                let columns = factor(w.to_vec())?;
                if columns.is_empty() || columns[0].1.len() > 3 * MOST_CONTACTS {
                    return None;
                }
                $(if columns.len() <= $rank {
                    return Some(Phases::$name(Prepared(Range::new(&columns))));
                })*
                None
            }

            /// The memory for samples.
            pub fn memory(&self) -> Memory {
                match self {
                    $(Phases::$name(Prepared(range)) => {
                        Memory::$name(Box::new(Sampled(Sample::new(range.rows.len() / 3))))
                    })*
                }
            }

            /// Computes a sample and writes its impulse (K) to `total`; returns its status and the
            /// number of steps. Does not allocate with memory of this problem.
            pub fn sample(
                &self,
                impact: &Impact<'_, f64>,
                memory: &mut Memory,
                total: &mut [f64],
                watch: &mut dyn Watch<f64>,
            ) -> (Status, u32) {
                match (self, &mut *memory) {
                    $((Phases::$name(Prepared(range)), Memory::$name(sampled)) => {
                        sampled.0.sample(range, impact, total, watch)
                    })*
                    _ => {
                        *memory = self.memory();
                        self.sample(impact, memory, total, watch)
                    }
                }
            }
        }
    };
}

ranks!(Eight 8, Twelve 12, Twenty 20, ThirtyTwo 32);

/// The range of a rank up to P.
#[derive(Clone, Debug)]
pub struct Prepared<const P: usize>(Range<f64, P>);

/// The memory for a rank up to P.
#[derive(Clone, Debug)]
pub struct Sampled<const P: usize>(Sample<f64, P>);
