//! Sets of small numbers, such as the inequalities orthogonal to a ray.

use std::ops::{BitAnd, BitOr};

/// Upper bound (exclusive) of the numbers in a set.
pub const MOST: usize = 512;

const WORDS: usize = MOST / 64;

/// A set of numbers below [`MOST`], a bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Incidence([u64; WORDS]);

impl Incidence {
    /// The empty set.
    pub const NONE: Incidence = Incidence([0; WORDS]);

    /// All numbers below `count`.
    pub fn below(count: usize) -> Self {
        Incidence(std::array::from_fn(|word| match count.saturating_sub(64 * word) {
            here @ 0..64 => (1 << here) - 1,
            _ => u64::MAX,
        }))
    }

    /// Adds a number.
    pub fn insert(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    /// Whether the set contains a number.
    pub fn contains(&self, number: usize) -> bool {
        self.0[number / 64] >> (number % 64) & 1 == 1
    }

    /// Whether the set includes another one.
    pub fn includes(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(mine, other)| other & !mine == 0)
    }

    /// The size of the set.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        *self == Incidence::NONE
    }

    /// The numbers in it, smallest first.
    pub fn iter(&self) -> impl Iterator<Item = usize> + use<> {
        self.0.into_iter().enumerate().flat_map(|(at, mut word)| {
            std::iter::from_fn(move || {
                let bit = word.trailing_zeros() as usize;
                (word != 0).then(|| {
                    word &= word - 1;
                    64 * at + bit
                })
            })
        })
    }
}

impl FromIterator<usize> for Incidence {
    fn from_iter<I: IntoIterator<Item = usize>>(numbers: I) -> Self {
        let mut all = Incidence::NONE;
        numbers.into_iter().for_each(|number| all.insert(number));
        all
    }
}

impl BitAnd for Incidence {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Incidence(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }
}

impl BitOr for Incidence {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Incidence(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }
}

#[cfg(test)]
mod tests {
    use super::{Incidence, MOST};

    #[test]
    fn sets_hold_what_was_put_in_and_nothing_else() {
        let numbers = [0, 1, 63, 64, 65, 200, 511];
        let set: Incidence = numbers.into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), numbers);
        assert_eq!(set.len(), numbers.len());
        for count in [0, 1, 63, 64, 65, 127, 128, MOST] {
            let below = Incidence::below(count);
            assert_eq!(below.iter().collect::<Vec<_>>(), (0..count).collect::<Vec<_>>());
            assert_eq!(below.includes(&set), count == MOST);
            let both = (below & set).iter();
            assert!(both.eq(numbers.into_iter().filter(|number| *number < count)));
        }
    }
}
