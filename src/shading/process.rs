//! Which process a bound law runs, as far as kernels differ.

use crate::law::Strike;
use crate::law::integration::Inclusion;
use crate::law::routh::Bound;
use crate::lcp::ModeTable;

/// The process of a bound law.
#[derive(Clone, Copy, Debug)]
pub enum Process<'a, R> {
    /// Single impacts or reflections in random order.
    Orders(Strike),
    /// The inclusion, integrated.
    Inclusion(&'a Inclusion<R>),
    /// Steps, by a table of contact modes where there is one.
    Steps(Option<&'a ModeTable<R>>),
}

impl<'a, R> Process<'a, R> {
    /// The process of a bound law.
    pub fn of(bound: &'a Bound<R>) -> Self {
        match (bound.strike, &bound.inclusion) {
            (Some(strike), _) => Process::Orders(strike),
            (None, Some(inclusion)) => Process::Inclusion(inclusion),
            (None, None) => Process::Steps(bound.table.as_ref()),
        }
    }

    /// The table of contact modes, where steps are solved by one.
    pub fn table(self) -> Option<&'a ModeTable<R>> {
        if let Process::Steps(table) = self { table } else { None }
    }

    /// The inclusion, where one is integrated.
    pub fn inclusion(self) -> Option<&'a Inclusion<R>> {
        if let Process::Inclusion(inclusion) = self { Some(inclusion) } else { None }
    }
}
