//! Problems by their rank, which is padded to one of a few numbers.

use carom_core::{Real, Status};

use crate::range::{MOST_CONTACTS, Range, factor};
use crate::sample::Sample;
use crate::{Impact, Watch};

macro_rules! ranks {
    ($($name:ident $rank:literal),*) => {
        /// A problem prepared for its Delassus matrix.
        #[derive(Clone, Debug)]
        pub enum Phases<R> {
            $(#[doc = concat!("A rank up to ", $rank, ".")] $name(Prepared<R, $rank>)),*
        }

        /// The memory in which a sample is computed.
        #[derive(Clone, Debug)]
        pub enum Memory<R> {
            $(
                #[doc = concat!("Memory for a rank up to ", $rank, ".")]
                $name(Box<Sampled<R, $rank>>)
            ),*
        }

        impl<R: Real> Phases<R> {
            /// Prepares a problem with the Delassus matrix `w` (K,K), `K = 3 m`; `None` where its
            /// rank is not clear, or it has more contacts or a larger rank than there is code for.
            pub fn new(w: &[R]) -> Option<Self> {
                let columns = factor(w.iter().map(|x| x.to_f64()).collect())?;
                if columns.is_empty() || columns[0].1.len() > 3 * MOST_CONTACTS {
                    return None;
                }
                $(if columns.len() <= $rank {
                    return Some(Phases::$name(Prepared(Range::new(&columns))));
                })*
                None
            }

            /// The memory for samples.
            pub fn memory(&self) -> Memory<R> {
                match self {
                    $(Phases::$name(Prepared(range)) => {
                        Memory::$name(Box::new(Sampled(Sample::new(range.rows.len() / 3))))
                    })*
                }
            }

            /// Computes a sample, and leaves its impulse (K) in `total`; returns its status and the
            /// number of steps. Does not allocate with memory of this problem.
            pub fn sample(
                &self,
                impact: &Impact<'_, R>,
                memory: &mut Memory<R>,
                total: &mut [R],
                watch: &mut dyn Watch<R>,
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
pub struct Prepared<R, const P: usize>(Range<R, P>);

/// The memory for a rank up to P.
#[derive(Clone, Debug)]
pub struct Sampled<R, const P: usize>(Sample<R, P>);
